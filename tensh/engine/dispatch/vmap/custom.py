"""Custom functions on batches: by their own rule, or by one derived from forward and backward."""

from typing import NamedTuple

from tensh.engine.autograd.custom import Function
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import BatchedTensor, enter, expand_batches, make_batched
from tensh.engine.dispatch.vmap.levels import running
from tensh.engine.dispatch.vmap.rules.shared import levels_of, sizes_of
from tensh.engine.operators.shapes.views import permute

MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """The metadata of the call that a rule receives: the number of samples and the randomness."""

    batch_size: int
    randomness: str


def apply_custom(cls, args):
    """Compute ``cls.apply(*args)`` if some of the arguments are batched."""
    cls.require_separate()
    own, generated = cls.vmap is not Function.vmap, cls.generate_vmap_rule
    if own and generated:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. "
            + MORE
        )
    if own:
        return call_own_rule(cls, args)
    if not generated:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the "
            f"vmap staticmethod or set generate_vmap_rule=True. {MORE}"
        )
    return call_by_values(cls, args)


# ── the user's rule ──────────────────────────────────────────────────────────
def call_own_rule(cls, args):
    """Call ``cls.vmap`` outside of the innermost call that the arguments vary with."""
    number = max(levels_of(args))
    level, before = running.levels[number - 1], running.levels
    given = [make_batched(a.value, a.levels[:-1]) if varies(a, number) else a for a in args]
    in_dims = tuple([0 if varies(a, number) else None for a in args])
    running.levels = before[: number - 1]
    try:
        result, out_dims = cls.vmap(VmapInfo(level.size, level.randomness), in_dims, *given)
    finally:
        running.levels = before
    if not isinstance(result, (tuple, list)):
        return restore_batch(result, out_dims, number)
    dims = out_dims if isinstance(out_dims, (tuple, list)) else [out_dims] * len(result)
    return type(result)([restore_batch(t, dim, number) for t, dim in zip(result, dims, strict=True)])


def varies(t, number):
    """Return True if ``t`` varies with the call of this number."""
    return type(t) is BatchedTensor and number in t.levels


def restore_batch(t, dim, number):
    """Return a result of the rule as the function sees it."""
    return t if dim is None or not isinstance(t, Tensor) else enter(t, dim % t.ndim, number)


# ── the generated rule ───────────────────────────────────────────────────────
def call_by_values(cls, args):
    """Apply a function of the values, which calls the user's forward, backward and jvp on batches."""
    levels, sizes = levels_of(args), sizes_of(args)
    own = [a.levels if type(a) is BatchedTensor else () for a in args]
    shapes = [a.array.shape if isinstance(a, Tensor) else None for a in args]

    def wrap_values(values, which):
        return [make_batched(v, each) if isinstance(v, Tensor) else v for v, each in zip(values, which, strict=True)]

    def value_of(t):
        return expand_batches(t, levels, sizes) if isinstance(t, Tensor) else t

    class OfValues(Function):
        """The function of the values."""

        @staticmethod
        def forward(*values):
            result = cls.forward(*wrap_values(values, own))
            return tuple(map(value_of, result)) if isinstance(result, tuple) else value_of(result)

        @staticmethod
        def setup_context(ctx, inputs, output):
            outputs = output if isinstance(output, tuple) else (output,)
            outputs = wrap_values(outputs, [levels] * len(outputs))
            cls.setup_context(
                Context(ctx),
                tuple(wrap_values(inputs, own)),
                tuple(outputs) if isinstance(output, tuple) else outputs[0],
            )

        @staticmethod
        def backward(ctx, *gradients):
            given = [None if g is None else make_batched(g, levels) for g in gradients]
            result = cls.derivative()(Context(ctx), *given)
            result = result if isinstance(result, tuple) else (result,)
            return tuple(
                [reduce_gradient(g, *each, levels, sizes) for g, *each in zip(result, own, shapes, strict=True)]
            )

        @staticmethod
        def jvp(ctx, *tangents):
            given = [t if t is None else enter_levels(t, each) for t, each in zip(tangents, own, strict=True)]
            result = cls.jvp(ForwardContext(ctx), *given)
            result = result if isinstance(result, tuple) else (result,)
            return tuple([t if t is None else leave_levels(t, levels) for t in result])

    OfValues.__name__ = OfValues.__qualname__ = f"Vmapped{cls.__name__}"
    result = OfValues.apply(*[a.value if type(a) is BatchedTensor else a for a in args])
    if isinstance(result, tuple):
        return tuple([make_batched(t, levels) if isinstance(t, Tensor) else t for t in result])
    return make_batched(result, levels)


def enter_levels(t, levels):
    """Return the tangent of a value, whose first dimensions are the batches of ``levels``, as the user's method sees it."""
    value, around = (t.value, t.levels) if type(t) is BatchedTensor else (t, ())
    have = (*around, *levels)
    return make_batched(order_batches(value, have, sorted(have)), tuple(sorted(have)))


def leave_levels(t, levels):
    """Return a tangent that the user's method computed as that of the value."""
    have = tuple(sorted({*levels_of((t,)), *levels}))
    around = tuple([each for each in have if each not in levels])
    value = expand_batches(t, have, {each.number: each.size for each in running.levels})
    return make_batched(order_batches(value, have, (*around, *levels)), around)


def order_batches(value, have, wanted):
    """Return a value with the batches of ``have`` in another order."""
    order = [have.index(each) for each in wanted]
    return value if order == sorted(order) else permute.fn(value, (*order, *range(len(order), value.array.ndim)))


def reduce_gradient(g, own, shape, levels, sizes):
    """Sum the gradient of a value over the levels that its argument does not vary with, and to the shape of a sample."""
    if g is None:
        return None
    value = expand_batches(g if g.array.shape == shape else g.sum_to_size(shape), levels, sizes)
    extra = [place for place, each in enumerate(levels) if each not in own]
    return value.sum(extra) if extra else value


class Context:
    """The ``ctx`` of the user's methods, which saves the values of batched tensors."""

    def __init__(self, node):
        object.__setattr__(self, "node", node)

    def save_for_backward(self, *tensors):
        self.node.levels_saved = [t.levels if type(t) is BatchedTensor else None for t in tensors]
        self.node.save_for_backward(*[t.value if type(t) is BatchedTensor else t for t in tensors])

    @property
    def saved_tensors(self):
        return tuple(
            [
                t if each is None else make_batched(t, each)
                for t, each in zip(self.node.saved_tensors, self.node.levels_saved)
            ]
        )

    def mark_dirty(self, *tensors):
        self.node.mark_dirty(*[t.value if type(t) is BatchedTensor else t for t in tensors])

    def mark_non_differentiable(self, *tensors):
        self.node.mark_non_differentiable(*[t.value if type(t) is BatchedTensor else t for t in tensors])

    def __getattr__(self, name):
        return getattr(self.node, name)

    def __setattr__(self, name, value):
        setattr(self.node, name, value)


class ForwardContext(Context):
    """The ``ctx`` of the user's ``jvp``, which has the batched tensors as they were saved."""

    saved_tensors = property(lambda self: self.node.saved_tensors)
