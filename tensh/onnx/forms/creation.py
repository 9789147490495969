"""Forms of operators that create tensors."""

from tensh.onnx.builder import Value
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
    return o.number(s, node.meta["val"].dtype)


@form("arange")
def arange(o, node, start=0, end=None, step=1, **options):
    wanted = node.meta["val"].dtype
    if not any(isinstance(each, Value) for each in (start, end, step)):
        return constant_result(o, node)
    made = o.Range(
        *(
            o.operand(each, wanted) if not isinstance(each, Value) else o.cast(each, wanted)
            for each in (start, end, step)
        )
    )
    made.dtype = wanted
    return made


@form(
    "eye linspace logspace tril_indices triu_indices bartlett_window blackman_window hamming_window hann_window kaiser_window"
)
def constant_result(o, node, *args, **options):
    return o.add_tensor(node.meta["val"], o.name("constant"))
