"""The history of wrapper subclasses: what ``aten`` operators would record for plain tensors, with the wrappers as values.

Note [History of wrappers]
``__torch_dispatch__`` stands below autograd: it computes, and records nothing.  So the operator is run once more on shadows,
tensors of the device "meta" with the shapes and the nodes of its operands.  What that records is the history of the result;
where a node keeps the array of a shadow, it gets the tensor that the shadow stands for.  A backward pass then runs on
tensors, and each step of it is handed to ``__torch_dispatch__`` again.
"""

import weakref

import numpy as np

from tensh._aten.handlers import ask
from tensh._aten.kept_values import RESULTS_READ, SIDE_RESULTS, takes_out_results
from tensh.engine.arrays.absent import Absent, lay_out
from tensh.engine.autograd.gradients import on_tensors
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.clock import mode, tick
from tensh.engine.core.lift import Absence, Lift
from tensh.engine.core.nodes import AccumulateGrad, Node, Output, uses_gradient
from tensh.engine.core.ports import Port
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.state import computing_formulas, dispatches
from tensh.engine.dispatch.override.wrappers import Facts, Held, copy_wrapper
from tensh.func.trees import leaves_of, map_leaves

VIEWS = frozenset(
    """alias as_strided detach diagonal expand permute real select slice split split_with_sizes squeeze t transpose unbind
    unfold unsqueeze view""".split()
)
"""Operators whose results share memory: always recorded, because that memory can be written later."""
QUIET = frozenset("ones_like zeros_like empty_like full_like rand_like randn_like new_empty new_zeros".split())
"""Operators whose results have no history."""
LINEAR = ("reflection_pad", "replication_pad", "_adaptive_avg_pool", "avg_pool", "upsample_", "_upsample_")
"""Beginnings of the names of functions whose derivatives have the functions themselves as derivatives."""
REPLAYED = frozenset(
    """clamp_max clamp_min addcdiv fractional_max_pool2d fractional_max_pool3d index_reduce prod _linalg_det
    linalg_lu_solve linalg_solve_ex _linalg_solve_ex _embedding_bag embedding_bag linalg_cholesky cholesky leaky_relu index_put
    rrelu rrelu_with_noise linalg_inv_ex kthvalue stft""".split()
)
"""Operators whose derivatives the words of ``aten`` do not say: a backward pass computes them again."""


def scales_freely(name, args):
    """Return True for a resampling by factors that are not those of the sizes: its derivative needs the factors."""
    if not name.startswith(("upsample_", "_upsample_")) or len(args) < 2 or not isinstance(args[1], (list, tuple)):
        return False
    factors = [each for each in args[2:] if isinstance(each, float)]
    return any(size != n * each for n, size, each in zip(args[0].shape[2:], args[1], factors))


def ask_and_record(overload, handlers, args, kwargs, lost):
    """Return the answer of the handlers, with the history that the operator has for tensors that require grad."""
    tensors = [t for t in leaves_of((args, kwargs)) if isinstance(t, Tensor)]
    name = overload._opname
    if name in QUIET or not (name in VIEWS or any(uses_gradient(node_of(t)) for t in tensors)):
        return ask(overload, handlers, args, kwargs)
    begin, writes = tick(), overload._opname.endswith("_")
    given = (list(args), dict(kwargs))
    shadows = Shadows(given, lost)
    replayed = Replayed(overload, given)  # before anything is written
    if lost is not None:
        replayed.given = ([lost, *given[0][1:]], given[1])
    try:
        again = (
            getattr(overload, "replays", False)
            or name.removesuffix("_") in REPLAYED
            or name.removesuffix("_") in RESULTS_READ
        )
        again = again or scales_freely(name, args)
        recorded = None if again else overload.compute(*map_leaves(shadows.shadow, given))
    except (Exception, Lift, Absence) as failure:
        if writes and isinstance(failure, RuntimeError) and "leaf Variable" in str(failure):
            raise
        recorded = None
    with no_grad():
        result = ask(overload, handlers, args, kwargs)
    results = [t for t in leaves_of(result) if isinstance(t, Tensor)]
    made = [t for t in leaves_of(recorded) if isinstance(t, Tensor)]
    try:
        if name.endswith("_backward") and name.startswith(LINEAR):
            raise Unknown
        shadows.hand_over(made, results, begin)
    except Unknown:
        if replayed.places:
            replayed.record(results)
    return result


