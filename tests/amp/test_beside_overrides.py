"""Autocast and overrides both exchange functions' code: in any order, overrides are asked before arguments are cast."""

import pytest

from tests.support.forks import forks

pytestmark = pytest.mark.thorough

SETUP = """
import tensh as torch

linear = torch.nn.functional.linear
x = torch.ones(2, 2)

class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        asked.append(function.__name__)
        return function(*args, **kwargs or {})

class Sub(torch.Tensor):
    pass

def products(a):
    return a @ a, torch.mm(a, a), linear(a, a)

def dtypes(a):
    return {str(each.dtype) for each in products(a)}

asked = []
"""
STEPS = {
    "autocast": """
with torch.autocast("cpu"):
    assert dtypes(x) == {"torch.bfloat16"}
    assert torch.fft.fft(x.bfloat16()).dtype is torch.complex64
""",
    "mode": """
asked.clear()
with Mode():
    products(x)
assert asked == ["matmul", "mm", "linear"], asked
""",
    "subclass": """
assert {type(each) for each in products(x.as_subclass(Sub))} == {Sub}
""",
    "both": """
asked.clear()
with torch.autocast("cpu"), Mode():
    made = products(x)
assert asked == ["matmul", "mm", "linear"] and {each.dtype for each in made} == {torch.bfloat16}, asked
""",
    "subclass in autocast": """
with torch.autocast("cpu"):
    assert {(type(each), each.dtype) for each in products(x.as_subclass(Sub))} == {(Sub, torch.bfloat16)}
""",
}
PLAIN = """
assert dtypes(x) == {"torch.float32"}
"""
ORDERS = [(one, other, one) for one in STEPS for other in STEPS if one != other]


@pytest.fixture(scope="module")
def run():
    with forks() as run:
        yield run


@pytest.mark.parametrize("order", ORDERS, ids=", ".join)
def test_neither_is_lost_beside_the_other(order, run):
    """Each order in a separate process, since the first one decides."""
    errors = run(SETUP + PLAIN.join(["", *map(STEPS.get, order), ""]))
    assert not errors, errors
