"""Conversion of a traced graph to ONNX: each node by the form of its operator."""

import math
import operator
from functools import partial

import tensh as torch
from tensh._aten.overloads import REQUIRED, schemas
from tensh._aten.synonyms import SPECIAL, SYNONYMS
from tensh._higher_order_ops import HigherOrderOperator
from tensh.engine.core.tensor import Tensor
from tensh.fx.graph_module import GraphModule
from tensh.fx.immutable_collections import to_plain
from tensh.fx.node import Node, map_arg
from tensh.onnx.branching import convert_branches
from tensh.onnx.builder import TYPES, FixedSize, Value, is_float
from tensh.onnx.errors import OnnxExporterError, no_form
from tensh.onnx.forms import elementwise
from tensh.onnx.forms.families import FORMS
from tensh.onnx.forms.table import operator_name
from tensh.tracing.functional import without_writes
from tensh.tracing.recording.recorder import Recorder
from tensh.tracing.sizes.dynamic import keep_resized
from tensh.tracing.sizes.numbers import EXTREMES, TracedFloat, TracedInt

NUMBERS = {
    operator.add: "Add", operator.sub: "Sub", operator.mul: "Mul", operator.floordiv: "Div", operator.truediv: "Div", operator.mod: "Mod",
    operator.pow: "Pow", operator.neg: "Neg", EXTREMES["max"]: "Max", EXTREMES["min"]: "Min",
}  # fmt: skip
"""Functions of numbers in graphs -> ONNX's operator."""


class Names(dict):
    """The names in the text of a form: arguments, helpers, ONNX operators."""

    def __init__(self, builder, node, arguments):
        wanted = dtype_of(node.meta["val"])
        super().__init__(arguments)
        self.builder = builder
        self |= {name: partial(helper, builder) for name, helper in elementwise.HELPERS.items()}
        number = partial(builder.number, dtype=wanted)
        self |= {
            "out": node.meta["val"], "number": number, "one": number(1) if wanted is not torch.bool else None, "pi": math.pi,
            "log": math.log, "float": is_float(wanted), "bool": torch.bool, "floats": lambda value: is_float(value.dtype),
            "scaled": lambda value, factor: elementwise.scaled(builder, value, factor, wanted),
            "truth": lambda value: builder.cast(value, torch.bool), "operand": builder.operand,
            "never": lambda value: builder.Expand(builder.number(False, torch.bool), builder.Shape(value)),
            "out_type": TYPES.get(str(wanted)[6:]), "common": lambda value: value,
        }  # fmt: skip

    def __missing__(self, name):
        if not name[0].isupper():
            raise KeyError(name)
        return getattr(self.builder, name)


def dtype_of(value):
    """Return the dtype of an example; of several, that of the first."""
    if isinstance(value, (tuple, list)):
        return dtype_of(value[0])
    return value.dtype if isinstance(value, Tensor) else torch.float32


