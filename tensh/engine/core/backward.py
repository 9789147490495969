"""The backward pass: newest node first, so that every gradient is complete before its node runs.

``run`` is one loop with three meanings: on raw arrays (``graph=False``), on tensors that record (``graph=True``), or on
tensors that carry tangents and are not recorded (``graph=FORWARD``).
Pending gradients belong to the run, never to a node: nested and failed passes leave nothing behind.
"""

from heapq import heappop, heappush
from sys import getrecursionlimit, getrefcount, setrecursionlimit

import numpy as np

from tensh.engine.arrays.memory import lay_out_like, row_major
from tensh.engine.arrays.whole import dense_first, take_value
from tensh.engine.codegen.vocabulary import ARRAYS, on_tensors
from tensh.engine.core.clock import FORWARD, clock, mode, stamp_write
from tensh.engine.core.hooks import require_gradient, require_gradients, require_nothing
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import UNDEFINED, AccumulateGrad, Output, Parts
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.errors.messages import Misfit, expandable, invalid_gradient, second_time

FRAMES = 100
"""Extra depth of Python's recursion limit for each pass within a pass: thousands may be nested, as in PyTorch."""


def run(grads, graph, keep, wanted=None, record=None, through=False):
    """Send ``grads`` (node -> gradient) through the graph.

    ``wanted`` (node -> None), where given, receives the gradients that arrive at its nodes, and nothing accumulates.
    ``through`` runs these nodes, too, as ``backward`` does: their hooks are called, and their saved values released.
    ``keep`` retains the saved values.  ``record`` overrides whether a run on tensors is recorded.
    """
    queue = sorted((-node.time, node) for node in grads if type(node) is not AccumulateGrad)
    only = None if wanted is None else find_needed_nodes(wanted, grads, through)
    watch = graph and mode.watch and mode.watch(grads, graph, wanted)
    inspect, add = mode.inspect, on_tensors("add") if graph else np.add
    before, outer = mode.grad, mode.running
    frames = None if outer is None else getrecursionlimit()  # only a pass within a pass raises the limit
    try:
        mode.running, mode.grad = (queue, grads, wanted, only), graph if record is None else record
        if frames is not None:
            setrecursionlimit(frames + FRAMES)
        while queue:
            node = heappop(queue)[1]
            g = grads.pop(node)
            if node.hooks is not None:
                if only is not None and node not in only and node not in wanted:
                    continue
                if only is not None and node in only and node in wanted:
                    wanted[node] = None if g is UNDEFINED else g  # as in PyTorch, hooks change only what goes further
                g = call_pre_hooks(node, g, graph, only is None or node in only)
            if (derived := node if only is None else begin(node, g, wanted, only, watch)) is None:
                continue
            if node.saved is None:
                raise RuntimeError(second_time)
            if node.time < clock.last_write:
                node.check()
            if g is UNDEFINED:
                gs = node.backward_undefined(graph)
            else:
                gs = derived.backward(g) if not graph else watch.derive(node, g) if watch else derived.backward_graph(g)
            if node.hooks is not None or inspect is not None:
                gs = call_post_hooks(node, g, gs, graph)
            if not keep and node.keeps_arrays:
                node.release()
            for n, gi in zip(node.inputs, gs):
                if n is None:
                    continue
                if gi is None:
                    gi = UNDEFINED
                if n in grads:
                    grads[n] = merge(grads[n], gi, n, graph, add)
                    continue
                if type(n) is not AccumulateGrad:
                    heappush(queue, (-n.time, n))
                    if graph or gi.shape != n.shape or gi.dtype is not n.dtype:
                        gi = take_first(gi, g, n, graph)
                else:
                    gi = take_first(gi, g, n, graph)
                    if wanted is None and not graph and type(gi) is not Parts and (gi is g or gi.base is not None):
                        if len(gs) == 1 and gi is not g:
                            g = None  # drop the array under the view ``gi``, so that ``owned`` need not copy
                        gi = row_major(gi) if gi is g else own_gradient(gi, gs)
                grads[n] = gi
        node = None
        finish(grads, graph, wanted)  # only gradients of leaves are left
    except Exception as failure:
        if inspect is not None and node is not None:
            inspect(node, None)
        if type(failure) is not Misfit:
            raise
        raise invalid_gradient(node.name(), node.inputs.index(n), *failure.args) from None
    finally:
        mode.grad, mode.running = before, outer
        if frames is not None:
            setrecursionlimit(frames)


