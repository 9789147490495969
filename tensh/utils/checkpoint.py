"""torch.utils.checkpoint: a part of a model whose intermediate results are computed again when the gradients need them.

Note [Twins]
Without reentry, the part is recorded as usual, and then its nodes forget what they saved. A node that is asked for it has
the function called again; the nodes that this records are, in the order of recording, the twins of the first ones, and a
node reads what its twin has saved. Its class is a subclass made for this, so that no other node pays.
"""

import contextlib
import functools
import weakref

from tensh.engine.autograd import packing, saved_tensors
from tensh.engine.autograd.custom import Function
from tensh.engine.autograd.gradients import backward
from tensh.engine.autograd.modes import enable_grad, no_grad
from tensh.engine.core.backward import hands_out
from tensh.engine.core.clock import mode, tick, written_after
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.engine.random.generator import default_generator
from tensh.nn import Sequential

__all__ = [
    "CheckpointError", "CheckpointFunction", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "detach_variable", "noop_context_fn", "set_checkpoint_early_stop",
]  # fmt: skip
__getattr__ = unsupported_lookup("torch.utils.checkpoint")

NOT_SAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling checkpoint "
    "without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to preserve the current "
    "default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)
NOT_SAID_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version 2.9 we will "
    "raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need to preserve the current "
    "default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)
IN_PART = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to .backward(). "
    "To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the `inputs` argument."
)
OTHER_COUNT = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
    "Number of tensors saved during forward: {}\nNumber of tensors saved during recomputation: {}."
)
OTHER_KIND = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.\n"
    "tensor at position {}:\nsaved metadata: {}\nrecomputed metadata: {}\n"
)
WRITTEN = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: an argument of a "
    "checkpointed function was written before the function was computed again"
)


class CheckpointError(RuntimeError):
    """Error of a function that did something else when it was called again.

    >>> import tensh as torch
    >>> issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
    True
    """


def noop_context_fn():
    """Return two contexts that do nothing: the default ``context_fn``.

    >>> import tensh as torch
    >>> [type(each).__name__ for each in torch.utils.checkpoint.noop_context_fn()]
    ['nullcontext', 'nullcontext']
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Accept a setting that changes nothing: the function is always computed again as a whole.

    >>> import tensh as torch
    >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    ...     print(1)
    1
    """
    yield


def checkpoint(
    function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default", debug=False,
    early_stop=True, **kwargs,
):  # fmt: skip
    """``function(*args, **kwargs)``, whose intermediate results are not kept but computed again in the backward pass.

    Args:
        use_reentrant: with False, the graph is that of the function itself, and every kind of backward pass works. With
            True it is one node, which runs a backward pass of its own; ``torch.autograd.grad`` is refused then.
        context_fn: gives two contexts, for the function and for its second run.
        determinism_check: "none" takes results of other shapes as they come.
        preserve_rng_state: the second run draws the random numbers of the first, unless it is False.

    ``debug`` and ``early_stop`` are accepted.  CheckpointError where the second run records something else.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> torch.allclose(x.grad, x.exp().cos() * x.exp())
    True
    """
    if use_reentrant is None:
        warn(NOT_SAID)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return _Again(function, args, kwargs, preserve, context_fn, determinism_check).first()
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call functions (modules, or a Sequential) one after another, in segments that are computed again, but the last.

    Raises ValueError for unknown options.

    >>> import tensh as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    >>> x = torch.ones(1, 2)
    >>> y = torch.utils.checkpoint.checkpoint_sequential(model, 2, x, use_reentrant=False)
    >>> torch.equal(y, model(x))
    True
    """
    if use_reentrant is None:
        warn(NOT_SAID_SEQUENTIAL)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if isinstance(functions, Sequential) else functions
    size, end = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        part = functools.partial(_one_after_another, functions[start:end])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _one_after_another(functions[end:], input)


def _one_after_another(functions, input):
    for function in functions:
        input = function(input)
    return input


@contextlib.contextmanager
def _random_numbers(state):
    """Within, random numbers go on from a state; afterwards from where they were.  None for no such thing."""
    if state is None:
        yield
        return
    before = default_generator.get_state()
    default_generator.set_state(state)
    try:
        yield
    finally:
        default_generator.set_state(before)


# ── one node, which runs a backward pass of its own ──────────────────────────
def detach_variable(inputs):
    """Return the tensors of a tuple as leaves over the same memory, the rest as it is.

    Raises RuntimeError for what is no tuple.

    >>> import tensh as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.detach_variable((x * 2, 1))
    (tensor([2., 2.], requires_grad=True), 1)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: ", type(inputs).__name__)
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each for each in inputs
    )


