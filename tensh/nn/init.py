"""torch.nn.init: initial values of parameters.  Every function fills a tensor in place, unrecorded, and returns it."""

import functools
import math
import warnings

from tensh.engine import find_public
from tensh.engine.autograd.modes import no_grad
from tensh.engine.dispatch.override.points import watch
from tensh.engine.errors.warnings import warn

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

LINEAR = "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d".split()
SLOPE = 0.01  # default slope of leaky_relu


def calculate_gain(nonlinearity, param=None):
    """Return the factor by which a weight's standard deviation compensates for a nonlinearity.

    ``param`` is the slope of "leaky_relu", 0.01 by default. Raise ValueError for an unknown nonlinearity and for a
    slope that is not a number.

    >>> import tensh as torch
    >>> torch.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (SLOPE if param is None else param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4  # an empirical value (pytorch/pytorch#50664)
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill a tensor with uniform numbers between a and b.

    >>> import tensh as torch
    >>> bool((torch.nn.init.uniform_(torch.empty(9), 2, 3) >= 2).all())
    True
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill a tensor with normal numbers of a mean and a standard deviation.

    >>> import tensh as torch
    >>> torch.nn.init.normal_(torch.empty(100, 100)).std().round()
    tensor(1.)
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill a tensor with normal numbers within [a, b]; numbers outside are drawn again.

    Numbers are drawn from the normal distribution if more than 0.3 of it lies within, otherwise from the uniform
    distribution by rejection sampling (von Neumann, 1951). ``mean`` and ``std`` are those of the untruncated
    distribution.

    >>> import tensh as torch
    >>> bool((torch.nn.init.trunc_normal_(torch.empty(99)).abs() <= 2).all())
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    with no_grad():
        if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
            return _redrawn(tensor, mean, std, a, b, generator)
        return _reject_sampling(tensor, mean, std, a, b, generator)


def _normal_cdf(x):
    """Return the standard normal distribution function at ``x``."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redrawn(tensor, mean, std, a, b, generator):
    if tensor.is_meta:
        return tensor
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
    result = tensor.normal_(mean, std, generator=generator)
    while bool((outside := (result < low) | (result > high)).any()):
        result = find_public("where")(
            outside, find_public("empty_like")(result).normal_(mean, std, generator=generator), result
        )
    return tensor if result is tensor else tensor.copy_(result)


def _reject_sampling(tensor, mean, std, a, b, generator):
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    chance = find_public("empty_like")(tensor)

    def is_rejected(candidates):
        density = ((candidates - mean) / std).pow_(2).mul_(-0.5).sub_(peak)
        return chance.uniform_(generator=generator).log_() > density

    result = tensor.uniform_(a, b, generator=generator)
    pending = is_rejected(result)
    while bool(pending.any()):
        candidates = find_public("empty_like")(tensor).uniform_(a, b, generator=generator)
        result = find_public("where")(pending, candidates, result)
        pending = pending & is_rejected(candidates)
    return tensor if result is tensor else tensor.copy_(result)


