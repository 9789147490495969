"""Saved values packed by hooks: parcels in place of arrays.

Note [Parcels] A node's ``saved`` is a tuple of arrays and plain values, which the generated derivatives unpack in
order.  While hooks are active, a ``PackedValues`` replaces the tuple: it is read in the same way, and every read calls
``unpack``.  A listener to recorded nodes (autograd/saved_tensors.py) makes the replacement, so there is no cost while
no hooks are installed.
"""

import weakref
from functools import cache

from numpy import ndarray

from tensh.engine.autograd.saved_names import SHOWN, as_shown
from tensh.engine.core.clock import mode, owner, version
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.messages import second_time

NOT_ITSELF = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by "
    "in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place "
    "operations on the input to a pack hook."
)
FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed when "
    "you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second "
    "time or if you need to access saved variables after calling backward."
)
ONCE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is allowed at a "
    "time."
)
WHAT_IS_TAKEN = (
    "{}(): incompatible function arguments. The following argument types are supported:\n"
    "    1. ({}arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\nInvoked with: {}"
)


# ── parcels ──────────────────────────────────────────────────────────────────
class Parcel:
    """The result of a pack hook for one tensor; ``restore`` turns the unpacked tensor into a saved value."""

    __slots__ = ("contents", "unpack", "restore", "source")

    def __init__(self, hooks, tensor, restore):
        pack, self.unpack = hooks
        before, recording = version(tensor.array), mode.grad
        mode.grad = False
        try:
            self.contents = pack(tensor)
        finally:
            mode.grad = recording
        if version(tensor.array) != before:
            raise RuntimeError(NOT_ITSELF)
        self.restore, self.source = restore, weakref.ref(tensor.array)

    def open(self):
        tensor = self.unpack(self.contents)
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
            )
        return self.restore(tensor)


class PackedValues:
    """Saved values, some of them parcels (or tuples of parcels) that are unpacked at every read."""

    __slots__ = ("values", "again")

    def __init__(self, values, again=None):
        self.values, self.again = values, again

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        return unpack_value(self.values[place])

    def __iter__(self):
        return map(unpack_value, self.values)


def unpack_value(value):
    if type(value) is Parcel:
        return value.open()
    return tuple(map(unpack_value, value)) if type(value) is tuple else value


def saved_arrays(saved):
    """Yield the arrays among saved values, those that hooks have packed included."""
    for value in saved.values if type(saved) is PackedValues else saved:
        if type(value) is tuple:
            yield from saved_arrays(value)
        elif type(array := value.source() if type(value) is Parcel else value) is ndarray:
            yield array


def array_of(tensor):
    return tensor.array


# ── nodes ────────────────────────────────────────────────────────────────────
def pack_custom(node):
    """Pack the saved values of a custom function's node, which are tensors and outputs."""
    hooks = mode.packing[-1]
    node.saved = PackedValues([None if value is None else pack_own(node, value, hooks) for value in node.saved])


def pack_own(node, value, hooks):
    """Return the parcel of a tensor that a custom function saved, or of one of its outputs."""
    if isinstance(value, Tensor):
        return parcel_of(value, hooks)
    index = value.index
    origin = None if index is None else node._output(index)
    return Parcel(hooks, wrap(value.array, origin), lambda tensor: type(value)(tensor.array, index))


def parcel_of(tensor, hooks):
    """Return the parcel of a tensor; unpacking restores a tensor with the same node."""
    node = refresh_node(tensor)
    return Parcel(hooks, tensor, lambda other: wrap(other.array, node))


def pack_value(node, role, value, hooks):
    """Return a parcel for a tensor's array (or a tuple of arrays); any other saved value unchanged."""
    if role is None:
        return value
    if type(value) is tuple:
        return tuple(pack_value(node, role, one, hooks) for one in value)
    if type(value) is not ndarray or not (value.ndim or value.flags.writeable):  # a number that became an array
        return value
    return Parcel(hooks, restore_tensor(node, role, value), array_of)


def restore_tensor(node, role, array):
    """Return the saved tensor: the leaf itself, or a tensor with its node."""
    origin = node._edge(role)
    if type(origin) is AccumulateGrad and (leaf := origin.variable) is not None and leaf.array is array:
        return leaf
    return wrap(array, origin)


