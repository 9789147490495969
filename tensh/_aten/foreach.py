"""torch._foreach_NAME: an operation on every tensor of a list, used by optimizers and libraries."""

from functools import cache

import tensh as torch
from tensh.engine.arguments.binding import forms
from tensh.engine.arguments.signatures import choose

UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt
    sigmoid sign sin sinh sqrt tan tanh trunc""".split()
LIST, SCALARS, SCALED = "tuple of Tensors", "tuple of Scalars", "*, Number alpha = 1"
NUMBERS = ("Number scalar", f"{SCALARS} scalars")
FACTORS = (f"{LIST} tensor1, {LIST} tensor2, {SCALARS} scalars", f"{LIST} tensor1, {LIST} tensor2, Tensor scalars",
           f"{LIST} tensor1, {LIST} tensor2, Number value = 1")  # fmt: skip
POWERS = ("Number exponent", f"{SCALARS} exponent", f"{LIST} exponent")
EITHER = {
    **dict.fromkeys(UNARY, ("",)),
    "add": (*NUMBERS, f"Tensor other, {SCALED}", f"{LIST} other, {SCALED}"),
    "sub": (*NUMBERS, f"{LIST} other, {SCALED}"),
    **dict.fromkeys(("mul", "div"), (NUMBERS[1], "Tensor other", f"{LIST} other", NUMBERS[0])),
    **dict.fromkeys(("clamp_min", "clamp_max", "maximum", "minimum"), (*NUMBERS, f"{LIST} other")),
    **dict.fromkeys(("addcmul", "addcdiv"), FACTORS),
    "lerp": (f"{LIST} tensors1, Number weight", f"{LIST} tensors1, {SCALARS} weight", f"{LIST} tensors1, {LIST} weights"),
    "pow": POWERS,
}  # fmt: skip
REDUCED = "Number ord = 2, torch.dtype dtype = None"
SIGNATURES = {
    **{f"_foreach_{name}{end}": texts for name, texts in EITHER.items() for end in ("", "_")},
    "_foreach_zero_": ("",), "_foreach_copy_": (f"{LIST} src, bool non_blocking = False",), "_foreach_clone": ("",),
    "_foreach_max": ("",), "_foreach_mm": (f"{LIST} mat2",), "_foreach_norm": (REDUCED,), "_foreach_powsum": (REDUCED,),
}  # fmt: skip
"""Function -> its signatures after the list of tensors, in PyTorch's order."""
SETTINGS = {"alpha", "value", "ord", "dtype", "non_blocking"}
"""Parameters that are the same for every tensor, even if they could be a list."""


@cache
def signatures(name):
    """Return the signatures of a function."""
    texts = [f"({LIST} self, {text})" if text else f"({LIST} self)" for text in SIGNATURES[name]]
    if name == "_foreach_pow":
        texts.insert(0, f"(Number self, {LIST} exponent)")
    return forms(name, *texts)


def rows(name, tensors, others):
    """Return the other operands for each tensor: the items of a list, anything else repeated."""
    for each in others:
        if not isinstance(each, (list, tuple)) or len(each) == len(tensors):
            continue
        if name == "_foreach_mm":
            raise RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")
        raise RuntimeError(
            f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(each)}"
            if each and isinstance(each[0], torch.Tensor)
            else "Tensor list must have same number of elements as scalar list."
        )
    return [[each[n] if isinstance(each, (list, tuple)) else each for each in others] for n in range(len(tensors))]


def numbers_in(scalars, count):
    """Return the numbers in a tensor that has one for each of ``count`` tensors."""
    if scalars.dim() != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {scalars.dim()} instead.")
    if len(scalars) != count:
        raise RuntimeError(
            f"Expected length of scalars to match input of length {count} but got {scalars.numel()} instead."
        )
    return scalars.tolist()


def factor_in(other):
    """Return a tensor without dimensions, which is an operand of every tensor."""
    if other.dim():
        size = f"{other.dim()} dimensions and {other.numel()} elements"
        raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {size}.")
    return other


BOUNDS = {"maximum": "clamp_min", "minimum": "clamp_max"}  # what PyTorch computes with numbers


def compute(operation, end, t, others, settings):
    """Compute an operation of one tensor and its operands."""
    if operation in ("addcmul", "addcdiv"):
        first, second, *scale = others
        return getattr(t, operation + end)(first, second, value=scale[0] if scale else settings["value"])
    if operation in BOUNDS and not isinstance(others[0], torch.Tensor):
        operation = BOUNDS[operation]
    if operation == "max" and not t.numel():
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    if operation == "norm":
        return torch.linalg.vector_norm(t, **settings)
    if operation == "powsum":
        if not (t.is_floating_point() or t.is_complex()):
            raise NotImplementedError(f"\"powsum_cpu\" not implemented for '{t.dtype.title}'")
        return t.abs().pow(settings["ord"]).sum(dtype=settings["dtype"])
    if end and not hasattr(t, operation + end):
        return t.copy_(getattr(torch, operation)(t, *others, **settings))
    return getattr(t, operation + end)(*others, **settings)


def find(name):
    """Return the function ``torch._foreach_...``; None if there is none of that name."""
    if name not in SIGNATURES:
        return None
    end = "_" if name.endswith("_") else ""
    operation = name.removeprefix("_foreach_").removesuffix("_")

    def function(*args, **options):
        values = choose(name, signatures(name), args, options)[1]
        tensors = values.pop("self")
        if not isinstance(tensors, (list, tuple)):  # a number to several powers
            return tuple(torch.pow(tensors, exponent) for exponent in values["exponent"])
        if not tensors:
            raise RuntimeError("Tensor list must have at least one tensor.")
        if isinstance(values.get("scalars"), torch.Tensor):
            values["scalars"] = numbers_in(values["scalars"], len(tensors))
        if isinstance(values.get("other"), torch.Tensor):
            factor_in(values["other"])
        settings = {key: values.pop(key) for key in SETTINGS & values.keys()}
        found = [
            compute(operation, end, t, row, settings)
            for t, row in zip(tensors, rows(name, tensors, values.values()), strict=True)
        ]
        return tensors if end else tuple(found)

    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = "torch", f"Compute ``{operation}`` of every tensor of a list."
    return function
