"""Printing: random tensors beside PyTorch's text, the options, and what tokens are (recorded texts: sessions/printing.md)."""

import random
import re
from math import inf, nan, prod

import pytest

from tests.recorded.sessions.replay import usual_defaults


@pytest.fixture
def torch():
    import tensh

    with usual_defaults(tensh):
        yield tensh


# ── beside PyTorch ───────────────────────────────────────────────────────────
DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
).split()
SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 12, 40)
SOME_OPTIONS = {
    "precision": range(9),
    "threshold": (0, 1, 5, 20, 100),
    "edgeitems": range(5),
    "linewidth": (0, 1, 10, 20, 40, 60, 79, 81, 120, 200),
    "sci_mode": (True, False),
    "profile": ("default", "short", "full"),
}
RANGES = {  # how a random float is made
    "whole": lambda draw: float(round(3 * draw.gauss())),
    "near one": lambda draw: draw.gauss(),
    "spread": lambda draw: 10 ** (3 * draw.gauss()),
    "small": lambda draw: 1e-5 * draw.gauss(),
    "large": lambda draw: 1e7 * draw.gauss(),
    "zero": lambda draw: draw.choice((0.0, -0.0)),
    "special": lambda draw: draw.choice((nan, inf, -inf, 0.0, 1.0, 2.5)),
    "whole or special": lambda draw: draw.choice((nan, inf, -inf, -0.0, 1.0, -20.0)),
}


def numbers(draw, dtype, count):
    """A list of random numbers for the dtype of this name."""
    if dtype == "bool":
        return [draw.random() < 0.5 for _ in range(count)]
    if "int" in dtype:
        bits = min(draw.choice((1, 4, 7, 15, 31)), int(dtype.lstrip("uint")) - 1)
        return [draw.randrange(0 if dtype[0] == "u" else -(2**bits), 2**bits) for _ in range(count)]
    make = RANGES[draw.choice(list(RANGES))]
    if "complex" in dtype:
        also = RANGES[draw.choice(list(RANGES))]
        return [complex(make(draw), also(draw)) for _ in range(count)]
    return [make(draw) for _ in range(count)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_tensors(torch, oracle, dtype):
    draw = random.Random(dtype)
    with usual_defaults(oracle):
        for _ in range(60):
            shape = [draw.choice(SIZES) for _ in range(draw.choice((0, 1, 1, 2, 2, 3, 4)))]
            values = numbers(draw, dtype, prod(shape)) if prod(shape) < 3000 else []
            options = {name: draw.choice(choices) for name, choices in SOME_OPTIONS.items() if draw.random() < 0.3}
            usual = draw.choice(("float32", "float64"))
            texts = []
            for module in (oracle, torch):
                module.set_printoptions(**options)
                module.set_default_dtype(getattr(module, usual))
                tensor = module.tensor(values, dtype=getattr(module, dtype))
                texts.append(repr(tensor.reshape(shape) if values else tensor))
                module.set_printoptions(profile="default")
            assert texts[1] == texts[0], (shape, options, usual)


# ── options ──────────────────────────────────────────────────────────────────
def test_options_can_be_read_and_given_back(torch):
    usual = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    assert torch.get_printoptions() == usual
    torch.set_printoptions(2, 5, 1, 40, None, True)
    changed = {"precision": 2, "threshold": 5, "edgeitems": 1, "linewidth": 40, "sci_mode": True}
    assert torch.get_printoptions() == changed
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**changed)
    assert torch.get_printoptions() == changed


def test_each_call_sets_sci_mode(torch):
    torch.set_printoptions(sci_mode=True)
    torch.set_printoptions(precision=2)
    assert torch.get_printoptions()["sci_mode"] is None
    assert repr(torch.tensor([1.5])) == "tensor([1.50])"


def test_options_for_a_while(torch):
    torch.set_printoptions(precision=3)
    before = torch.get_printoptions()
    with pytest.raises(ZeroDivisionError), torch.printoptions(precision=1, sci_mode=True):
        assert repr(torch.tensor(1.5)) == "tensor(1.5e+00)"
        raise ZeroDivisionError
    assert torch.get_printoptions() == before


def test_an_unknown_option_is_refused(torch):
    with pytest.raises(TypeError, match="unexpected keyword argument 'digits'"):
        torch.set_printoptions(digits=3)


