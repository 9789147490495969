"""torch._foreach_NAME: an operation on every tensor of a list, used by optimizers and libraries."""

import tensh as torch
from tensh.engine.arguments.signatures import complain_of_elements, type_name

UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt
    sigmoid sign sin sinh sqrt tan tanh trunc""".split()
BINARY = "add sub mul div pow clamp_min clamp_max maximum minimum".split()
TERNARY = "addcmul addcdiv lerp".split()
NAMES = {
    f"_foreach_{name}{end}": (name, end) for name in [*UNARY, *BINARY, *TERNARY] for end in ("", "_")
} | {f"_foreach_{name}_": (name, "_") for name in ("copy", "zero")} | {
    f"_foreach_{name}": (name, "") for name in ("clone", "max", "mm", "norm", "powsum")
}  # fmt: skip


def _rows(tensors, others):
    """Yield the other operands for each tensor: the items of a list, anything else repeated."""
    for each in others:
        if isinstance(each, (list, tuple)) and len(each) != len(tensors):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(each)}"
                if each and isinstance(each[0], torch.Tensor)
                else "Tensor list must have same number of elements as scalar list."
            )
    for place in range(len(tensors)):
        yield [each[place] if isinstance(each, (list, tuple)) else each for each in others]


def _sum_of_powers(t, ord=2, *, dtype=None):
    if not (t.is_floating_point() or t.is_complex()):
        raise NotImplementedError(f"\"powsum_cpu\" not implemented for '{t.dtype.title}'")
    return t.abs().pow(ord).sum(dtype=dtype)


def find(name):
    """Return the function ``torch._foreach_...``; None if there is none of that name."""
    if name not in NAMES:
        return None
    operation, end = NAMES[name]

    def compute(t, others, options):
        if operation == "norm":
            return torch.linalg.vector_norm(t, *others, **options)
        if operation == "powsum":
            return _sum_of_powers(t, *others, **options)
        if operation in ("addcmul", "addcdiv"):
            first, second, *value = others
            scale = value[0] if value else options.get("value", 1)
            return getattr(t, operation + end)(
                first, second, value=scale.item() if isinstance(scale, torch.Tensor) else scale
            )
        if operation == "pow" and not isinstance(t, torch.Tensor):
            return torch.pow(t, *others)
        if operation in ("maximum", "minimum") and not isinstance(others[0], torch.Tensor):
            others = [torch.as_tensor(others[0], dtype=t.dtype)]
        if end and not hasattr(t, operation + end):
            return t.copy_(getattr(torch, operation)(t, *others, **options))
        return getattr(t, operation + end)(*others, **options)

    def function(self, *others, **options):
        if operation == "pow" and not isinstance(self, (list, tuple)):  # a number to several powers
            return tuple(torch.pow(self, exponent) for exponent in others[0])
        if not isinstance(self, (list, tuple)):
            raise TypeError(f"{name}(): argument 'self' (position 1) must be tuple of Tensors, not {type_name(self)}")
        if not self:
            raise RuntimeError("Tensor list must have at least one tensor.")
        if complaint := complain_of_elements(self, 0):
            raise TypeError(complaint)
        lists = [
            options.pop(key)
            for key in ("other", "exponent", "mat2", "tensors1", "tensors2", "weights", "scalars")
            if key in options
        ]
        if operation == "mm" and len(self) != len([*others, *lists][0]):
            raise RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")
        found = [compute(t, row, options) for t, row in zip(self, _rows(self, [*others, *lists]))]
        return self if end else tuple(found)

    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = "torch", f"Compute ``{operation}`` of every tensor of a list."
    return function