class Converter:
    """Converts graphs; ``values`` maps nodes to values of the builder, or to lists of them.

    Errors name the calls of the program; those of a ``composed`` form are no calls of the program.
    """

    def __init__(self, builder, sizes=False, composed=False):
        self.builder, self.sizes, self.composed, self.values = builder, sizes, composed, {}

    def convert(self, graph, inputs):
        """Return the values of the graph's output, in its structure; ``inputs`` are the values of its placeholders."""
        inputs = iter(inputs)
        for node in graph.nodes:
            if node.op == "placeholder":
                self.values[node] = note_free(next(inputs), node)
            elif node.op == "get_attr" and isinstance(node.meta["val"], GraphModule):
                continue  # converted with the branch or loop that calls it
            elif node.op == "get_attr":
                self.values[node] = self.builder.add_tensor(
                    node.meta["val"],
                    self.builder.name("constant") if node.target.startswith("_") else self.member(node),
                )
            elif node.op == "output":
                return map_arg(node.args[0], self.value_of)
            else:
                if not self.composed:
                    self.builder.caller = node
                self.values[node] = self.convert_call(node)
        return None

    def convert_inner(self, module, inputs):
        """Return the values of a branch, whose inputs have these values."""
        graph, _ = without_writes(module.graph)
        return Converter(self.builder, self.sizes, self.composed).convert(graph, inputs)

    def member(self, node):
        """Return the name of a parameter: its path, unless it is taken."""
        taken = {each.name for each in self.builder.initializers}
        return self.builder.name(node.target) if node.target in taken else node.target

    def value_of(self, node):
        return self.values[node]

    def convert_call(self, node):
        """Convert a call, and return its values."""
        name = getattr(node.target, "_opname", None)
        if isinstance(node.target, HigherOrderOperator):
            return convert_branches(self, node)
        if node.target is operator.getitem:
            return note_free(self.values[node.args[0]][node.args[1]], node)
        if name == "sym_size":
            return self.builder.Gather(
                self.builder.Shape(self.values[node.args[0]]), self.builder.int_scalar(node.args[1]), axis=0
            )
        if name is None and node.target in NUMBERS:
            return self.convert_number(node)
        name = operator_name(node)
        found = FORMS.get(name) or FORMS.get(FIRST.get(name))
        if found is None:
            raise no_form(node)
        try:
            result = self.apply(found, node)
        except OnnxExporterError:
            raise
        except FixedSize as error:
            raise no_form(node, str(error)) from None
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, NotImplementedError) as error:
            raise no_form(node, f"{type(error).__name__}: {error}") from error
        described = self.describe(result, node.meta["val"])
        return note_free(described, node) if isinstance(described, Value) else described

    def convert_number(self, node):
        """Convert arithmetic of numbers: those with fractions are of double precision."""
        builder, dtype = self.builder, torch.float64 if type(node.meta["val"]) is float else torch.int64
        operands = [self.values[each] if isinstance(each, Node) else each for each in node.args]
        operands = [builder.operand(each, dtype) for each in operands]
        if node.target is operator.floordiv and may_be_negative(node.args[0]):  # where ONNX rounds up
            operands[0] = builder.Sub(operands[0], builder.Mod(*operands))
        return getattr(builder, NUMBERS[node.target])(*operands)

    def describe(self, result, example):
        """Add ranks and examples to the result of a form."""
        if isinstance(result, (list, tuple)):
            return [
                self.describe(each, example[place]) if each is not None else None for place, each in enumerate(result)
            ]
        if isinstance(example, (list, tuple)):
            return [self.describe(result, example[0])]
        if isinstance(example, Tensor):
            if result.dtype is not example.dtype:
                result = self.builder.cast(result, example.dtype)
            if result.example is None:
                result.rank, result.example = example.dim(), example
        return result

    def apply(self, found, node):
        """Apply a form to a node."""
        arguments = name_arguments(node)
        if found.operands == "composed":
            return self.convert_composed(found.compute, node, arguments)
        values = {name: map_arg(each, self.value_of) for name, each in arguments.items()}
        if found.operands != "as they are":
            values = self.promote(found, node, values)
        if found.text and "self" not in values and "input" in values:
            values["self"] = values["input"]
        if found.text:
            # the text comes from the form
            return eval(found.compute, {"__builtins__": {}}, Names(self.builder, node, values))
        if not hasattr(node.target, "_opname"):
            values = fit_names(found.compute, values)
        return found.compute(self.builder, node, **values)

    def promote(self, found, node, values):
        """Convert tensors among the arguments to the dtype that the operator computes in."""
        if found.operands == "result":
            wanted = dtype_of(node.meta["val"])
        else:
            tensors = [each for each in map_examples(node) if isinstance(each, (Tensor, int, float, bool))][:2]
            wanted = torch.result_type(*tensors) if len(tensors) == 2 else dtype_of(tensors[0])
            if wanted is torch.bool and node.target._opname not in ("eq", "ne"):
                wanted = torch.int32
        numbers = (
            ("self", "other", "min", "max", "exponent", "values")
            if found.text or node.target._opname in ("fmod", "clamp", "clip", "remainder", "floor_divide")
            else ()
        )
        made = {}
        for name, each in values.items():
            if isinstance(each, Value) and each.dtype is not wanted:
                each = self.builder.cast(each, wanted)
            elif name in numbers and isinstance(each, (int, float)):
                each = self.builder.number(each, wanted)
            made[name] = each
        return made

    def convert_composed(self, program, node, arguments):
        """Trace a composed form on the examples, and convert its graph."""
        graph = self.record(program, node, arguments, "val")
        if self.sizes:
            other = self.record(program, node, arguments, "resized")
            keep_resized(graph, other)
            for each in graph.nodes:
                each.meta["sizes"] = mark_free(each.meta.get("val"), each.meta.get("resized"))
        for each in graph.nodes:
            each.meta["place"] = node.meta.get("place")
        given = []
        map_arg(arguments, lambda each: given.append(self.values[each]))
        return Converter(self.builder, self.sizes, composed=True).convert(without_writes(graph)[0], given)

    def record(self, program, node, arguments, which):
        """Return the graph of a composed form; ``which`` of their values the arguments have."""
        recorder = Recorder({}, self.sizes, strict=False)
        recorder.graph.reading = lambda *kind: None  # numbers with fractions are recorded

        def enter(value):
            if not isinstance(value, Node):
                return value
            example, name = value.meta.get(which, value.meta["val"]), f"input_{len(recorder.graph.nodes)}"
            if isinstance(example, Tensor):
                recorder.add_input(name, stand_in(example))
                return recorder.kept[-1]
            traced = {int: TracedInt, float: TracedFloat}.get(type(example))
            if traced is None:
                raise no_form(node, "one of its arguments is computed")
            return traced(example, recorder.add_input(name, example))

        values = to_plain(map_arg(arguments, enter))
        positional = values.pop("*", ())
        values = fit_names(program, with_reduction(values))
        with recorder:
            result = program(*positional, **values)
        if result is NotImplemented:
            raise no_form(node)
        recorder.graph.output(outputs_of(recorder, result))
        return recorder.graph