def constant_(tensor, val):
    """Fill a tensor with one value.

    >>> import tensh as torch
    >>> torch.nn.init.constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Fill a tensor with ones.

    >>> import tensh as torch
    >>> torch.nn.init.ones_(torch.empty(2))
    tensor([1., 1.])
    """
    with no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor):
    """Fill a tensor with zeros.

    >>> import tensh as torch
    >>> torch.nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor):
    """Write the identity matrix into a tensor [n, m].

    Raise ValueError unless the tensor has two dimensions.

    >>> import tensh as torch
    >>> torch.nn.init.eye_(torch.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(find_public("eye")(*tensor.shape, dtype=tensor.dtype))


def dirac_(tensor, groups=1):
    """Fill the weight of a convolution so that it passes its channels on unchanged, group by group.

    Shapes: [out_channels, in_channels / groups, *kernel_size] of 1 to 3 dimensions. Raise ValueError for other shapes,
    and unless groups divide the output channels.

    >>> import tensh as torch
    >>> torch.nn.init.dirac_(torch.empty(2, 2, 3))[1]
    tensor([[0., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    channels = tensor.size(0) // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(channels, tensor.size(1))):
                tensor[(group * channels + channel, channel, *middle)] = 1
    return tensor


# ── by fan ───────────────────────────────────────────────────────────────────
def _calculate_fan_in_and_fan_out(tensor):
    """Return fan in and fan out: the number of inputs of an output, and of outputs of an input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    mode, modes = mode.lower(), ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill a weight with uniform numbers of the variance ``gain² · 2 / (fan in + fan out)`` (Glorot and Bengio, 2010).

    Shapes: [fan_out, fan_in, *kernel_size]. Raise ValueError for fewer than 2 dimensions.

    >>> import tensh as torch
    >>> bool((torch.nn.init.xavier_uniform_(torch.empty(3, 3)).abs() <= 1).all())
    True
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill a weight with normal numbers of the variance ``gain² · 2 / (fan in + fan out)`` (Glorot and Bengio, 2010).

    Shapes: [fan_out, fan_in, *kernel_size]. Raise ValueError for fewer than 2 dimensions.

    >>> import tensh as torch
    >>> torch.nn.init.xavier_normal_(torch.empty(100, 100)).std().round(decimals=2)
    tensor(0.1000)
    """
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight with uniform numbers of the variance ``gain² / fan`` (He et al., 2015).

    Shapes: [fan_out, fan_in, *kernel_size]. ``a`` is the slope of "leaky_relu", ``mode`` "fan_in" or "fan_out". Raise
    ValueError for fewer than 2 dimensions, and for an unknown mode or nonlinearity.

    >>> import tensh as torch
    >>> bool((torch.nn.init.kaiming_uniform_(torch.empty(2, 6)).abs() <= 1).all())
    True
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight with normal numbers of the variance ``gain² / fan`` (He et al., 2015).

    Shapes: [fan_out, fan_in, *kernel_size]. ``a`` is the slope of "leaky_relu", ``mode`` "fan_in" or "fan_out". Raise
    ValueError for fewer than 2 dimensions, and for an unknown mode or nonlinearity.

    >>> import tensh as torch
    >>> w = torch.nn.init.kaiming_normal_(torch.empty(100, 200), nonlinearity="relu")
    >>> w.std().round(decimals=2)
    tensor(0.1000)
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    """Return the standard deviation; None for a tensor without elements."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def orthogonal_(tensor, gain=1, generator=None):
    """Fill a tensor with a random matrix of orthogonal rows or columns (Saxe et al., 2013), times ``gain``.

    Shapes: [rows, *columns], where all further dimensions are columns. The matrix is the Q of a normal matrix, with the
    signs of the diagonal of R (Mezzadri, 2007). Raise ValueError for fewer than 2 dimensions.

    >>> import tensh as torch
    >>> torch.nn.init.orthogonal_(torch.empty(1, 4)).norm().round()
    tensor(1.)
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        from tensh import linalg

        q, r = linalg.qr(drawn.t() if rows < columns else drawn)
        q = q * r.diagonal().sign()
        tensor.view(rows, columns).copy_(q.t() if rows < columns else q)
        return tensor.mul_(gain)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fill a matrix with normally distributed numbers, and a fraction ``sparsity`` of each column with zeros (Martens, 2010).

    Shapes: [n, m]. ``std`` is the standard deviation. Raise ValueError unless the tensor has two dimensions.

    >>> import tensh as torch
    >>> (torch.nn.init.sparse_(torch.empty(4, 2), 0.5) == 0).sum(0)
    tensor([2, 2])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[find_public("randperm")(rows)[:zeros], column] = 0
    return tensor


# ── private functions that libraries call ────────────────────────────────────
def _no_grad_uniform_(tensor, a, b, generator=None):
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _no_grad_normal_(tensor, mean, std, generator=None):
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _no_grad_trunc_normal_(tensor, mean, std, a, b, generator=None):
    return trunc_normal_(tensor, mean, std, a, b, generator)


def _no_grad_fill_(tensor, val):
    with no_grad():
        return tensor.fill_(val)


def _no_grad_zero_(tensor):
    with no_grad():
        return tensor.zero_()


# ── old names ────────────────────────────────────────────────────────────────
def _make_deprecate(function):
    new = function.__name__
    old = new.removesuffix("_")

    @functools.wraps(function)
    def renamed(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = old
    return renamed


RENAMED = """
    uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse
""".split()
for _name in RENAMED:
    globals()[_name] = _make_deprecate(globals()[f"{_name}_"])
__all__ += [*RENAMED]  # noqa: PLE0604 (they are strings)

OVERRIDABLE = uniform_, normal_, constant_, kaiming_uniform_
"""The functions that ``__torch_function__`` and modes see."""
for _each in OVERRIDABLE:
    watch(_each, python="by name")
