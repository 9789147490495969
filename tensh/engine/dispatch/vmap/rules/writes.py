"""Writes, ``x.op_(...)`` and ``x[...] = value``, into the memory of the value, which must vary with every argument."""

import math

import numpy as np

from tensh.engine.codegen.public_forms import function
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor, make_batched
from tensh.engine.dispatch.vmap.loop import call_by_samples, find_levels, leaves
from tensh.engine.dispatch.vmap.rules.elementwise import promote
from tensh.engine.dispatch.vmap.rules.indexing import put as index_put
from tensh.engine.dispatch.vmap.rules.shared import expand_all, fit_value, levels_of, ndim_of, reshape_value
from tensh.engine.dispatch.vmap.rules.views import batch_of
from tensh.engine.errors.messages import broadcast_clash, does_not_fit
from tensh.engine.inplace.writes import begin_write, write_inplace
from tensh.engine.operators.indexing.composites.assignment import copy_into, drop_leading_ones, number_for
from tensh.engine.operators.indexing.composites.indexing import take_view
from tensh.engine.operators.indexing.scatter import index_put as index_put_op
from tensh.engine.operators.layers.composites.activation import INPLACE_FORMS
from tensh.engine.operators.layers.composites.embedding import embedding_renorm_
from tensh.engine.operators.shapes.views import slice_dim, unsqueeze

ARITHMETIC = frozenset(
    "sub_ mul_ div_ copy_ clamp_min_ clamp_max_ logical_and_ logical_or_ logical_xor_ masked_fill_ setitem".split()
)
OWN = frozenset("index_add_ index_put_ index_fill_ scatter_add_ fill_".split())
SPOKEN = {
    f"{function}_{kind}_": f"{function}_"
    for function in ("scatter", "index_fill")
    for kind in ("src", "number", "tensor")
}
"""Operators for some kinds of arguments -> the function that a program calls."""
RESHAPING = frozenset("t_ transpose_ swapaxes_ swapdims_ squeeze_ unsqueeze_ as_strided_".split())
SHAPES = frozenset("add_ atan2_ copysign_ bitwise_and_ bitwise_or_ bitwise_xor_".split())
"""Functions by PyTorch's errors for writing a larger value: in general words, with the function's name, or with shapes.

For all other functions PyTorch reports a missing rule.
"""


def write_rule(name):
    """Return the rule of the in-place form of an operator."""
    op = OPS[name[:-1]]
    return elementwise(op, name) if op.pointwise else compute_and_write(name, op.fn)


def method_write_rule(name):
    """Return the rule of the in-place form of a composite."""
    base = name[:-1]
    fn = METHODS.get(base) or PUBLIC.get(base)
    if fn is None:
        return lambda self, *args, **options: write_samples(name, self, args, options)
    return compute_and_write(name, function(fn))


def compute_and_write(name, fn):
    """Return a rule that computes a value and writes it."""

    def rule(self, *args, **options):
        require_levels(self, (args, options), name)
        since = begin_write(self.value)
        try:
            result = fn(self, *args, **options)
        except Lift:
            result = ports.batched_function(name[:-1], fn, (self, *args), options)
        if name in RESHAPING:
            self.value, self.levels = result.value, result.levels
            return self
        return write_result(self, since, result, name)

    return rule


def write_result(self, since, result, name):
    """Write what an operation computed after ``since``: its nodes become those of the write."""
    value = result.value if type(result) is BatchedTensor and result.levels == self.levels else result
    if type(value) is not Tensor or value.array.shape != self.value.array.shape:
        return copy(self, result)
    if value.node is None or value.node.time <= since:
        return copy(self, result)
    write_inplace(self.value, since, value, name)
    return self


def write_samples(name, self, args, options):
    """Write sample by sample, each through a view of the memory."""
    require_levels(self, (args, options), name)
    call_by_samples(function(METHODS[name]), (self, *args), options)
    return self


def require_levels(self, others, name):
    """Raise PyTorch's error if a written value varies with a level that ``self`` lacks."""
    missing = set(find_levels(others)[0]) - set(self.levels if type(self) is BatchedTensor else ())
    if not missing:
        return
    name = called_by_program(name.replace("_written_", "_"))
    if name in SHAPES:
        other = find_batched(others)
        shapes = self.array.shape, other.value.array.shape
        raise RuntimeError(broadcast_clash(shapes) or does_not_fit(shapes[0], np.broadcast_shapes(*shapes)))
    if name in ARITHMETIC or name in OWN:
        raise RuntimeError(errors.SMALLER.format(name if name in OWN else "inplace arithmetic"))
    raise RuntimeError(errors.SMALLER_IN_FALLBACK.format(name, max(missing)))


