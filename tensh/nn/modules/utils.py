"""Numbers for every dimension."""

from tensh.nn.modules.layer import ntuple


def _ntuple(n, name="parse"):
    """A function that makes a tuple of n numbers of one, or of an iterable."""

    def parse(x):
        return ntuple(x, n)

    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")
