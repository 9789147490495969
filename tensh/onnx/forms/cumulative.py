"""Forms of cumulative operators, of which ONNX has the sum alone: all beginnings are reduced at once."""

import math

import tensh as torch
from tensh.onnx.forms.reductions import trapezoids
from tensh.onnx.forms.table import compose


def beginnings(self, dim, rest):
    """Return, for each place of a dimension, the elements up to there in a new last dimension; ``rest`` elsewhere."""
    rows = self.movedim(dim, -1).unsqueeze(-2)
    size = self.shape[dim]
    seen = torch.arange(size).unsqueeze(1) >= torch.arange(size)
    return torch.where(seen, rows, torch.tensor(rest, dtype=self.dtype))


@compose("cumprod")
def cumprod(self, dim, dtype=None):
    self = self.to(dtype or (torch.int64 if not (self.is_floating_point() or self.is_complex()) else self.dtype))
    return beginnings(self, dim, 1).prod(-1).movedim(-1, dim) if self.dim() else self.clone()


def cumulative_extreme(self, dim, largest):
    """Return (extremes of all beginnings, the last place of each)."""
    if not self.dim():
        return self.clone(), torch.zeros((), dtype=torch.int64)
    limits = torch.finfo(self.dtype) if self.is_floating_point() else torch.iinfo(self.dtype)
    rest = math.copysign(math.inf, -largest) if self.is_floating_point() else limits.min if largest > 0 else limits.max
    values = beginnings(self, dim, rest)
    values = values.amax(-1) if largest > 0 else values.amin(-1)
    size = self.shape[dim]
    places = torch.arange(size)
    rows = self.movedim(dim, -1).unsqueeze(-2)
    equal = (rows == values.unsqueeze(-1)) | (rows != rows)
    last = torch.where(equal & (places.unsqueeze(1) >= places), places, -1).amax(-1)
    return values.movedim(-1, dim), last.movedim(-1, dim)


@compose("cummax")
def cummax(self, dim):
    return cumulative_extreme(self, dim, 1)


@compose("cummin")
def cummin(self, dim):
    return cumulative_extreme(self, dim, -1)


@compose("cumulative_trapezoid")
def cumulative_trapezoid(y, x=None, dx=1, dim=-1):
    return trapezoids(y, x, dx, dim).cumsum(dim)