def called_by_program(name):
    """Return the name of the function that a program calls, for an in-place form that may handle one keyword of it."""
    variants = (op for op in OPS.values() if any(f"{other}_" == name for _, other in op.keyword_variants.values()))
    return SPOKEN.get(name) or next((f"{op.name}_" for op in variants), name)


def require_dims(self, others, name):
    """Raise PyTorch's error if a written value without hidden dimensions has more dimensions than a sample of ``self``."""
    own = self.array.shape
    for t in others:
        if not isinstance(t, Tensor) or type(t) is BatchedTensor or t.array.ndim <= len(own):
            continue
        padded = name in ARITHMETIC | OWN | SHAPES
        shape = (*batch_of(self), *(1,) * (t.array.ndim - len(own)), *own) if padded else own
        if (clash := broadcast_clash((shape, t.array.shape))) is not None:
            raise RuntimeError(clash)
        whole = np.broadcast_shapes(shape, t.array.shape)
        if whole != shape:
            raise RuntimeError(does_not_fit(shape, whole))


def find_batched(values):
    """Return the first batched tensor among nested ``values``."""
    return next(t for t in leaves(values) if type(t) is BatchedTensor)


def elementwise(op, name):
    """Return the rule of the in-place form of an operator whose tensors are broadcast."""
    fn = op.inplace_fn

    def rule(self, *args, **options):
        if type(self) is not BatchedTensor or levels_of((self, *args)) != self.levels:
            require_levels(self, args, name)
        require_dims(self, args, name)
        levels, ndim = self.levels, ndim_of(self)
        values = [self.value, *[fit_value(t, levels, ndim) if type(t) is BatchedTensor else t for t in args]]
        if len(args) == 1 and isinstance(args[0], Tensor):
            kept = list(values)
            promote(kept, (self, *args))
            values[1] = kept[1] if kept[0] is values[0] else values[1]
        fn(*values, **options)
        return self

    return rule


def write_each(fn):
    """Return the rule of a function that writes every element by itself: it sees all samples at once."""

    def rule(self, *args, **options):
        fn(self.value, *args, **options)
        return self

    return rule


ACTIVATIONS = {fn.__name__: write_each(fn) for fn in INPLACE_FORMS}


def copy(self, other, non_blocking=False):
    """Compute ``self.copy_(other)``."""
    require_levels(self, (other,), "copy_")
    require_dims(self, (other,), "copy_")
    value = fit_value(other, self.levels, ndim_of(self)) if type(other) is BatchedTensor else other
    self.value.copy_(value)
    return self


def fill(self, value):
    """Compute ``self.fill_(value)``."""
    require_levels(self, (value,), "fill_")
    if type(value) is BatchedTensor:
        return copy(self, value)
    self.value.fill_(value)
    return self


def zero(self):
    """Compute ``self.zero_()``."""
    self.value.zero_()
    return self


def assign(self, index, value):
    """Compute ``self[index] = value``."""
    by_tensors = any(isinstance(part, Tensor) for part in leaves(index))
    require_levels(self, (index, value), "index_put_" if by_tensors else "setitem")
    if not isinstance(value, Tensor):
        value = number_for(self.array.dtype, value)
    if index is False:
        return None
    if index is ... or index is True:
        return copy_into(self if index is ... else unsqueeze.fn(self, 0), value)
    view, indices = take_view(self, index, writing=True)
    if not indices:
        return copy_into(view, value)
    if value.array.ndim:
        value = drop_leading_ones(value)
    copy(view, index_put_op.fn(view, indices, value))
    return None


def resize(self, *size, memory_format=None):
    """Compute ``self.resize_(...)``, without adding elements."""
    shape, batch = size[0] if len(size) == 1 and not isinstance(size[0], int) else size, batch_of(self)
    rows = reshape_value(self.value, (*batch, self.array.size))
    self.value = reshape_value(slice_dim.fn(rows, len(batch), 0, math.prod(shape), 1), (*batch, *shape))
    return self


def resize_as(self, the_template, *, memory_format=None):
    """Compute ``self.resize_as_(...)``, without adding elements."""
    require_levels(self, (the_template,), "resize_as_")
    return resize(self, the_template.array.shape)


def put(self, indices, values, accumulate=False):
    """Compute ``self.index_put_(...)``."""
    require_levels(self, (indices, values), "index_put_")
    return copy(self, index_put(self, indices, values, accumulate))


def renormalize(weight, indices, max_norm, norm_type):
    """Compute ``embedding_renorm_``, sample by sample, since each has its own rows to scale."""
    require_levels(weight, (indices,), "embedding_renorm_")
    (tables, places), _, batch = expand_all([weight, indices])
    for sample in np.ndindex(batch):
        embedding_renorm_(tables[sample], places[sample], max_norm, norm_type)
    return weight


def detach(self):
    """Compute ``self.detach()``."""
    return make_batched(self.value.detach(), self.levels)