def shadow_of(t):
    """Return the lasting shadow of a tensor that shares memory with others; None for any other."""
    return t.array.shadow if type(t.array) is Facts else None


def node_of(t):
    """Return the node of a tensor, also if its memory was written through another one."""
    shadow = shadow_of(t)
    return refresh_node(t if shadow is None else shadow) or refresh_node(t)


class Number(np.ndarray):
    """The array by which a node keeps a number that a program wrote; ``number`` is as it was written."""


class Shadows:
    """The shadows of a call, and which tensors they stand for."""

    def __init__(self, given, lost=None):
        self.lost = lost  # a copy of the first operand, which is written
        self.made, self.known, self.results, self.seen = {}, {}, set(), set()
        self.numbers = [each for each in leaves_of(given) if isinstance(each, (int, float, complex))]

    def shadow(self, value):
        """Return the shadow of a tensor; any other value as it is."""
        if not isinstance(value, Tensor):
            return value
        if id(value) not in self.made:
            shadow = shadow_of(value)
            if shadow is None or uses_gradient(value.node) and not uses_gradient(refresh_node(shadow)):
                shadow = wrap(Absent(lay_out(value.shape, value.array.dtype, value.array.strides)))
                shadow.node = refresh_node(value)
            self.made[id(value)] = value, shadow
            self.known[id(shadow.array)] = value
        return self.made[id(value)][1]

    def hand_over(self, made, results, begin):
        """Give results the history of their shadows; ``Unknown`` if there are none, or a node keeps what no tensor holds."""
        if len(made) != len(results):
            raise Unknown
        for shadow, t in zip(made, results):
            self.known[id(shadow.array)] = t
            self.results.add(id(shadow.array))
        nodes = [refresh_node(shadow) for shadow in made]
        for node in nodes:
            self.keep_tensors(node, begin)
        for node, t in zip(nodes, results):
            if uses_gradient(node):
                t.node = node
        if len(results) > 1 and uses_gradient(nodes[0]) and not any(map(uses_gradient, nodes[1:])):
            SIDE_RESULTS[nodes[0]] = results[1:]
        if any(shadow._base is not None for shadow in made):  # so that a write to one of them reaches the others
            for t, shadow in (*self.made.values(), *zip(results, made)):
                if type(t.array) is Facts:
                    t.array.shadow, shadow.__dict__["owner"] = shadow, weakref.ref(t)
        for shadow in made:  # what was written through a view
            owner = shadow._base.__dict__.get("owner", lambda: None)() if shadow._base is not None else None
            if owner is not None:
                owner.node = refresh_node(shadow._base)

    def keep_tensors(self, node, begin):
        """Put tensors in place of the arrays that the new nodes from ``node`` on keep."""
        stack = [node]
        while stack:
            node = stack.pop()
            if node is None or id(node) in self.seen or node.time <= begin or type(node) is AccumulateGrad:
                continue
            self.seen.add(id(node))
            on_tensors.add(node)
            if node.saved:
                roles = getattr(node, "roles", None) or [None] * len(node.saved)
                node.saved = tuple([self.keep(value, role) for role, value in zip(roles, node.saved, strict=True)])
            stack += node.inputs

    def keep(self, value, role=None):
        """Return the tensor that a node keeps in place of a shadow's array.  Raise Unknown if there is none."""
        if role == 0 and self.lost is not None and type(value) is Absent:
            return hold(self.lost)
        if type(value) is tuple:
            return tuple([self.keep(each) for each in value])
        if type(value) is np.ndarray and not value.ndim:
            return self.keep_number(value)
        if isinstance(value, np.ndarray) and not value.size == 0:
            raise Unknown
        if type(value) is not Absent:
            return value
        t = self.known.get(id(value))
        if t is None:
            raise Unknown
        if (
            id(value) in self.results and t.array.dtype.kind not in "iub"
        ):  # without history, so that the result does not keep itself
            t = take_out(t)
        return hold(t)

    def keep_number(self, value):
        """Return the array of a number with the number in it, if the call has one of this value."""
        for each in self.numbers if value.dtype.kind not in "iu" else ():  # an integer is an index
            if value.dtype.type(each) == value:
                made = value.view(Number)
                made.number = each
                return made
        return value