def finish(grads, graph, wanted):
    """Hand the leaves their gradients: into ``wanted`` if there is one, else into ``.grad``."""
    for leaf, g in grads.items():
        if leaf.hooks is not None and (wanted is None or leaf in wanted):
            g = call_pre_hooks(leaf, g, graph, wanted is None)
        if wanted is None:
            accumulate(leaf, g, graph)
        elif leaf in wanted:
            wanted[leaf] = None if g is UNDEFINED else g


def begin(node, g, wanted, only, watch):
    """Store the gradient of a wanted node; return what computes the needed ones: None, the node, or a twin."""
    if node in wanted and wanted[node] is None:
        wanted[node] = None if g is UNDEFINED else g
    return None if node not in only else node if watch or not node.limit_to else node.limit_to(only, wanted)


def take_first(gi, g, n, graph):
    """Take the first gradient that arrives at ``n``, in the shape and dtype of the node's output."""
    if type(gi) is Parts:
        return gi
    a = gi.array if graph else gi
    return gi if a.shape == n.shape and a.dtype is n.dtype else fit(gi, n, graph)


def own_gradient(g, gs):
    """Return the gradient ``g``, a view, in memory that ``.grad`` may own: a copy, unless no other array shares it.

    The transpose of a product made for this gradient alone is not copied.  ``gs`` are all gradients of the node.
    """
    if type(g.base) is not np.ndarray or g.base.size != g.size or not g.flags.c_contiguous or not g.flags.writeable:
        return row_major(g)
    alone = [each is g for each in gs].count(True) < 2 and getrefcount(g.base) == 2  # the view and this call
    return g if alone else row_major(g)


def merge(sofar, gi, n, graph, add):
    """Add one more gradient to those that arrived at ``n``, output by output if it has several."""
    if type(gi) is not Parts:
        if sofar is UNDEFINED:
            return take_first(on_tensors("copy_gradient")(gi) if graph else gi.copy(), gi, n, graph)
        a = gi.array if graph else gi
        return add(sofar, gi if a.shape == n.shape and a.dtype is n.dtype else fit(gi, n, graph))
    if sofar is UNDEFINED:
        return gi
    for index, part in gi.items():
        sofar[index] = add(sofar[index], part) if index in sofar else part
    return sofar


def find_needed_nodes(wanted, roots, through):
    """Return the nodes that must run: those between the roots and the requested nodes; these as well if ``through``."""
    seen, stack = set(roots), list(roots)
    while stack:
        for n in stack.pop().inputs:
            if n is not None and n not in seen:
                seen.add(n)
                stack.append(n)
    inner = [n for n in wanted if through and n in seen and type(n) is not AccumulateGrad]
    needed = {n.inputs[0] if type(n) is Output else n for n in inner}
    for node in sorted(seen, key=lambda n: n.time):
        if any(n in needed or n in wanted for n in node.inputs if n is not None):
            needed.add(node)
    return needed


def fit(g, node, graph):
    """``g`` in the shape and dtype of the node's output: summed over broadcast dimensions, cast after promotion."""
    words = on_tensors if graph else ARRAYS.__getitem__
    shape, own = g.shape, node.shape
    if shape != own:
        if shape[len(shape) - len(own) :] != own and not expandable(own, shape):  # saves 0.1 us in most cases
            raise Misfit(shape, own)
        g = words("sum_to")(g, own)
    a = g.array if graph else g
    if node.dtype is not None and a.dtype != node.dtype:
        if a.dtype.kind in "cW" and node.dtype.kind not in "cW":
            g = words("real")(g)
        if (g.array if graph else g).dtype != node.dtype:
            g = words("cast")(g, node.dtype)
    return g


