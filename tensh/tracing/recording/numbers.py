"""The part of a recorder that records sizes, numbers read from tensors, assignments, and operators of the program."""

import builtins
import functools
import sys
from math import prod

from tensh.engine.core.clock import mode
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.warnings import is_tensh_file
from tensh.fx.node import map_aggregate
from tensh.tracing import translation
from tensh.tracing.sizes.numbers import EXTREMES, TracedInt, plain_number
from tensh.tracing.steps.table import recording


class UntracedValue(RuntimeError):
    """Raised for a tensor computed by something that no operator in a graph represents."""


WRAPPED, WRAPPED_REFLECTED = ("floordiv", "pow"), ("sub", "truediv", "mod")
"""Operators of sizes that are Python functions in PyTorch, in which the operands have other names; some only if reflected."""


def watch_choices(patcher):
    """Let ``max`` and ``min`` of the program record sizes instead of comparing them."""
    for name, record in EXTREMES.items():
        patcher.patch(vars(builtins), name, choosing(getattr(builtins, name), record))


def choosing(plain, record):
    """Return ``max`` or ``min``, which records numbers of a trace."""

    def choose(*args, **options):
        numbers = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        whole = all(type(each) is int or isinstance(each, TracedInt) for each in numbers)
        traced = whole and any(isinstance(each, TracedInt) for each in numbers) and not options
        if not traced or len(numbers) < 2 or is_tensh_file(sys._getframe(1).f_code.co_filename):
            return plain(*args, **options)
        return functools.reduce(record, numbers)

    return choose


class NumberRecorder:
    """Records what is not a call of a public function: see ``Recorder``."""

    reading = "item"  # the operator that reads the only element of a tensor
    refuses_transforms = False  # whether calls within transforms of torch.func are errors

    def refuse_transforms(self, value):
        """Raise UntracedValue for a call within a transform of ``torch.func``, if such calls are errors."""
        if self.refuses_transforms and (mode.transforms or getattr(value, "hides_batches", False)):
            raise UntracedValue("an operator within a transform of torch.func is not recorded as it is called")

    def record_custom(self, definition, values):
        """Compute an operator of the program, and record it as one node; NotImplemented outside of exports.

        Arguments at the end that are defaults are left out.
        """
        if self.read_item is None:
            return NotImplemented
        args, named = definition.split_arguments(values)
        with recording(self, on=False):
            result = definition(*map_aggregate(tuple(args), plain_number), **map_aggregate(dict(named), plain_number))
        defaults = [each.default for each in definition._parameters if not each.named]
        while args and args[-1] is defaults[len(args) - 1]:
            args.pop()
        named = {
            each.name: named[each.name]
            for each in definition._parameters
            if each.named and named[each.name] is not each.default
        }
        self.record(definition._opoverload, tuple(args), named, result)
        return result

    def record_assignment(self, member, value):
        """Record that a member of the root gets a new value at the end; exports read the member itself for that."""
        overload, args, _ = translation.choose("copy_", (member, value), {})
        before = self.nodes.get(id(member))
        node = self.record(overload, args, {}, member, name="copy__default" if self.apart else None)
        if self.apart:
            path = self.members[id(member)]
            if before is not None:
                self.nodes[id(member)] = before  # results are what the program computed, not what it assigned
            node.meta["torch_fn"] = node.args[1].meta.get("torch_fn")
            node.args = (
                next(each for each in self.graph.find_nodes(op="get_attr") if each.target == path),
                node.args[1],
            )

    def record_item(self, tensor, value):
        """Record that the program reads the only element of a tensor; return the node."""
        overload, args, _ = translation.choose(self.reading, (tensor,), {})
        return self.record(overload, args, {}, value)

    def read_list(self, tensor):
        """Record that the program reads all elements of a tensor, row by row; return them as nested lists."""
        rows = self.run("unbind", tensor, 0)
        return [self.read_list(each) if each.array.ndim else self.read_item(self, each) for each in rows]

    def assert_scalar(self, node, text):
        """Record that a condition must hold."""
        text = f"Runtime assertion failed for expression {text} on node '{node.name}'"
        overload, _, _ = translation.choose("_assert_scalar", (True, text), {})
        self.graph.call_function(overload, (node, text), name="_assert_scalar_default").meta["val"] = None

    def note_number(self, node, operands):
        """Note where a number is computed, and how the program calls its operands there."""
        self.describe(node, node.meta["val"])
        function, reflected = node.target.__name__, not hasattr(operands[0], "node")
        if function in WRAPPED or reflected and function in WRAPPED_REFLECTED:
            return
        node.meta["names"] = {each.node: name for each, name in self.name_operands(operands, {})}

    def size(self, tensor, dim):
        """Return a size of a tensor, followed or as a plain number."""
        value = tensor.array.shape[dim]
        if not self.sizes or not self.knows(tensor):
            return value
        overload, args, _ = translation.choose("sym_size", (tensor, dim % tensor.array.ndim), {})
        node = self.graph.call_function(overload, (self.node_of(tensor), args[1]))
        node.meta["val"] = value
        if not self.apart:
            self.describe(node, value)
        return TracedInt(value, node)

    def shape(self, tensor):
        """Return the sizes of a tensor."""
        if not self.sizes or not self.knows(tensor):
            return Size(tensor.array.shape)
        return tuple.__new__(Size, [self.size(tensor, dim) for dim in range(tensor.array.ndim)])

    def numel(self, tensor):
        """Return the number of elements: a node of traces and of exported programs, elsewhere a product of sizes."""
        if not self.sizes or not self.knows(tensor):
            return tensor.array.size
        if self.apart and self.read_item is None:
            return prod(self.shape(tensor))
        name = ("sym_numel", "sym_numel_default") if self.apart else ("numel", None)
        overload, args, _ = translation.choose(name[0], (tensor,), {})
        node = self.graph.call_function(overload, (self.node_of(tensor),), name=name[1])
        node.meta["val"] = tensor.array.size
        if not self.apart:
            self.describe(node, tensor.array.size)
        return TracedInt(tensor.array.size, node)
