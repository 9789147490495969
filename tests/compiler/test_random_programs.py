"""Random functions, compiled, traced and as they are: a sample of those of ``tools/compiled_programs.py``."""

import pytest

from tests.support.compiled_programs import check_program, check_traces, make_program

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_random_functions_are_what_they_are_without(first):
    compiled = 0
    for seed in range(first, first + 20):
        source = make_program(seed)
        if source is not None:
            found, made = check_program(source)
            assert found is None, f"{source}\n{found}"
            assert not any(check_traces(source).values()), source
            compiled += bool(made.compiled.graphs)
    assert compiled >= 8