def accumulate(leaf, g, graph):
    """Add ``g`` to the leaf's ``.grad``, in place as PyTorch does, unless the addition itself is recorded."""
    if graph is FORWARD and g is not UNDEFINED:
        g, graph = np.array(g.array), False
    sofar = leaf.grad
    if g is UNDEFINED:
        pass
    elif graph and mode.watch:
        mode.watch.accumulate(leaf, g)
    elif graph and sofar is None:
        leaf.grad = on_tensors("copy_gradient")(g)
        leaf.grad.array = lay_out_like(leaf.grad.array, leaf.array)
    elif graph:
        leaf.grad = on_tensors("add")(*dense_first(sofar, g))
    elif sofar is None:
        leaf.grad = wrap(lay_out_like(g, leaf.array))
    elif (array := sofar.array).dtype is not g.dtype:
        leaf.grad = wrap(array + g)
    else:
        try:
            stamp_write(array)
            if array.size > 1:
                np.add(array, g, array)
            else:  # half of the time that NumPy takes for one element in place
                array[...] = array + g
        except Lift:  # one of them is sparse
            leaf.grad = take_value(sofar, on_tensors("add")(*dense_first(sofar, wrap(g))))
    if leaf.hooks is not None:
        for hook in list(leaf.hooks.accumulated.values()):
            require_nothing(hook(leaf.variable), leaf.variable)
        for hook in list(leaf.hooks.after.values()):
            if (result := hook((), (as_tensor(g),))) is not None:
                require_gradients(result, (), hook)


# ── hooks ────────────────────────────────────────────────────────────────────
def as_tensor(g):
    return None if g is UNDEFINED else g if g is None or isinstance(g, Tensor) else wrap(g)


def _raw(g, graph):
    return UNDEFINED if g is None else g if graph or not isinstance(g, Tensor) else g.array


def call_pre_hooks(node, g, graph, runs):
    """Call the tensor hooks, retain gradients, then call the pre-hooks of a node that ``runs``; return the new gradient."""
    hooks = node.hooks
    if (type(g) is not Parts or g is UNDEFINED and type(node) is not Output) and (hooks.tensor or hooks.retain):
        t = as_tensor(g)
        for hook in list(hooks.tensor.values()):
            replaced = require_gradient(hook(t), t, hook)
            t = t if replaced is None else replaced
        for retain in list(hooks.retain.values()) if t is not None else ():
            retain(t)
        g = _raw(t, graph)
        if type(node) is AccumulateGrad and not graph and t is not None:
            g = g.copy()  # a hook may have kept the array
    for hook in list(hooks.before.values()) if runs else ():
        given = list_arrived_gradients(node, g)
        result = hook(given)
        if result is not None:
            result = [_raw(each, graph) for each in require_gradients(result, given, hook)]
            parts = Parts({n: p for n, p in enumerate(result) if p is not UNDEFINED})
            g = result[0] if type(node.shape) is not list else parts or UNDEFINED
    return g


def list_arrived_gradients(node, g):
    """Return the gradients that arrived at a node, one for each output, as its hooks receive them."""
    several = type(node.shape) is list
    return tuple(as_tensor(g.get(number)) for number in range(len(node.shape))) if several else (as_tensor(g),)


def call_post_hooks(node, g, gs, graph):
    """Run anomaly detection and the node's own hooks on the gradients that it computed."""
    if mode.inspect is not None:
        mode.inspect(node, gs)
    if node.hooks is None:
        return gs
    *_, wanted, only = mode.running
    if only is not None and not node.computes_all:  # hooks see no gradient that nobody asked for
        gs = [gi if n in only or n in wanted else None for n, gi in zip(node.inputs, gs)]
    outputs = list_arrived_gradients(node, g)
    gs = tuple([gi if gi is None or n is None else take_first(gi, g, n, graph) for n, gi in zip(node.inputs, gs)])
    for hook in list(node.hooks.after.values()):
        given = tuple(as_tensor(gi) if type(gi) is not Parts else None for gi in gs)
        result = hook(given, outputs)
        if result is not None:
            gs = tuple(_raw(gi, graph) for gi in require_gradients(result, given, hook))
    return gs


# ── the running pass, as hooks see it ────────────────────────────────────────
# ``mode.running`` is a plain tuple: an object with names for its parts would cost a small pass 2 % of its time.
def hands_out():
    """Return True if the running pass returns gradients, as ``autograd.grad`` does, instead of accumulating them."""
    return mode.running is not None and mode.running[2] is not None


def find_running_queue():
    """Return the queue of the running pass: it identifies the pass, and is empty when the pass has ended."""
    return mode.running[0]


def nodes_to_come(node):
    """The nodes that still receive a needed gradient in the running pass, including ``node``, where the pass is now."""
    queue, grads, wanted, only = mode.running
    found = {node, *(each for _, each in queue), *grads}
    stack = list(found)
    while stack:
        node = stack.pop()
        if only is None or node in only:
            new = [n for n in node.inputs if n is not None and n not in found]
            found.update(new)
            stack += new
    return found if only is None else {n for n in found if n in only or n in wanted}
