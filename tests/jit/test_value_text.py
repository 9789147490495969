"""Scripts write values as PyTorch's C++ does: in ``print``, ``str``, f-strings and formats, and in functions they call."""

# ruff: noqa: UP006, UP031, UP032, UP035, UP045

import io
import random
from typing import Dict, List, Optional, Tuple

import pytest

import tensh as torch
from tensh.jit.language.value_text import describe_value

pytestmark = pytest.mark.filterwarnings("ignore")
DTYPES = ("float32", "float64", "int64", "int32", "bool", "float16")
SCALES = (-30, -9, -5, -3, -1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 20)


def helper(x: float):
    print(x)
    return x**2


def write(x, i: int, f: float, s: str, l: List[float], d: Dict[str, float], t: Tuple[int, float], o: Optional[int]):
    print(x, i, f, s, l, d, t, o, True, [s], (s, 1.0))
    print()
    helper(f)
    texts = [str(x), str(f), str(l), str(True), str(None), f"{x} {f} {l} {i + 1}"]
    return texts, "{} and {}".format(f, s), "%s %d %f" % (f, i, f), "%s" % l


def make_arguments(library):
    return library.tensor([1.0, 2.5]), 1, 2.0, "s", [1.0, 2.5], {"a": 0.1}, (1, 2.0), None


def test_texts_are_pytorchs(oracle, capsys):
    expected, printed = oracle.jit.script(write)(*make_arguments(oracle)), capsys.readouterr().out
    scripted, file = torch.jit.script(write), io.BytesIO()
    torch.jit.save(scripted, file)
    for each in scripted, torch.jit.load(io.BytesIO(file.getvalue())):
        assert each(*make_arguments(torch)) == expected
        assert capsys.readouterr().out == printed


def test_texts_without_pytorch(capsys):
    texts, *formatted = torch.jit.script(write)(*make_arguments(torch))
    assert texts[:4] == [" 1.0000\n 2.5000\n[ CPUFloatType{2} ]", "2.", "[1., 2.5]", "True"]
    assert formatted == ["2. and s", "2. 1 2.000000", "[1., 2.5]"]
    assert "\n2.\n" in capsys.readouterr().out


def make_tensor(library, draw):
    """Return a random tensor of a random shape, size and dtype."""
    shape = [draw.choice((1, 2, 3, 4, 13, 30) if draw.random() < 0.3 else (1, 2, 3)) for _ in range(draw.randrange(5))]
    made = library.randn(shape) * 10.0 ** draw.choice(SCALES)
    return made.round() if draw.random() < 0.3 else made


def convert(x):
    return str(x)


def test_tensors_are_written_as_in_pytorch(oracle):
    draw = random.Random(5)
    oracle.manual_seed(5)
    script = oracle.jit.script(convert)
    for _ in range(300):
        theirs = make_tensor(oracle, draw)
        if theirs.numel() and draw.random() < 0.2:
            theirs.view(-1)[0] = draw.choice((0.0, float("inf"), float("nan"), 1e4, -1e-4))
        name = draw.choice(DTYPES)
        theirs = theirs.to(getattr(oracle, name))
        ours = torch.tensor(theirs.tolist(), dtype=getattr(torch, name)).reshape(theirs.shape)
        assert describe_value(ours) == script(theirs)


def test_tensors_without_elements_and_of_complex_numbers(oracle):
    script = oracle.jit.script(convert)
    for make in (
        lambda l: l.zeros(0),
        lambda l: l.zeros(2, 0),
        lambda l: l.tensor([1 + 2j]),
        lambda l: l.ones(2, requires_grad=True),
    ):
        assert describe_value(make(torch)) == script(make(oracle))