def mark_free(value, other):
    """Return the sizes of a value, "?" for those that are different at other sizes; None for what is no tensor."""
    if not isinstance(value, Tensor) or not isinstance(other, Tensor):
        return None
    return [size if size == changed else "?" for size, changed in zip(value.shape, other.shape)]


def note_free(value, node):
    """Note which dimensions of a value stay free, as the trace named their sizes; return the value."""
    sizes = node.meta.get("sizes")
    if isinstance(value, Value) and isinstance(sizes, list):
        value.free = frozenset(dim for dim, size in enumerate(sizes) if isinstance(size, str))
    return value


def may_be_negative(size):
    """Return True if the expression of a size contains a difference or a negative number."""
    if not isinstance(size, Node):
        return size < 0
    if getattr(operator, getattr(size.target, "__name__", ""), None) is not size.target:
        return False
    return size.target in (operator.neg, operator.sub) or any(map(may_be_negative, size.args))


ALIASES = {
    "input": ("self", "x1"),
    "self": ("input",),
    "a": ("self",),
    "b": ("other",),
    "tensor": ("self",),
    "x1": ("self",),
}
"""Name of an argument -> alternative names in forms."""


LEGACY = ("size_average", "reduce")
"""Arguments of losses that ``reduction`` has replaced."""


def with_reduction(values):
    """Replace the two legacy arguments of a loss by ``reduction``."""
    average, reduce = (values.get(name) for name in LEGACY)
    if average is None and reduce is None:
        return values
    rest = {name: each for name, each in values.items() if name not in LEGACY}
    return rest | {"reduction": "none" if reduce is False else "sum" if average is False else "mean"}


def fit_names(function, values):
    """Rename the arguments of a public function to the names in a form."""
    import inspect

    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return values
    found = {}
    for name, each in values.items():
        own = next((other for other in (name, *ALIASES.get(name, ())) if other in parameters), name)
        if own in parameters or each is not None and (each is not False or name in LEGACY) and name != "_stacklevel":
            found[own] = each
    return found


def stand_in(example):
    """Make a second tensor on the same elements, because the inputs of a program must be distinct."""
    return example.detach().view(example.shape) if example.is_contiguous() else example.detach().clone()


def outputs_of(recorder, result):
    if isinstance(result, (tuple, list)):
        return (
            type(result)(outputs_of(recorder, each) for each in result)
            if not hasattr(result, "_fields")
            else tuple(outputs_of(recorder, each) for each in result)
        )
    return recorder.node_of(result)


def map_examples(node):
    """Return the arguments with examples in place of nodes."""
    return [each.meta["val"] if isinstance(each, Node) else each for each in (*node.args, *node.kwargs.values())]


FIRST = SYNONYMS | SPECIAL
"""Second name of an operator -> the first, which forms have."""


def by_first_names(operator, arguments):
    """Return the arguments of an operator under a second name by the parameters of the first."""
    first = FIRST.get(operator._opname)
    if first is None:
        return arguments
    own = [p.name for p in operator.parameters]
    names = next([p.name for p in e.parameters] for e in schemas()[first].values() if len(e.parameters) == len(own))
    return {dict(zip(own, names))[name]: value for name, value in arguments.items()}


def name_arguments(node):
    """Return the arguments of a call by name, with the operator's defaults."""
    if hasattr(node.target, "_opname"):
        parameters = node.target.parameters
        given = dict(zip([p.name for p in parameters if not p.named], node.args)) | node.kwargs
        found = {}
        for p in parameters:
            if p.name in given:
                found[p.name] = given[p.name]
            elif p.default is not REQUIRED and not (
                p.named and p.name in ("layout", "device", "pin_memory", "memory_format")
            ):
                found[p.name] = {"Mean": 1}.get(p.default, p.default) if isinstance(p.default, str) else p.default
        for name in ("layout", "device", "pin_memory", "memory_format", "non_blocking", "copy"):
            found.pop(name, None)
        return by_first_names(node.target, found)
    import inspect

    target = getattr(torch.Tensor, node.target) if isinstance(node.target, str) else node.target
    bound = inspect.signature(target).bind(*node.args, **node.kwargs)
    found = dict(bound.arguments)
    for name, p in bound.signature.parameters.items():
        if p.kind is p.VAR_POSITIONAL and name in found:
            found["*"] = found.pop(name)
        elif p.kind is p.VAR_KEYWORD and name in found:
            found |= found.pop(name)
    return {
        name: each for name, each in found.items() if name not in ("size_average", "reduce", "out") or each is not None
    }
