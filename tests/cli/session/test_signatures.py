"""The signature of the call that is being typed."""

import pytest

from tensh.cli.repl.toolbar import draw_signature
from tensh.cli.session.completion.signatures import LONGEST, Signature, find_call, find_signature

CALLS = {  # text before the cursor: (function, parameter at the cursor)
    "torch.sum(": ("torch.sum", "input"),
    "torch.sum(x, ": ("torch.sum", "dim=None"),
    "torch.sum(x, keepdim=": ("torch.sum", "keepdim=False"),
    "x.sum(": ("x.sum", "dim=None"),
    "y = f(1, [2, ": ("f", "b=2"),
    "f(1, g(2), c=f(": ("f", "a"),
    "f('text, with (', ": ("f", "b=2"),
    "f(1, 2, 3, 4, ": ("f", "*rest"),
    "f(1, unknown=": ("f", "**more"),
    "nn.Linear(2, ": ("nn.Linear", "out_features"),
    "net[0](": ("net[0]", "input"),
    "net[0].forward(": ("net[0].forward", "input"),
    "f(\n    1,\n    ": ("f", "b=2"),
    "f('open ": ("f", "a"),
}


@pytest.fixture
def names(prompt):
    prompt("x = torch.ones(2)", "net = nn.Sequential(nn.Linear(2, 3))")
    prompt("def f(a, b=2, *rest, c=3, **more): pass")
    return prompt.session.namespace


@pytest.mark.parametrize("text, expected", CALLS.items(), ids=CALLS)
def test_the_parameter_at_the_cursor_is_known(names, text, expected):
    found = find_signature(text, names)
    assert (found.function, found.parameters[found.current]) == expected


@pytest.mark.parametrize("text", ["", "x", "f", "(1, ", "nowhere(", "f(1)", "x + (", "f(1)(", "# f(", "[1, ", "x[0]("])
def test_elsewhere_there_is_no_signature(names, text):
    assert find_signature(text, names) is None


def test_nothing_runs_for_a_signature(prompt):
    prompt("class Loud:\n    @property\n    def f(self): raise SystemExit\n    def __call__(self): raise SystemExit")
    prompt("loud = Loud()")
    assert find_signature("loud.f(", prompt.session.namespace) is None


def test_a_long_text_is_not_looked_at():
    assert find_call("f(" + " " * LONGEST) is None


@pytest.mark.parametrize("width", range(10, 90, 7))
@pytest.mark.parametrize("current", [None, 0, 3, 6])
def test_a_signature_fits_its_line_and_has_the_parameter_in_sight(width, current):
    signature = Signature(
        "f.conv", ["input", "weight", "bias=None", "stride=1", "padding=0", "dilation=1", "groups=1"], current
    )
    drawn = draw_signature(signature, width, unicode=True)
    text = "".join(piece for _, piece in drawn)
    assert len(text) <= width
    marked = [piece for style, piece in drawn if style]
    expected = [] if current is None else [signature.parameters[current]]
    assert marked == expected or not drawn
    assert width < 30 or text.startswith(" f.conv(")
