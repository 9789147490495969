"""Checks of the transforms, with PyTorch's messages."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import DIFFERENTIABLE


def select_argnums(args, argnums):
    """Return the argument indices of ``argnums``, an int or a tuple of ints."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = tuple(_check_number(n, len(args)) for n in (argnums if isinstance(argnums, tuple) else (argnums,)))
    if isinstance(argnums, tuple):
        if not numbers:
            raise RuntimeError("argnums must be non-empty")
        if len(set(numbers)) != len(numbers):
            raise RuntimeError(f"argnums elements must be unique, got {numbers}")
    return numbers


def _check_number(n, count):
    if not isinstance(n, int):
        raise RuntimeError(f"argnum must be int, got: {type(n)}")
    if -count <= n < count:
        return n % count
    raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")


def select_arguments(args, argnums, numbers):
    """Return the arguments to differentiate by: one or a tuple, as ``argnums``."""
    return tuple(args[n] for n in numbers) if isinstance(argnums, tuple) else args[numbers[0]]


def replace_arguments(args, numbers, new):
    """Return the arguments with those at the indices ``numbers`` replaced."""
    args = list(args)
    for n, each in zip(numbers, new, strict=True):
        args[n] = each
    return args


def output_and_aux(result, call):
    """Return the two parts of the result of a function with ``has_aux``; ``call`` names the transform in the message."""
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def only_tensors(leaves, call):
    """Raise unless a function returned tensors, and at least one."""
    if not leaves or leaves == [None]:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )


def some_tensors(leaves, call, what):
    """Raise unless ``leaves`` are tensors, and at least one."""
    if not leaves:
        raise RuntimeError(f"{call}: Expected {what} to contain at least one Tensor.")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{call}: Expected {what} to only contain Tensors, got {type(each)}")


def require_tangents(call, values, spec, directions, given):
    """Raise unless primals and tangents are tensors in the same structure."""
    if spec != given:
        raise RuntimeError(
            f"{call}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of "
            f"3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure {given}"
        )
    some_tensors(values, call, "primals")
    some_tensors(directions, call, "tangents")


def require_real(leaves, name, what):
    """Raise if one of ``leaves`` is a complex tensor."""
    for number, each in enumerate(leaves):
        if isinstance(each, Tensor) and each.array.dtype.kind == "c":
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )


def require_scalar(output, call):
    """Raise unless a differentiated function has returned a tensor without dimensions."""
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{call}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output.array.ndim:
        raise RuntimeError(
            f"{call}: Expected f(*args) to return a scalar Tensor, got tensor with {output.array.ndim} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )


def require_differentiable(tensors):
    """Raise for a result whose elements have no derivative."""
    for each in tensors:
        if each.array.dtype.kind not in DIFFERENTIABLE:
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{each.dtype}"
            )
