"""Decompositions of functions that make tensors."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import convert, count, full, rule

ops = torch.ops.aten


def kind_of(dtype):
    return torch.get_default_dtype() if dtype is None else dtype


@rule("zeros")
def zeros(size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return full(size, 0, kind_of(dtype))


@rule("ones")
def ones(size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return full(size, 1, kind_of(dtype))


@rule("zeros_like")
def zeros_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return alike(self, 0, dtype)


@rule("ones_like")
def ones_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return alike(self, 1, dtype)


def alike(input, value, dtype):
    """Make a tensor of one number in the shape of another."""
    kind = {} if dtype is None else {"dtype": dtype}
    return ops.full_like.default(input, value, **kind, pin_memory=False, memory_format=torch.preserve_format)


@rule("new_zeros")
def new_zeros(self, size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return full(size, 0, self.dtype if dtype is None else dtype)


@rule("new_ones")
def new_ones(self, size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return full(size, 1, self.dtype if dtype is None else dtype)


@rule("new_full")
def new_full(self, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=None):
    return full(size, fill_value, self.dtype if dtype is None else dtype)


@rule("new_empty")
def new_empty(self, size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return empty_in_order(size, self.dtype if dtype is None else dtype)


@rule("empty_like")
def empty_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return empty_in_order(self.shape, self.dtype if dtype is None else dtype)


def empty_in_order(size, dtype):
    """Make an empty tensor in the order of its dimensions."""
    place = {"layout": torch.strided, "device": torch.device("cpu"), "pin_memory": False}
    return aten("empty_permuted", list(size), list(range(len(size))), dtype=dtype, **place)


@rule("arange.default")
def arange(end, *, dtype=None, layout=None, device=None, pin_memory=None):
    return count(end, dtype)


@rule("arange.start")
def arange_start(start, end, *, dtype=None, layout=None, device=None, pin_memory=None):
    kind = {} if dtype is None else {"dtype": dtype}
    place = {"layout": torch.strided, "device": torch.device("cpu"), "pin_memory": False}
    return ops.arange.start_step(start, end, **kind, **place)


@rule("eye.default", "eye.m")
def eye(n, m=None, *, dtype=None, layout=None, device=None, pin_memory=None):
    rows = count(n, torch.uint8)
    columns = count(n if m is None else m, torch.uint8)
    return convert(aten("eq", aten("unsqueeze", rows, -1), columns), kind_of(dtype))


@rule("linspace.default")
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=None):
    if steps < 2:
        return NotImplemented
    dtype, places, step = kind_of(dtype), count(steps), (end - start) / (steps - 1)
    first = ops.lt.Scalar(places, steps / 2)
    rising = ops.add.Tensor(ops.mul.Tensor(convert(places, dtype), step), start)
    left = ops.sub.Tensor(steps - 1, places)
    falling = ops.sub.Tensor(end, ops.mul.Tensor(convert(left, dtype), step))
    return aten("where", first, rising, falling)


@rule("bernoulli.default")
def bernoulli(self, *, generator=None):
    drawn = ops.rand.default(list(self.shape), dtype=self.dtype, device=torch.device("cpu"), pin_memory=False)
    return convert(ops.lt.Tensor(drawn, self), self.dtype)
