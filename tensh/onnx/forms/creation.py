"""Forms of operators that create tensors."""

import tensh as torch
from tensh.onnx.builder import TYPES, Value
from tensh.onnx.forms.table import form, operator_name


def fill_sizes(o, node, sizes, value):
    return (
        o.Expand(o.number(value, node.meta["val"].dtype), o.ints(sizes))
        if len(sizes)
        else o.number(value, node.meta["val"].dtype)
    )


@form("zeros new_zeros empty new_empty")
def zeros(o, node, self=None, size=(), **options):
    return fill_sizes(o, node, size, 0)


@form("ones new_ones")
def ones(o, node, self=None, size=(), **options):
    return fill_sizes(o, node, size, 1)


@form("full new_full")
def full(o, node, self=None, size=(), fill_value=0, **options):
    if isinstance(fill_value, Value):
        return o.Expand(o.cast(fill_value, node.meta["val"].dtype), o.ints(size))
    return fill_sizes(o, node, size, fill_value)


@form("zeros_like ones_like full_like empty_like zero")
def like(o, node, self, fill_value=0, **options):
    value = 1 if operator_name(node) == "ones_like" else fill_value
    value = (
        o.cast(value, node.meta["val"].dtype) if isinstance(value, Value) else o.number(value, node.meta["val"].dtype)
    )
    return o.Expand(value, o.Shape(self)) if self.rank else o.Identity(value)


@form("fill")
def fill(o, node, self, value):
    return like(o, node, self, value)


@form("scalar_tensor")
def scalar_tensor(o, node, s, **options):
    return o.operand(s, node.meta["val"].dtype)


@form("tensor")
def tensor(o, node, data, **options):
    return stack_numbers(o, data, node.meta["val"].dtype)


def stack_numbers(o, data, dtype):
    """Return nested lists of numbers, some of which may be values, as a value."""
    if not isinstance(data, (list, tuple)):
        return o.operand(data, dtype)
    return o.Concat(*(o.Unsqueeze(stack_numbers(o, each, dtype), [0]) for each in data), axis=0)


def is_computed(*numbers):
    """Return True if one of the numbers is a value."""
    return any(isinstance(each, Value) for each in numbers)


@form("arange")
def arange(o, node, start=0, end=None, step=1, **options):
    if not is_computed(start, end, step):
        return constant_result(o, node)
    wanted = node.meta["val"].dtype
    if not is_computed(start, step) and start >= 0 and step > 0:
        return o.Range(*(o.operand(each, wanted) for each in (start, end, step)))
    # onnxruntime takes elements at a Range as a Slice, to which -1 is the last place
    return o.Neg(o.Range(*(o.Neg(o.operand(each, wanted)) for each in (start, end, step))))


@form("linspace")
def linspace(o, node, start, end, steps, **options):
    if not is_computed(start, end, steps):
        return constant_result(o, node)
    wanted, exact = node.meta["val"].dtype, torch.float64
    start, end = o.operand(start, exact), o.operand(end, exact)
    places = o.cast(o.Range(*(o.operand(each, torch.int64) for each in (0, steps, 1))), exact)
    last = o.cast(o.Max(o.operand(steps, torch.int64), o.number(2, torch.int64)), exact)
    step = o.Div(o.Sub(end, start), o.Sub(last, o.number(1, exact)))
    return o.cast(o.Add(start, o.Mul(places, step)), wanted)


@form("eye")
def eye(o, node, n, m=None, **options):
    m = n if m is None else m
    if not is_computed(n, m):
        return constant_result(o, node)
    return o.EyeLike(o.Expand(o.number(0, node.meta["val"].dtype), o.ints([n, m])))


@form("tril_indices triu_indices")
def triangle_indices(o, node, row, col, offset=0, **options):
    if not is_computed(row, col):
        return constant_result(o, node)
    whole = o.Expand(o.number(1, torch.int64), o.ints([row, col]))
    upper = int(operator_name(node) == "triu_indices")
    made = o.NonZero(o.Trilu(whole, o.int_scalar(offset), upper=upper))
    made.dtype = torch.int64
    return o.cast(made, node.meta["val"].dtype)


@form("hann_window blackman_window")
def window(o, node, window_length, periodic=True, **options):
    if not is_computed(window_length):
        return constant_result(o, node)
    wanted = node.meta["val"].dtype
    name = "HannWindow" if operator_name(node) == "hann_window" else "BlackmanWindow"
    made = getattr(o, name)(o.int_scalar(window_length), periodic=int(periodic), output_datatype=TYPES[str(wanted)[6:]])
    made.dtype = wanted
    return made


@form("logspace bartlett_window hamming_window kaiser_window")
def constant_result(o, node, *args, **options):
    return o.add_tensor(node.meta["val"], o.name("constant"))