def check_backward_validity(inputs):
    """Warn where no input needs a gradient.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.check_backward_validity((torch.ones(1, requires_grad=True),))
    """
    if not any(each.requires_grad for each in inputs if isinstance(each, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


class CheckpointFunction(Function):
    """Function whose backward pass calls a function again and goes through what that records.

    >>> import tensh as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.CheckpointFunction.apply(torch.exp, True, x).grad_fn.name()
    'CheckpointFunctionBackward'
    """

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = default_generator.get_state() if preserve_rng_state else None
        ctx.rest = [None if isinstance(each, Tensor) else each for each in args]
        ctx.tensor_indices = [place for place, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(args[place] for place in ctx.tensor_indices))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if hands_out():
            raise RuntimeError(IN_PART)
        inputs = list(ctx.rest)
        for place, tensor in zip(ctx.tensor_indices, ctx.saved_tensors):
            inputs[place] = tensor
        with _random_numbers(ctx.state):
            leaves = detach_variable(tuple(inputs))
            with enable_grad():
                outputs = ctx.run_function(*leaves)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(y, g) for y, g in zip(outputs, grads) if isinstance(y, Tensor) and y.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward(*zip(*pairs))
        return None, None, *(each.grad if isinstance(each, Tensor) else None for each in leaves)


# ── the function's own graph: see Note [Twins] ───────────────────────────────
class _Again:
    """A function, what it was called with, and the nodes of its second run."""

    def __init__(self, function, args, kwargs, preserve, context_fn, determinism_check):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.check = determinism_check != "none"
        self.contexts = context_fn()
        self.state = default_generator.get_state() if preserve else None
        self.facts, self.twins = [], None

    def first(self):
        """Call the function; its nodes forget what they saved."""
        if not mode.grad:
            with self.contexts[0]:
                return self.function(*self.args, **self.kwargs)
        begin = tick()
        with self.contexts[0], saved_tensors.without_hooks():
            outputs = self.function(*self.args, **self.kwargs)
        self.end = tick()
        if mode.packing:
            self.args = [packing.parcel_of(each) if isinstance(each, Tensor) else each for each in self.args]
        for place, node in enumerate(_recorded(outputs, begin)):
            self.facts.append(_facts(node))
            if node.keeps_arrays and node.op is not None:
                PLACES[node] = self, place
                if type(node) not in KINDS:  # else it has forgotten before, within
                    node.saved = None
                    node.__class__ = _forgetful(type(node))
        return outputs

    def twin(self, place):
        """The node of the second run at a place."""
        if self.twins is None:
            self.args = [packing.unpack_value(each) for each in self.args]
            for each in (*self.args, *self.kwargs.values()):
                if isinstance(each, Tensor) and written_after(self.end, each.array):
                    raise RuntimeError(WRITTEN)
            begin = tick()
            with _random_numbers(self.state), enable_grad(), self.contexts[1]:
                twins = _recorded(self.function(*self.args, **self.kwargs), begin)
            self._compare([_facts(node) for node in twins])
            self.twins = twins
        return self.twins[place]

    def _compare(self, facts):
        if len(facts) != len(self.facts):
            raise CheckpointError(OTHER_COUNT.format(len(self.facts), len(facts)))
        for place, (before, now) in enumerate(zip(self.facts, facts)):
            if before[0] is not now[0] or self.check and before != now:
                raise CheckpointError(OTHER_KIND.format(place, _said(before), _said(now)))


def _facts(node):
    """The class of a node, and the shape and dtype of what it computed."""
    return KINDS.get(type(node), type(node)), node.shape, node.dtype


def _said(facts):
    kind, shape, dtype = facts
    return {"operation": kind.__name__, "shape": shape, "dtype": dtype}


def _recorded(outputs, begin):
    """The nodes behind the tensors of a result that were recorded after a tick, in the order of recording."""
    waiting, found = list(_nodes(outputs)), {}
    while waiting:
        node = waiting.pop()
        if node is not None and node.time > begin and node not in found and type(node) is not AccumulateGrad:
            found[node] = None
            waiting += node.inputs
    return sorted(found, key=lambda node: node.time)


def _nodes(outputs):
    if isinstance(outputs, Tensor):
        yield refresh_node(outputs)
    elif isinstance(outputs, list | tuple):
        for each in outputs:
            yield from _nodes(each)
    elif isinstance(outputs, dict):
        yield from _nodes(list(outputs.values()))


PLACES = weakref.WeakKeyDictionary()  # node -> its _Again, and its place there
RELEASED = weakref.WeakSet()  # nodes that have given back what they had
KINDS = {}  # class that forgets -> class of the node


@functools.cache
def _forgetful(kind):
    """The class of nodes that have what their twins saved; of the same name as that of other nodes."""

    def saved(node):
        if node in RELEASED:
            return None
        again, place = PLACES[node]
        return again.twin(place).saved

    def check(node):
        again, place = PLACES[node]
        again.twin(place).check()

    def release(node):
        again, place = PLACES[node]
        if again.twins is not None:
            again.twins[place].release()
        RELEASED.add(node)

    members = {"__slots__": (), "saved": property(saved), "check": check, "release": release}
    made = type(kind)(kind.__name__, (kind,), members)
    KINDS[made] = kind
    return made