def take_out(t):
    """Return a result as its node keeps it, without history."""
    if takes_out_results():
        with no_grad():
            return t.detach()
    made = drop_history(t)
    made.__dict__["taken_out"] = True
    return made


def drop_history(t):
    """Return another tensor with the values of a result and without its history."""
    return copy_wrapper(t, None) if type(t.array) is Facts else wrap(t.array)


def hold(t):
    """Return a tensor as nodes keep it."""
    return Held(t, t.array) if dispatches(type(t)) else t.array


class KeptResults:
    """All results of a call, without history: the derivative of PyTorch reads them."""

    def __init__(self, overload, results):
        self.seen = RESULTS_READ[overload._opname.removesuffix("_")] if takes_out_results() else ()
        self.tensors = [take_out(t) if n in self.seen else drop_history(t) for n, t in enumerate(results)]

    def read(self):
        """Return the results; those that others see taken out are taken out once more."""
        return [t.detach() if n in self.seen else t for n, t in enumerate(self.tensors)]


class Unknown(Exception):
    """A node keeps a value that no tensor of the program has."""


differentiate_call = Port("_decomp.differentiating", "differentiate_call")
differentiate_named = Port("_aten.derivatives.calls", "differentiate_named")


class Replayed(Node):
    """The node of a call whose steps were not recorded: its backward pass computes the call again, below the handlers."""

    __slots__ = ("overload", "given", "places", "results")

    def __init__(self, overload, given):
        self.overload, self.given, self.saved, self.hooks, self.time = overload, given, (), None, tick()
        leaves = leaves_of(given)
        self.places = [i for i, t in enumerate(leaves) if isinstance(t, Tensor) and uses_gradient(node_of(t))]
        self.inputs = tuple([node_of(leaves[i]) for i in self.places])

    @property
    def name_without_write(self):
        return self.overload._opname.removesuffix("_")

    def record(self, results):
        """Make this the history of those results that can have one."""
        self.shape = [(t.array.shape, t.array.dtype) for t in results]
        self.dtype = None
        self.results = KeptResults(self.overload, results) if self.name_without_write in RESULTS_READ else None
        on_tensors.add(self)
        for number, t in enumerate(results):
            if t.dtype.is_floating_point or t.dtype.is_complex:
                t.node = Output(self, number, self.shape[number])

    def backward(self, g):
        gradients = [g.get(number) for number in range(len(self.shape))]
        found = self.differentiate_by_name(gradients)
        if found is None:
            found = differentiate_call(self.overload, self.places, gradients, *self.given)
        return tuple(self.overload.derivative(self.places)(gradients, *self.given) if found is None else found)

    def differentiate_by_name(self, gradients):
        """Return the gradients by PyTorch's operator for them, with the history of the call computed again."""
        if self.results is None:
            return None
        recorded = mode.grad
        with no_grad(), computing_formulas(True):
            found = differentiate_named(self.overload, self.places, gradients, *self.given, self.results.read())
        if recorded and found is not None:
            history = Replayed(self.overload.derivative(self.places), ([gradients, *self.given], {}))
            if history.places:
                history.record(found)
        return found

    backward_graph = backward

    def name(self):
        return "".join(part.capitalize() for part in self.overload._opname.split("_")) + "Backward0"
