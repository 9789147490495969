"""Checkpoints that keep the results of some operators: modes that see each operator of both runs.

Note [Kept results]
PyTorch's modes lie below autograd: an operator whose result was kept is not computed again, and yet its node saves what its
derivative reads. Those of tensh lie above. So what a node saves in the first run is kept beside the result, as the
place it came from (the number of an argument or of a result) or else as the tensor itself, and the second run passes it
to the hooks in force.
"""

import enum
from collections import Counter, defaultdict
from contextlib import nullcontext

from tensh._aten.overloads import Overload
from tensh._aten.packets import Packet, packet_of
from tensh.autograd.saving import saved_tensors_hooks
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.utils._python_dispatch import TorchDispatchMode
from tensh.utils._pytree import tree_leaves, tree_map

SAC_IGNORED_OPS = {packet_of("detach").default}
NO_OVERLOAD = "Expected op in `op_list` to be an OpOverload but got: {} of type {}. "
TAKE_OVERLOAD = (
    "Please update the OpOverloadPacket to a specific OpOverload."
    "For example, if you have `torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
)
OTHER = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that changed "
    "between forward and backward."
)
ONCE = (
    "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective activation "
    "checkpoint."
)
RECOMPUTE, CONSUMED = object(), object()


class CheckpointPolicy(enum.Enum):
    """Say what happens to an operator's result: it is saved, computed again, or moved to the CPU, where it is anyway.

    ``MUST_*`` and ``PREFER_*`` mean the same.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.CheckpointPolicy.MUST_SAVE.value
    0
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


SAVES = True, CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE


class SelectiveCheckpointContext:
    """The facts about a call that a policy receives: ``op_output``, its result, and ``is_recompute``, which is always False.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.SelectiveCheckpointContext(is_recompute=False).op_output is None
    True
    """

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute, self.op_output = is_recompute, op_output


class Kept:
    """The result of an operator, and where the tensors that its node has saved come from."""

    def __init__(self, out, args, saved):
        results = tensors_of(out)
        places = {id(each.array): ("out", place) for place, each in enumerate(results)}
        places |= {id(each.array): ("args", place) for place, each in enumerate(tensors_of(args))}
        self.saved = [places.get(id(each.array), (None, each)) for each in saved]
        self.out = tree_map(lambda each: Result(each) if isinstance(each, Tensor) else each, out)

    def again(self, args, may_change):
        """Return the result; pass what was saved to the hooks in force."""
        out = tree_map(lambda each: each.again(may_change) if isinstance(each, Result) else each, self.out)
        known = {"args": tensors_of(args), "out": tensors_of(out)}
        if mode.packing:
            with no_grad():
                for source, each in self.saved:
                    mode.packing[-1][0](each if source is None else known[source][each])
        return out


class Result:
    """A tensor that an operator has computed, and its version."""

    def __init__(self, tensor):
        self.tensor, self.version, self.requires_grad = tensor.detach(), tensor._version, tensor.requires_grad

    def again(self, may_change):
        """Return the tensor as a leaf that requires grad if it did; raise RuntimeError if it was written."""
        if self.tensor._version != self.version and not may_change:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.tensor.detach().requires_grad_(self.requires_grad and mode.grad)


def tensors_of(tree):
    return [each for each in tree_leaves(tree) if isinstance(each, Tensor)]


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first run: results go to ``storage`` (operator -> one entry a call) where ``policy_fn`` says so."""

    def __init__(self, policy_fn, storage):
        self.policy_fn, self.storage = policy_fn, storage

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs, saved = kwargs or {}, []
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        with note_saved(saved):
            out = func(*args, **kwargs)
        policy = self.policy_fn(SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **kwargs)
        self.storage[func].append(Kept(out, (args, kwargs), saved) if policy in SAVES else RECOMPUTE)
        return out


def note_saved(saved):
    """Enter a context in which saved tensors are also added to a list."""
    if not mode.packing:
        return nullcontext()
    pack, unpack = mode.packing[-1]

    def note(tensor):
        saved.append(tensor)
        return pack(tensor)

    return saved_tensors_hooks(note, unpack)


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The second run: results come from ``storage``, once each."""

    def __init__(self, policy_fn, storage, allow_cache_entry_mutation=False):
        self.storage, self.may_change, self.places = storage, allow_cache_entry_mutation, Counter()

    def __enter__(self):
        self.places.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        place = self.places[func]
        self.places[func] += 1
        if func not in self.storage:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {OTHER}")
        kept = self.storage[func]
        if place >= len(kept):
            raise RuntimeError(
                f"{func} invocation index {place} encountered during backward but not found in storage. {OTHER}"
            )
        entry = kept[place]
        if entry is CONSUMED:
            raise RuntimeError(ONCE)
        if entry is RECOMPUTE:
            return func(*args, **kwargs)
        kept[place] = CONSUMED
        return entry.again((args, kwargs), self.may_change)


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Make two contexts, for the ``context_fn`` of a checkpoint, that keep what some operators compute in the first run.

    Args:
        policy_fn_or_list: the overloads whose results are kept, or a function of a ``SelectiveCheckpointContext``, an
            overload and its arguments that returns a ``CheckpointPolicy``, or True for a result that is kept.
        allow_cache_entry_mutation: whether results that are kept may be written before they are needed.

    Raise ValueError for anything but an overload, TypeError for anything but a list or function.

    >>> import functools, tensh as torch
    >>> from tensh.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> contexts = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> checkpoint(lambda x: (x @ x).sin(), x, use_reentrant=False, context_fn=contexts).sum().backward()
    >>> x.grad
    tensor([[-1.6646, -1.6646],
            [-1.6646, -1.6646]])
    """
    policy = policy_fn_or_list
    if isinstance(policy, list):
        for each in policy:
            if not isinstance(each, Overload):
                raise ValueError(
                    NO_OVERLOAD.format(each, type(each)) + (TAKE_OVERLOAD if isinstance(each, Packet) else "")
                )
        policy = lambda context, op, *args, **kwargs: op in policy_fn_or_list  # noqa: E731
    elif not callable(policy):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage = defaultdict(list)
    return (
        _CachingTorchDispatchMode(policy, storage),
        _CachedTorchDispatchMode(None, storage, allow_cache_entry_mutation),
    )
