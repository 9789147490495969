"""The steps of which graphs for back ends compose transforms: levels, and tensors that enter and leave them.

Levels are numbered from 1 for the outermost, whatever their kind. See Note [Transforms in steps].
"""

import threading
from contextlib import ExitStack

from tensh.engine.autograd import tangent_levels
from tensh.engine.autograd.transforms import Call
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.vmap.batched import BatchedTensor, enter, leave, make_batched, value_of
from tensh.engine.dispatch.vmap.levels import Level, level
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.inplace.outside import differentiating
from tensh.func.forward import dual, fill_tangent, parts
from tensh.func.reverse import compute_gradients
from tensh.func.tape import Tape, find_inside, reaches, share, show_outside
from tensh.func.vmap import transform
from tensh.switched_off.answers import PRIMITIVES


class Opened(threading.local):
    """The levels that are open in this thread, outermost first, and the results that they hold on to."""

    def __init__(self):
        self.levels = []


opened = Opened()


class Layer:
    """An open level: its contexts, and the call of ``vmap``, the tape or the tangents that they keep."""

    def __init__(self):
        self.contexts, self.batch, self.tape, self.tangents = ExitStack(), None, None, None

    def close(self):
        self.contexts.close()


def open_layer():
    """Add a level; return it."""
    opened.levels.append(Layer())
    return opened.levels[-1]


def close_layer():
    """Close the innermost level; return its number."""
    number = len(opened.levels)
    opened.levels.pop().close()
    return number


def close_above(depth):
    """Close levels that a graph has left open because it failed."""
    while len(opened.levels) > depth:
        close_layer()


# ── vmap ─────────────────────────────────────────────────────────────────────
def lazy_load_decompositions():
    """Do nothing: rules are found when they are needed."""


def _vmap_increment_nesting(batch_size, randomness):
    """Open a level of ``vmap``; return its number."""
    layer = open_layer()
    layer.contexts.enter_context(transform())
    layer.batch = layer.contexts.enter_context(level(batch_size, randomness))
    return len(opened.levels)


def _vmap_decrement_nesting():
    """Close a level of ``vmap``; return its number."""
    return close_layer()


def _add_batch_dim(input, batch_dim, level):
    """Return a tensor whose dimension ``batch_dim`` is the batch of a level."""
    return enter(input, batch_dim % input.ndim, opened.levels[level - 1].batch.number)


def _remove_batch_dim(input, level, batch_size, out_dim):
    """Return a tensor that shows the batch of a level as dimension ``out_dim``."""
    number = opened.levels[level - 1].batch.number
    return leave(input, out_dim % (input.ndim + 1), Level(number, batch_size, ""))


# ── reverse ──────────────────────────────────────────────────────────────────
def _saved_tensors_hooks_disable(error_message, fail_if_non_empty=True):
    """Do nothing: a tape refuses hooks itself."""


def _saved_tensors_hooks_enable():
    """Do nothing."""


def set_inplace_requires_grad_allowed(allowed):
    """Do nothing: ``_set_tensor_requires_grad`` is always allowed."""


def _grad_increment_nesting():
    """Open a level of derivatives; return its number."""
    layer, recording = open_layer(), mode.grad
    layer.tape = layer.contexts.enter_context(Tape())
    mode.grad = recording  # the graph switches it on itself
    return len(opened.levels)


def _grad_decrement_nesting():
    """Close a level of derivatives; return its number."""
    return close_layer()


def _wrap_for_grad(input, level):
    """Return another tensor for the same values and history."""
    if opened.levels[level - 1].tape is None or input.array.dtype.kind not in DIFFERENTIABLE:
        return alias(input)
    value, levels = find_inside(input)
    return make_batched(share(value, refresh_node(value)), levels)


def _set_tensor_requires_grad(input):
    """Make a wrapped tensor a leaf of the innermost level of derivatives, whose history is that of the level around."""
    tape = next(each.tape for each in reversed(opened.levels) if each.tape is not None)
    leaf, value = value_of(tape.leaf(input)), value_of(input)
    value.node = leaf.node
    return alias(input)


def alias(t):
    """Return another tensor with the same array and node."""
    value = value_of(t)
    made = share(value, refresh_node(value))
    return make_batched(made, t.levels) if type(t) is BatchedTensor else made


def _autograd_grad(outputs, inputs, grad_outputs=None, retain_graph=False, create_graph=True):
    """Return the gradients of the outputs by the inputs, with the history that the levels around need."""
    roots = [value_of(t).node for t in (*outputs, *(grad_outputs or ())) if isinstance(t, Tensor)]
    graph = bool(create_graph) and mode.grad is not False and reaches(roots)
    found = compute_gradients(list(outputs), list(inputs), grad_outputs, True, graph)
    return tuple(show_outside(g, graph) for g in found)


def _unwrap_for_grad(input, level):
    """Return a result of a level as it is seen outside."""
    layer = opened.levels[level - 1]
    if layer.tape is None:
        made = show_outside(parts(input, layer.tangents)[0], True)
    else:
        made = layer.tape.export_result(input)
    return alias(made) if made is input else made


# ── forward ──────────────────────────────────────────────────────────────────
def _jvp_increment_nesting():
    """Open a level of tangents; return its number."""
    layer = open_layer()
    before = mode.grad, mode.inference, mode.forward, mode.transforms
    layer.contexts.callback(restore_modes, before)
    mode.inference, mode.forward = False, True
    layer.tangents = layer.contexts.enter_context(tangent_levels.opened_level())
    call = Call(layer.tangents)
    mode.transforms = (*mode.transforms, call)
    differentiating.append(call)
    layer.contexts.callback(differentiating.remove, call)
    return len(opened.levels)


def restore_modes(before):
    """Restore the modes from before a level of tangents."""
    mode.grad, mode.inference, mode.forward, mode.transforms = before


def _jvp_decrement_nesting():
    """Close a level of tangents; return its number."""
    return close_layer()


def _set_fwd_grad_enabled(enabled):
    """Do nothing: tangents are always carried inside."""


def _enter_dual_level():
    """Do nothing: a level of tangents is open already; return PyTorch's number of the only one."""
    return 0


def _exit_dual_level(*, level):
    """Do nothing."""


def innermost_tangents():
    """Return the innermost level of tangents."""
    return next(each.tangents for each in reversed(opened.levels) if each.tangents is not None)


def _make_dual(tensor, tangent, *, level=0):
    """Return a tensor with a tangent of the innermost level."""
    return dual(tensor, tangent, innermost_tangents())


def _unpack_dual(tensor, *, level=0):
    """Return (the values of a tensor, its tangent, which is zero if it has none)."""
    value, tangent = parts(tensor, innermost_tangents())
    return (alias(value) if value is tensor else value), fill_tangent(value, tangent, False)


# ── names ────────────────────────────────────────────────────────────────────
for _space, _names in PRIMITIVES.items():
    for _name in _names.split():
        globals()[_name].__module__ = f"torch.{_space}"
