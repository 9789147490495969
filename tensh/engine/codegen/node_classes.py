"""Classes of nodes, one for each operator: what they save, and derivatives that are compiled at their first use."""

import functools

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.autograd.derived_names import list_derived_members
from tensh.engine.autograd.packing import list_saved_members
from tensh.engine.codegen.chains import MANY, derive, find_chains
from tensh.engine.codegen.derivatives import LIST, backward_source, local, variable, words_of
from tensh.engine.codegen.source import compile_source
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, meanings, on_tensors
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import FOREIGN, Node, Parts
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.points import watch_operator

F4 = np.dtype(np.float32)


def make_node_class(op):
    """Return the class of an operator's nodes."""
    roles = tuple(find_role(op, read) for read in op.saves)
    values = {
        "__slots__": (),
        "__module__": "builtins",
        "op": op,
        "reads": tuple(op.saves),
        "roles": roles,
        "keeps_arrays": choose_keeps_arrays(op, roles),
        **list_saved_members(op.saves, roles, op.node),
        **list_derived_members(op),
    }
    values |= {"derivatives": op.derivatives} | _derivatives(op)
    if len(op.derivatives) > 1 and not op.sequence:
        values["limit_to"] = limit_to
    if any(op.constant_edges):
        values |= {"constant_edges": op.constant_edges, "register_hook": make_registrar("more", *op.constant_edges)}
    return type(op.node, (Node,), values)


def limit_to(node, needed, wanted):
    """Return a twin of the node without the inputs that are neither ``needed`` nor ``wanted``; the node itself if all are."""
    inputs = tuple([n if n in needed or n in wanted else None for n in node.inputs])
    if inputs == node.inputs:
        return node
    twin = object.__new__(make_partial_kind(type(node)))
    twin.inputs, twin.saved, twin.time, twin.hooks, twin.whole = inputs, node.saved, node.time, None, node
    twin.shape, twin.dtype = node.shape, node.dtype
    return twin


@functools.cache
def make_partial_kind(kind):
    """The class of nodes without some of their inputs; a recorded derivative reads the saved values of the whole node."""
    return type(kind.__name__, (kind,), {"__slots__": ("whole",), "unpack": lambda node: node.whole.unpack()})


def choose_keeps_arrays(op, roles):
    """Return True if a node saves arrays that are released; a property of the node if only some of its inputs need them.

    PyTorch saves nothing for an input that wants no gradient: such a node can be used again.
    """
    inputs = list(op.derivatives)
    readers = [who for who, role in zip(op.saves.values(), roles, strict=True) if role is not None]
    outputs = any(role is not None and role != FOREIGN and role < 0 for role in roles)
    if op.sequence or outputs or any(len(who) != 1 for who in readers):
        return bool(readers)
    needed = sorted({inputs.index(who[0]) for who in readers})
    if not needed or len(needed) == len(inputs):
        return bool(readers)
    return property(lambda node: any(node.inputs[i] is not None for i in needed))


def make_number_node_class(op, operand, node):
    """Return the node's class if ``operand`` is a number: one input, and another name in PyTorch."""
    node, formula = node if isinstance(node, tuple) else (node, None)
    tensor = next(i for i, p in enumerate(op.derivatives) if p != operand)
    only = property(lambda node: Node.next_functions.fget(node)[tensor : tensor + 1])
    values = {
        "__slots__": (),
        "__module__": "builtins",
        "next_functions": only,
        "register_hook": make_registrar("one", tensor),
    }
    if formula is not None:
        values["derivatives"] = {p: text if p == operand else formula for p, text in op.derivatives.items()}
        values |= _derivatives(op)
    if node == "NotImplemented":
        values["backward"] = values["backward_graph"] = lambda node, g: not_differentiable(node.op.name)
    return type(node, (op.node_class,), values)


def make_registrar(how, *facts):
    """``register_hook`` of nodes with other inputs than PyTorch's: see autograd/shown_inputs.py."""

    def register_hook(node, fn):
        from tensh.engine.autograd import shown_inputs

        return getattr(shown_inputs, f"register_for_{how}")(node, fn, *facts)

    return register_hook


def find_role(op, read):
    """Return the role of a saved value: the number of its input, -1 - i for output i, None for a plain value."""
    if read in op.derivatives:
        return list(op.derivatives).index(read)
    if read == "out":
        return -1
    if read in op.outs and op.outs != LIST:
        index = op.outs.index(read)
        return -1 - index if op.many or index == 0 else FOREIGN  # one gradient: that of the first output
    return FOREIGN if read in op.inputs or read in op.watched else None


