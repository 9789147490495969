"""torch.utils.flop_counter: floating point operations of matrix products and convolutions, counted by module."""

from collections import defaultdict
from functools import wraps
from math import prod

from tensh import ops
from tensh.engine.core.tensor import Tensor
from tensh.utils._python_dispatch import TorchDispatchMode
from tensh.utils._pytree import tree_map
from tensh.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

aten = ops.aten
flop_registry = {}
"""Operator -> function of the shapes of its arguments, and of ``out_shape``, that counts."""
SUFFIXES = ["", "K", "M", "B", "T"]


def shape_wrapper(formula):
    """``formula``, called with shapes in place of tensors."""

    @wraps(formula)
    def count_call(*args, out_val=None, **kwargs):
        args, kwargs, shape = tree_map(lambda t: t.shape if isinstance(t, Tensor) else t, (args, kwargs, out_val))
        return formula(*args, out_shape=shape, **kwargs)

    return count_call


def register_flop_formula(targets, get_raw=False):
    """Decorate a function that counts the operations of an operator, ``torch.ops.SPACE.NAME``, or of several.

    It is called with the shapes of the arguments and ``out_shape``; with ``get_raw`` with the tensors and ``out_val``.
    """

    def register(formula):
        counted = formula if get_raw else shape_wrapper(formula)
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            if not hasattr(target, "overloads") and not hasattr(target, "_name"):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. torch.ops.mylib.foo), "
                    f"JitFunction, or HigherOrderOperator, got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = counted
        return counted

    return register


@register_flop_formula(aten.mm)
def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs):
    """Count of a product of matrices."""
    return 2 * prod(a_shape) * b_shape[-1]


@register_flop_formula(aten.addmm)
def addmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs):
    """Count of a product of matrices to which a matrix is added: that of the product."""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape, b_shape, out_shape=None, **kwargs):
    """Count of a batch of products."""
    return 2 * prod(a_shape) * b_shape[-1]


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs):
    """Count of a batch of products to which a batch is added."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape, w_shape, out_shape, transposed=False):
    """Count of a convolution: each place of the result (of the input, if transposed) meets the kernel once."""
    places = x_shape if transposed else out_shape
    return 2 * x_shape[0] * prod(places[2:]) * prod(w_shape)


@register_flop_formula(aten.convolution)
def conv_flop(x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, *args, out_shape=None, **kwargs):
    """Count of a convolution."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@register_flop_formula(aten.convolution_backward)
def conv_backward_flop(
    grad_out_shape, x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, _output_padding, _groups, output_mask, out_shape=None
):  # fmt: skip
    """Count the derivative of a convolution: for the input a transposed convolution, for the weight a convolution of both."""
    flops = 0
    if output_mask[0]:
        flops += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        small, large = (x_shape, grad_out_shape) if transposed else (grad_out_shape, x_shape)
        flops += 2 * large[1] * prod(w_shape[2:]) * prod(small)
    return flops


class FlopCounterMode:
    """Count the floating point operations of what runs in this context, of backward passes too, and print a table.

    Products of matrices and convolutions count; ``custom_mapping`` (operator -> function) adds others.

    >>> import tensh as torch
    >>> from tensh.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> counter.get_total_flops()
    48
    """

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        self.depth, self.display, self.mode = depth, display, None
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        own = {op: f if getattr(f, "_get_raw", False) else shape_wrapper(f) for op, f in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self):
        """Return the sum of all counts."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """Module -> operator -> count."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def __enter__(self):
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = CountingMode(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *error):
        self.mode.__exit__(*error)
        self.mode = None
        self.mod_tracker.__exit__(*error)
        if self.display:
            print(self.get_table(self.depth))

    def count(self, packet, out, args, kwargs):
        """Add the operations of a call."""
        formula = self.flop_registry.get(packet)
        if formula is None:
            return
        flops = formula(*args, **kwargs, out_val=out)
        for name in set(self.mod_tracker.parents):
            self.flop_counts[name][packet] += flops

    def get_table(self, depth=None):
        """Return the counts of modules down to a depth, as text."""
        depth, total = depth or self.depth or 999999, self.get_total_flops()
        unit = max(0, min(len(SUFFIXES) - 1, (len(str(total)) - 2) // 3))
        rows, subsumed = [], False

        def row(label, flops):
            return [label, f"{flops / 1000**unit:.3f}{SUFFIXES[unit]}", f"{flops / total:.2%}" if total else "0%"]

        def make_rows(name, level):
            counts, margin = self.flop_counts[name], " " * level
            own = [row(margin + name, sum(counts.values()))]
            return own + [row(f"{margin} - {packet}", flops) for packet, flops in counts.items()]

        for name in sorted(self.flop_counts):
            level = name.count(".")
            if name != "Global" and level < depth:
                subsumed |= sum(self.flop_counts[name].values()) >= total
                rows += make_rows(name, level)
        if "Global" in self.flop_counts and not subsumed:
            rows = make_rows("Global", 0) + [[" " + label, *rest] for label, *rest in rows]
        return table(["Module", "FLOP", "% Total"], rows or [["Global", "0", "0%"]])


def table(header, rows):
    """Rows below a header, the first column to the left; a column is wider than its name by two."""
    widths = [max(len(name) + 2, *[len(row[i]) for row in rows]) for i, name in enumerate(header)]

    def line(row):
        return "  ".join(each.rjust(w) if i else each.ljust(w) for i, (each, w) in enumerate(zip(row, widths)))

    return "\n".join([line(header), "  ".join("-" * w for w in widths), *map(line, rows)])


class CountingMode(TorchDispatchMode):
    """The mode that counts for a FlopCounterMode."""

    def __init__(self, counter):
        self.counter = counter

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.counter.count(func.overloadpacket, out, args, kwargs or {})
        return out
