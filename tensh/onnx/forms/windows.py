"""Arguments of layers with moving windows, one for each spatial dimension."""


def each_dim(value, dims):
    """Repeat one number for all spatial dimensions."""
    values = [value] * dims if isinstance(value, int) else list(value)
    return values * dims if len(values) == 1 else values


def batch_input(o, x, dims):
    """Return (input with a batch dimension, the function that removes the dimension again)."""
    if x.rank == dims + 2:
        return x, lambda y: y
    return o.Unsqueeze(x, [0]), lambda y: o.Squeeze(y, [0])


def strides_of(stride, kernel):
    """Return the strides of pooling: the window sizes unless others are given."""
    return list(kernel) if stride in ((), [], None) else each_dim(stride, len(kernel))
