"""torch._check and related functions, which raise an error unless a condition holds."""

from tensh.engine.core.tensor import Tensor

ASK = "(Could this error message be improved? If so, please report an enhancement request to PyTorch.)"


def _check_with(error_type, cond, message):
    """Raise an error of a type unless a condition holds; ``message`` is a function without arguments."""
    if not isinstance(cond, bool):
        if record := getattr(cond, "record_check", None):  # the number is known when an exported program runs
            return record()
        if isinstance(cond, Tensor):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() "
                "to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return None
    if message is None:
        raise error_type(f"Expected cond to be True, but got False. {ASK}")
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _make_check(error):
    def check(cond, message=None):
        _check_with(error, cond, message)

    check.__doc__ = f"Raise {error.__name__} unless a condition holds."
    return check


_check = _make_check(RuntimeError)
_check_index = _make_check(IndexError)
_check_value = _make_check(ValueError)
_check_type = _make_check(TypeError)
_check_not_implemented = _make_check(NotImplementedError)


def _check_is_size(i, message=None, *, max=None):
    """Raise RuntimeError unless a number is a valid size of at most ``max``."""
    for condition in (i >= 0, *([i <= max] if max is not None else [])):
        _check(condition if hasattr(condition, "record_check") else bool(condition), message)


def _check_tensor_all(cond, message=None):
    """Raise RuntimeError unless all elements of a tensor of booleans are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_tensor_all_with(error_type, cond, message=None):
    """Raise an error of a type unless all elements of a tensor of booleans are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype.name != "bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all().item()), message)


def _assert(condition, message):
    """Raise AssertionError with ``message`` unless ``condition`` is true; a condition that is traced becomes a node.

    >>> import tensh as torch
    >>> torch._assert(1 < 2, "the order is wrong")
    """
    if type(condition) not in (bool, Tensor) and hasattr(type(condition), "__torch_function__"):
        return type(condition).__torch_function__(_assert, (type(condition),), (condition, message), {})
    if not condition:
        raise AssertionError(message)
    return None


_assert.__module__ = "torch"


def _assert_async(input, assert_msg="Expected Tensor with single nonzero value, but got zero"):
    """Raise RuntimeError if the only element of a tensor is zero.

    >>> import tensh as torch
    >>> torch._assert_async(torch.tensor([1.0]).all())
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"_assert_async(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if not bool(input):
        raise RuntimeError(assert_msg)


def _assert_scalar(self, assert_msg):
    """Raise RuntimeError with ``assert_msg`` if a number is zero."""
    if not self:
        raise RuntimeError(assert_msg)


def _assert_tensor_metadata(a, size=None, stride=None, dtype=None, *, device=None, layout=None):
    """Raise RuntimeError unless a tensor has these sizes, strides, dtype, device and layout, each if given."""
    found = {"sizes": list(a.shape), "strides": list(a.stride()), "device": a.device, "layout": a.layout}
    for name, wanted in (("sizes", size), ("strides", stride), ("device", device), ("layout", layout)):
        if wanted is not None and (list(wanted) if name in ("sizes", "strides") else wanted) != found[name]:
            raise RuntimeError(f"Tensor {name} mismatch! Expected: {wanted}, Got: {found[name]}")
    if dtype is not None and dtype != a.dtype:
        raise RuntimeError(f"Tensor dtype mismatch! Expected: {dtype.title}, Got: {a.dtype.spoken}")
