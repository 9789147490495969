"""Arguments of layers that move a window over an input, one for each of its spatial dimensions."""


def each_dim(value, dims):
    """Repeat one number for all spatial dimensions."""
    values = [value] * dims if isinstance(value, int) else list(value)
    return values * dims if len(values) == 1 else values


def batch_input(o, x, dims):
    """(input with a batch dimension, the function that takes the dimension away again)."""
    if x.rank == dims + 2:
        return x, lambda y: y
    return o.Unsqueeze(x, [0]), lambda y: o.Squeeze(y, [0])


def strides_of(stride, kernel):
    """The strides of pooling: the sizes of the window unless others are given."""
    return list(kernel) if stride in ((), [], None) else each_dim(stride, len(kernel))
