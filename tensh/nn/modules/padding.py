"""Padding: values added on both sides of the last dimensions.

``padding`` is one number, or two for each dimension, the last dimension first: (left, right, top, bottom, front, back).
Negative numbers cut values off.
"""

from tensh.nn import functional as F
from tensh.nn.modules.families import family
from tensh.nn.modules.layer import Layer

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

SIDES = {"padding": "ntuple(padding, 2 * self._dimensions)"}  # the attribute has two numbers for each dimension
DOC = """Pad {{items}} on each side with {}.

    {{shapes}}
    ``padding`` is one number, or two for each dimension, the last dimension first; negative numbers cut values off.{}

    >>> import tensh as torch
    >>> torch.nn.{}{{n}}d({{ends}}{})({{row:3}}).flatten()
    tensor([{}])
    """


def document(name, words, result, arguments="", more=""):
    """Write the docstring of a family of padding layers."""
    return DOC.format(words, more and f"\n    {more}", name, arguments, result)


# ── with a value ─────────────────────────────────────────────────────────────
class _ConstantPadNd(Layer, settings="padding, value", computes="pad(input, padding, 'constant', value)",
                     shows="padding value"):  # fmt: skip
    """Padding with one value."""


ConstantPad1d, ConstantPad2d, ConstantPad3d = family(
    "ConstantPad{n}d",
    _ConstantPadNd,
    document("ConstantPad", "``value``", "7., 0., 1., 2., 7.", ", 7."),
    settings="padding, value",
    keeps=SIDES,
)


ZeroPad1d, ZeroPad2d, ZeroPad3d = family(
    "ZeroPad{n}d",
    (ConstantPad1d, ConstantPad2d, ConstantPad3d),
    document("ZeroPad", "zeros", "0., 0., 1., 2., 0."),
    members={"value": lambda n: 0.0},
    settings="padding",
    keeps=SIDES,
    shows=".padding",
)


# ── with values of the input ─────────────────────────────────────────────────
class _ReflectionPadNd(Layer, settings="padding", computes="pad(input, padding, 'reflect')", shows=".padding"):
    """Padding with the values next to each edge, mirrored at it."""


ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = family(
    "ReflectionPad{n}d",
    _ReflectionPadNd,
    document("ReflectionPad", "the values next to it, mirrored at the edge", "1., 0., 1., 2., 1."),
    settings="padding",
    keeps=SIDES,
)


class _ReplicationPadNd(Layer, settings="padding", computes="pad(input, padding, 'replicate')", shows=".padding"):
    """Padding that repeats the value at each edge."""


ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = family(
    "ReplicationPad{n}d",
    _ReplicationPadNd,
    document("ReplicationPad", "the value at the edge, repeated", "0., 0., 1., 2., 2."),
    settings="padding",
    keeps=SIDES,
)


class _CircularPadNd(Layer, settings="padding", shows=".padding"):
    """Padding with the values at the other end of the dimension."""

    def forward(self, input):
        """Return ``F.pad(input, padding, 'circular')``; raise ValueError for another number of dimensions."""
        if input.dim() not in (self._dimensions + 1, self._dimensions + 2):
            fitting = f"{self._dimensions + 1}D or {self._dimensions + 2}D"
            raise ValueError(f"expected {fitting} input (got {input.dim()}D input)")
        return F.pad(input, self.padding, "circular")


CircularPad1d, CircularPad2d, CircularPad3d = family(
    "CircularPad{n}d",
    _CircularPadNd,
    document(
        "CircularPad",
        "the values at the other end",
        "2., 0., 1., 2., 0.",
        more="Raise ValueError for inputs of other numbers of dimensions.",
    ),
    settings="padding",
    keeps=SIDES,
)