# ── tokens ───────────────────────────────────────────────────────────────────
def test_tokens_are_the_text_in_parts(torch):
    from tensh.engine.methods.printing.format import tokens

    tensor = torch.tensor([1.5, nan], dtype=torch.float64, requires_grad=True)
    assert tokens(tensor) == [
        ("keyword", "tensor"),
        ("punctuation", "("),
        ("punctuation", "["),
        ("number", "1.5000"),
        ("punctuation", ", "),
        ("number", "   nan"),
        ("punctuation", "]"),
        ("punctuation", ", "),
        ("attribute", "dtype=torch.float64"),
        ("punctuation", ", "),
        ("attribute", "requires_grad=True"),
        ("punctuation", ")"),
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda torch: torch.arange(4000.0).reshape(2, 2, 1000),
        lambda torch: torch.zeros(0, 2),
        lambda torch: torch.tensor(1 - 2j),
        lambda torch: torch.nn.Parameter(torch.ones(2)),
    ],
)
def test_the_text_is_the_tokens_in_a_row(torch, make):
    from tensh.engine.methods.printing.format import tokens

    tensor = make(torch)
    assert "".join(text for _, text in tokens(tensor)) == repr(tensor) == str(tensor)


def test_a_subclass_may_write_its_elements(torch):
    class Summary(torch.Tensor):
        def __repr__(self):
            return super().__repr__(tensor_contents=f"{self.numel()} numbers")

    assert repr(torch.ones(3, dtype=torch.int8).as_subclass(Summary)) == "Summary(3 numbers, dtype=torch.int8)"


def test_a_view_without_a_clear_history_has_an_invalid_grad_fn(torch):
    base, weight = torch.zeros(2), torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = base.view(2)
    base.mul_(weight)
    assert repr(view) == "tensor([0., 0.], grad_fn=<Invalid>)"
    assert repr(base) == "tensor([0., 0.], grad_fn=<MulBackward0>)"


# ── format ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("make", "specification", "error", "message"),
    [
        (lambda t: t.ones(2), ".2f", TypeError, "unsupported format string passed to Tensor.__format__"),
        (
            lambda t: t.nn.Parameter(t.ones(())),
            ".2f",
            TypeError,
            "unsupported format string passed to Parameter.__format__",
        ),
        (lambda t: t.tensor(3.0), "05d", ValueError, "Unknown format code 'd' for object of type 'float'"),
    ],
)
def test_formats_that_do_not_fit(torch, make, specification, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        format(make(torch), specification)


# ── limits of dtypes ─────────────────────────────────────────────────────────
INVALID = "finfo() received an invalid combination of arguments - got ({}), but expected one of:\n * (torch.dtype type)\n * ()\n"
NOT_FLOAT = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
NOT_INTEGER = "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
LIMIT_ERRORS = {
    "finfo(torch.int32)": NOT_FLOAT,
    "finfo(torch.bool)": NOT_FLOAT,
    "finfo(1)": "finfo(): argument 'type' (position 1) must be torch.dtype, not int",
    "finfo(None)": "finfo(): argument 'type' (position 1) must be torch.dtype, not NoneType",
    "finfo(torch.zeros(1))": "finfo(): argument 'type' (position 1) must be torch.dtype, not Tensor",
    "finfo(type='float32')": "finfo(): argument 'type' must be torch.dtype, not str",
    "finfo(dtype=torch.float64)": 'finfo() missing 1 required positional arguments: "type"',
    "finfo(torch.float32, torch.float32)": INVALID.format("torch.dtype, torch.dtype"),
    "finfo(torch.float32, eps=1)": INVALID.format("torch.dtype, eps=int"),
    "iinfo()": 'iinfo() missing 1 required positional arguments: "type"',
    "iinfo(torch.bool)": "torch.bool is not supported by torch.iinfo",
    "iinfo(torch.float32)": NOT_INTEGER,
    "iinfo(torch.complex64)": NOT_INTEGER,
    "iinfo(None)": "iinfo(): argument 'type' (position 1) must be torch.dtype, not NoneType",
    "iinfo(1, 2)": "iinfo() takes 1 positional argument but 2 were given",
    "iinfo(torch.int8, type=torch.int8)": "iinfo() got multiple values for argument 'type'",
}


@pytest.mark.parametrize("call", LIMIT_ERRORS)
def test_limits_refuse(torch, call):
    with pytest.raises(TypeError) as caught:
        eval(f"torch.{call}", {"torch": torch})
    assert str(caught.value) == LIMIT_ERRORS[call]


def test_limits_are_read_only_and_compare_by_value(torch):
    limits = torch.finfo(torch.float32)
    with pytest.raises(AttributeError, match=r"attribute 'eps' of 'torch.finfo' objects is not writable"):
        limits.eps = 1
    with pytest.raises(AttributeError, match=r"'torch.finfo' object has no attribute 'digits'"):
        limits.digits  # noqa: B018
    assert limits == torch.finfo() and limits != torch.finfo(torch.float64) and limits != torch.iinfo(torch.int32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["finfo", "iinfo"])
def test_limits_are_those_of_the_oracle(torch, oracle, dtype, kind):
    def facts(module):
        try:
            limits = getattr(module, kind)(getattr(module, dtype))
        except TypeError as error:
            return str(error)
        names = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
        return repr(limits), {name: (type(v := getattr(limits, name)), v) for name in names if hasattr(limits, name)}

    assert facts(torch) == facts(oracle)
