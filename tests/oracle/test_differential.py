"""Random programs give the same results on tensh and on PyTorch (tests/fuzz/differential/survey.py runs many more)."""

import pytest

pytest.importorskip("hypothesis")
oracle = pytest.importorskip("torch")

from hypothesis import HealthCheck, given, settings  # noqa: E402

import tensh  # noqa: E402
from tests.fuzz.differential.programs import programs  # noqa: E402
from tests.fuzz.differential.steps import World  # noqa: E402
from tests.fuzz.differential.survey import APART, differences, examples  # noqa: E402 - both must be there


@settings(
    max_examples=300,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(programs(oracle))
def test_random_programs_do_what_they_do_on_pytorch(program):
    """After every step: values, dtypes, shapes, strides of views, history, versions, shared memory, gradients, errors."""
    found = [each for each in differences(program, oracle, tensh) if each.kind not in APART]
    for step, kind, where, theirs, ours in found:
        pytest.fail(f"{kind} {where} after\n{step}\nPyTorch: {theirs}\ntensh: {ours}\nof the program\n{program}")


def test_programs_are_python():
    """The text of a program is a script: run as one, it makes the tensors that its steps made."""
    drawn = []
    examples(oracle, 20, 0, drawn.append)
    for program in drawn:
        world, names = World(oracle), {"print": lambda *shown: None}
        for step in program.steps:
            try:
                world.take(step)
            except Exception as error:
                assert step.fails, error
        exec(str(program), names)
        made = {name for name, value in names.items() if isinstance(value, oracle.Tensor)}
        assert made == {*world.tensors}