class Derivative:
    """Placeholder for a node's ``backward``: compiles the derivatives at the first use and is replaced by them."""

    def __init__(self, op, name, words):
        self.op, self.name, self.words = op, name, words

    def __get__(self, node, kind):
        namespace = derivative_words(self.op, self.words, kind.derivatives)
        chains = find_chains(self.op, kind.derivatives) if self.words is ARRAYS else None
        namespace |= {"derive_once": derive_once, "derive_in_steps": derive_in_steps, "record_once": record_once}
        namespace |= {"MANY": MANY, "derive": derive, "CHAINS": chains} if chains else {}
        source = backward_source(self.op, self.words is TENSORS, kind.derivatives, bool(chains))
        compile_source(source, f"derivative of {self.op.name}", namespace)
        function = namespace[self.name]
        setattr(kind, self.name, function)
        return function.__get__(node, kind)


def _derivatives(op):
    """Return the placeholders of a node class for its derivatives on arrays and on tensors."""
    return {"backward": Derivative(op, "backward", ARRAYS), "backward_graph": Derivative(op, "backward_graph", TENSORS)}


# ── derivatives of 16 bit numbers ────────────────────────────────────────────
class Widened:
    """A node whose saved 16 bit numbers are float32."""

    def __init__(self, node):
        self.op, self.inputs, self.shape = node.op, node.inputs, node.shape
        self.saved = tuple([widen(each) if isinstance(each, np.ndarray) else each for each in node.saved])


def derive_once(node, g):
    """Return the gradients of a node whose derivative is one kernel in PyTorch: computed in float32, and rounded once."""
    if callable(node.op.fused):
        return node.op.fused(g, **dict(zip(map(variable, node.op.saves), node.saved, strict=True)))
    found = type(node).backward(Widened(node), convert(g, F4))
    return tuple([narrow(each, g.dtype, edge) for each, edge in zip(found, node.inputs, strict=True)])


class WidenedGraph:
    """A node whose derivative is recorded, with casts of its saved tensors to float32."""

    def __init__(self, node):
        self.op, self.inputs, self.shape, self.node = node.op, node.inputs, node.shape, node

    def unpack(self):
        cast = on_tensors("cast")
        return [
            cast(each, F4) if isinstance(each, Tensor) and is_half(each.array) else each for each in self.node.unpack()
        ]


def record_once(node, g):
    """Return the gradients of ``derive_once``, as recorded tensors."""
    cast, dtype = on_tensors("cast"), g.array.dtype
    found = type(node).backward_graph(WidenedGraph(node), cast(g, F4))
    return tuple(
        [
            each if each is None or is_kept(each.array, edge) else cast(each, dtype)
            for each, edge in zip(found, node.inputs, strict=True)
        ]
    )


def narrow(gradient, dtype, edge):
    """Return the gradient in 16 bits, unless it goes to a tensor of float32."""
    return gradient if gradient is None or is_kept(gradient, edge) else convert(gradient, dtype)


def is_kept(gradient, edge):
    """Return True for a gradient that is not rounded to 16 bits."""
    return gradient.dtype is not F4 or edge.dtype is F4


def derive_in_steps(node, g):
    """Return the gradients of a node, rounded after each of PyTorch's operators that compute them."""
    before, mode.grad = mode.grad, False
    try:
        found = node.backward_graph(Parts({i: wrap(part) for i, part in g.items()}) if node.op.many else wrap(g))
    finally:
        mode.grad = before
    return tuple([each if each is None else each.array for each in found])


def widen(array):
    return convert(array, F4) if is_half(array) else array


def is_half(array):
    return array.dtype.itemsize == 2 and array.dtype.kind in "fV"


def derivative_words(op, words, derivatives):
    """Return the namespace in which an operator's derivatives are compiled: the meanings of their words."""
    texts = [local(text, op, words is TENSORS) for text in (*derivatives.values(), *op.let.values())]
    return meanings({"fill_gradients", *(name for text in texts for name in words_of(text))}, words)


# ── words that every derivative may use ──────────────────────────────────────
def fill_gradients(node, parts):
    """Return the gradients of all outputs of ``node``; zeros where none arrived, or None for operators with ``partial``."""
    if node.op.partial:
        return [parts.get(i) for i in range(len(node.shape))]
    recorded = any(isinstance(g, Tensor) for g in parts.values())
    make = make_zero_gradient if recorded else np.zeros
    return [parts[i] if i in parts else make(*facts) for i, facts in enumerate(node.shape)]


def make_zero_gradient(shape, dtype):
    """Return the gradient of an output that none has arrived for."""
    return wrap(np.zeros(shape, dtype))


watch_operator(make_zero_gradient, None)


def not_differentiable(name):
    """The derivative of a function that has none in PyTorch: an error."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


for _word in (fill_gradients, not_differentiable):
    ARRAYS[_word.__name__] = TENSORS[_word.__name__] = _word
