"""Programs that make PyTorch warn make tensh warn: same category, text, number of times, and the user's line.

``warnings.txt`` has a program a line; semicolons separate its statements.
"""

import re
import warnings
from pathlib import Path

import pytest

import tensh

oracle = pytest.importorskip("torch")

PROGRAMS = Path(__file__).with_name("warnings.txt").read_text().splitlines()
WHERE = re.compile(r" ?\(Triggered internally at .*?\)\.?")  # a place in PyTorch's source
HERE = "<program>"


def warned(m, program):
    """The warnings (category, text, line if it is the program's) of a program that calls module ``m``."""
    names = {"torch": m, "nn": m.nn, "F": m.nn.functional}
    m.manual_seed(0)
    before = m.is_warn_always_enabled()
    m.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(program.replace("; ", "\n"), HERE, "exec"), names)
            except Exception as error:
                warnings.warn(f"{type(error).__name__}: {error}", stacklevel=1)
    finally:
        m.set_warn_always(before)
    return [
        (each.category.__name__, WHERE.sub("", str(each.message)).replace(m.__name__, "torch"), each.filename == HERE and each.lineno)
        for each in caught
    ]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_warnings_are_those_of_pytorch(program):
    found, expected = warned(tensh, program), warned(oracle, program)
    assert expected and [each[:2] for each in found] == [each[:2] for each in expected]
    for (*_, line), (*_, known) in zip(found, expected, strict=True):
        assert line and line == (known or line)  # where PyTorch names a line of its source, tensh names the program's