def copy_packed(node, block):
    """Pack copies of the tensors in a block of memory that is about to change."""
    packed = node.saved
    for place, (role, parcel) in enumerate(zip(node.roles, packed.values, strict=False)):
        if type(parcel) is Parcel and (source := parcel.source()) is not None and owner(source) is block:
            packed.values[place] = Parcel(packed.again, wrap(source.copy(), node._edge(role)), array_of)


class SavedTensor:
    """One saved value of a node, on which hooks can be registered: ``y.grad_fn._raw_saved_self`` and others."""

    __module__ = "torch._C._autograd"

    def __init__(self, node, place):
        self._node, self._place = node, place

    def register_hooks(self, *hooks):
        """Pass the saved tensor to ``pack_hook`` now, and the result to ``unpack_hook`` when the value is needed.

        Raise RuntimeError if there are hooks already, or if the tensor has been freed.
        """
        if len(hooks) != 2 or not all(map(callable, hooks)):
            given = ", ".join(map(repr, (self, *hooks)))
            raise TypeError(WHAT_IS_TAKEN.format("register_hooks", "self: torch._C._autograd.SavedTensor, ", given))
        node, place = self._node, self._place
        if not node.saved:
            raise RuntimeError(FREED)
        values = list(node.saved.values if type(node.saved) is PackedValues else node.saved)
        if type(values[place]) is Parcel:
            raise RuntimeError(ONCE)
        if values[place] is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if type(values[place]) is ndarray:
            values[place] = Parcel(hooks, wrap(values[place]), array_of)
            node.saved = PackedValues(values, hooks)
        elif getattr(type(node), "function", None):  # the user's
            values[place] = pack_own(node, values[place], hooks)
            node.saved = PackedValues(values)


def stands_for_number(node, read):
    """Return True if the node has the name for a Python number as the operand ``read``."""
    name = node.op.numbers.get(read)
    return name is not None and type(node).__name__ == (name[0] if type(name) is tuple else name)


def read_number(array):
    """Return a saved number as a Python number: integers are saved as floats beside floats."""
    number = array.item()
    return int(number) if type(number) is float and number.is_integer() else number


def name_places(reads, kind):
    """Return (PyTorch's names with the places of a node kind's saved values, all pairs of names that its node shows)."""
    names = {"input": "self", "out": "result"}
    sizes = {f"{names.get(p, p)}_sym_sizes": f"{p}.shape" for p in (read.partition(".")[0] for read in reads)}
    names |= {read: name for name, read in sizes.items()}
    own = {names.get(read, read): place for place, read in enumerate(reads) if "." not in read or read in names}
    pairs = SHOWN[kind] if kind in SHOWN else [(name, name) for name in own]
    return [(theirs, own[ours]) for theirs, ours in pairs if ours in own], pairs


@cache
def order_places(kind):
    """The places of saved values in the order in which PyTorch packs them: inputs by their names, then results by theirs."""
    names = {place: name for name, place in name_places(kind.reads, kind.__name__)[0]}
    is_result = [read.partition(".")[0] not in kind.op.parameters for read in kind.reads]
    return sorted(range(len(kind.reads)), key=lambda place: (is_result[place], names.get(place, kind.reads[place])))


def list_saved_members(reads, roles, kind):
    """``_saved_self`` and others: the values that nodes of a kind save, under PyTorch's names.

    Properties of the class, because ``Node.__getattr__`` would make every attribute slower: 15 % of a backward pass.
    """

    def member(name, read, place):
        def value(node):
            if node.saved is None:
                raise RuntimeError(second_time)
            role, saved = node.roles[place], node.saved[place]
            if type(role) is int and role >= 0 and type(edge := node.inputs[role]) is AccumulateGrad:
                leaf = edge.variable
                if leaf is not None and leaf.array is saved:
                    return leaf
            if saved is not None and stands_for_number(node, read):
                return read_number(saved)
            return as_shown(name, node._on_edge(role, saved))

        return property(value)

    def raw(place):
        def value(node):
            return SavedTensor(node, place)

        return property(value)

    reads = tuple(reads)
    members, pairs = name_places(reads, kind)
    constants = [theirs.split("=") for theirs, _ in pairs if "=" in theirs]
    return (
        {f"_saved_{name}": property(lambda node, value=int(value): value) for name, value in constants}
        | {f"_saved_{name.rstrip('*')}": member(name, reads[place], place) for name, place in members}
        | {f"_raw_saved_{name.rstrip('*')}": raw(place) for name, place in members if roles[place] is not None}
    )
