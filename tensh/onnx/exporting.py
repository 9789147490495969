"""torch.onnx.export: a model is traced on examples and written as ONNX."""

import inspect
import threading
from contextlib import contextmanager

import numpy as np

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.fx.branches import walk_nodes
from tensh.jit.files.operators import Unknown
from tensh.jit.recorded_branches import keep_branches
from tensh.nn.modules.module import Module
from tensh.onnx.builder import TYPES, Builder, Value
from tensh.onnx.comparing import find_difference
from tensh.onnx.control import list_read_names
from tensh.onnx.converting import Converter
from tensh.onnx.errors import OnnxExporterError, describe_line, no_form
from tensh.onnx.library import require_onnx
from tensh.onnx.lowering import OLDEST, Unlowered, lower_model
from tensh.onnx.writing import write_model
from tensh.tracing.functional import Unwritable, without_writes
from tensh.tracing.program import fill, flatten_like, trace_program
from tensh.tracing.reading import GuardOnDataDependentSymNode, refuse_reading, warn_of_reading
from tensh.tracing.sizes.declared import read_dynamic_shapes
from tensh.tracing.sizes.dims import UserError
from tensh.tracing.sizes.dynamic import read_dynamic_axes, trace_dynamic

__all__ = ["ONNXProgram", "OnnxExporterError", "export", "is_in_onnx_export"]

OPSETS = range(OLDEST, 24)
DEFAULT = 18
IR = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}
"""Version of the operators -> version of the file format."""


class ExportState(threading.local):
    """The state of a thread: ``now`` is True during an export."""

    now = False


running = ExportState()


def is_in_onnx_export():
    """Return True while ``torch.onnx.export`` runs.

    >>> import tensh as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return running.now


class ONNXProgram:
    """The result of ``export``: ``model_proto`` is the model in the package onnx, ``save`` writes it, a call runs it.

    A call uses onnxruntime if it is installed, otherwise tensh.
    """

    def __init__(self, model_proto, program):
        self.model_proto, self._program = model_proto, program

    def save(self, destination, *, external_data=None, **options):
        """Write the model to a path or a binary file.

        ``external_data`` writes the weights to ``PATH.data``; so does a model that is too large for one file.
        """
        write_model(self.model_proto, destination, external_data)

    def __call__(self, *args, **kwargs):
        values = flatten_like(self._program.structure, args, kwargs)
        names = [each.name for each in self.model_proto.graph.input]
        try:
            import onnxruntime
        except ImportError:
            from tensh.onnx.reading import OnnxModule

            made = OnnxModule(self.model_proto)(*values)
            return list(made) if isinstance(made, tuple) else [made]
        session = onnxruntime.InferenceSession(self.model_proto.SerializeToString())
        results = session.run(None, {name: value.detach().numpy() for name, value in zip(names, values)})
        return [torch.from_numpy(np.asarray(each)) for each in results]

    def __repr__(self):
        graph = self.model_proto.graph
        return f"ONNXProgram({', '.join(each.name for each in graph.input)} -> {', '.join(each.name for each in graph.output)}, {len(graph.node)} nodes)"


def export(
    model, args=(), f=None, *, kwargs=None, verbose=None, input_names=None, output_names=None, opset_version=None, dynamo=True,
    external_data=True, dynamic_shapes=None, export_params=True, keep_initializers_as_inputs=False, dynamic_axes=None, training=None,
    do_constant_folding=True, verify=False, **others,
):  # fmt: skip
    """Write a model or a function as ONNX: it runs once on ``args``, and its operators become the graph.

    Args:
        model: a module, a function, or a result of ``torch.jit.trace`` or ``torch.export.export``. Branches and loops of
            what ``torch.jit.script`` or ``torch.jit.load`` returns become ``If`` and ``Loop``.
        args: the example, a tensor or a tuple of arguments; ``kwargs`` are those by keyword.
        f: a path or a binary file; None writes nothing. Weights of a path are written to ``PATH.data``, unless
            ``external_data`` or ``dynamo`` is False.
        input_names, output_names: names in the graph, in the order of the tensors.
        opset_version: the version of ONNX's operators, 9 to 23; 18 by default, and with a warning for models with
            operators that an older version lacks.
        dynamic_axes: input name -> {dimension: name}, or a list of dimensions, whose size may change.
        dynamic_shapes: the same by argument, as in ``torch.export.export``.

    Return an ``ONNXProgram``. Raise OnnxExporterError for an operator without a form, naming it and the line that calls
    it, for a dynamic size that the program fixes, and if Python reads elements (with ``dynamo=False`` this is a
    warning, and the values read become constants); ImportError without the package onnx. Modules are exported in their
    current mode: call ``eval()`` before.

    >>> import tensh as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())
    >>> torch.onnx.export(model, torch.randn(1, 4), "model.onnx", dynamic_axes={"input": {0: "batch"}})  # doctest: +SKIP
    ONNXProgram(input -> relu, 2 nodes)
    """
    require_onnx("torch.onnx.export")
    opset = DEFAULT if opset_version is None else opset_version
    if opset not in OPSETS:
        raise ValueError(f"opset_version must be from {OPSETS[0]} to {OPSETS[-1]}, but got {opset}")
    args = (args,) if isinstance(args, (Tensor, dict)) else tuple(args)
    kwargs = dict(kwargs or {})
    if not kwargs and isinstance(model, Module) and ends_in_keywords(model, args):
        args, kwargs = args[:-1], args[-1]
    if hasattr(model, "_traced") and input_names is None:
        input_names = [node.target for node in model._traced.inputs]
    running.now = True
    try:
        on_read = refuse_reading if dynamo else warn_of_reading
        with keep_branches(model):
            program, dynamic = trace(model, args, kwargs, dynamic_axes, dynamic_shapes, input_names, on_read)
        name = getattr(model, "__name__", type(model).__name__)
        proto = convert(program, max(opset, DEFAULT), input_names, output_names, dynamic, name)
        proto = lower(proto, opset) if opset < DEFAULT else proto
    except GuardOnDataDependentSymNode as error:
        raise OnnxExporterError(str(error)) from None
    except Unknown as error:
        raise OnnxExporterError(f"{error}{describe_line(error.place)}") from None
    finally:
        running.now = False
    if f is not None:
        write_model(proto, f, dynamo and external_data)
    made = ONNXProgram(proto, program)
    if verify:
        require_same(made, args, kwargs, program.result)
    return made


def lower(proto, opset):
    """Return a model in an older version of the operators; with a warning as it is if that lacks one of them."""
    try:
        return lower_model(proto, opset)
    except Unlowered as reason:
        warn(f"the model keeps the opset {DEFAULT}: {opset} has no equivalent of it ({reason})", UserWarning)
        return proto


def ends_in_keywords(model, args):
    """Return True if the last argument is a dictionary that the model takes as keywords; other dictionaries are values."""
    if not args or not isinstance(args[-1], dict):
        return False
    try:
        inspect.signature(model.forward).bind(*args[:-1], **args[-1])
    except TypeError:
        return False
    return True


def trace(model, args, kwargs, dynamic_axes, dynamic_shapes, input_names, on_read):
    """Return (program, names of dynamic dimensions) of a model; with dynamic dimensions, sizes are traced."""
    if hasattr(model, "_traced"):
        return retrace(model)
    known = getattr(model, "_program", None)
    if known is not None and dynamic_axes is None and dynamic_shapes is None:
        return known, {}
    if dynamic_axes is None and dynamic_shapes is None:
        return trace_program(model, args, kwargs, on_read=on_read), {}
    if dynamic_axes is not None:
        dynamic = read_dynamic_axes(model, args, kwargs, dynamic_axes, input_names)
    else:
        dynamic = read_dynamic_shapes(model, args, kwargs, dynamic_shapes, strings=True)
    try:
        return trace_dynamic(model, args, kwargs, dynamic, on_read, resized=True), dynamic
    except (UserError, ValueError) as error:
        raise OnnxExporterError(str(error)) from None


def retrace(exported):
    """Return (program, names of dynamic dimensions) of an exported program, which may have no examples."""
    program = exported._traced
    inputs = []
    for node in program.inputs:
        value = node.meta["val"]
        if not hasattr(value, "array"):  # a value of a program that was read from a file
            sizes = [each if type(each) is int else max(program.bounds[str(each)].lower, 2) for each in value.shape]
            value = torch.zeros(sizes, dtype=value.dtype)
        inputs.append(value)
    args, kwargs = fill(program.structure, inputs)
    module = exported.module(check_guards=False)
    if not program.dynamic:
        return trace_program(module, args, kwargs, on_read=refuse_reading), {}
    return trace_dynamic(module, args, kwargs, program.dynamic, refuse_reading, resized=True), program.dynamic


def convert(program, opset, input_names, output_names, dynamic, name):
    """Return the ONNX model of a program."""
    builder, nodes, inputs, outputs = write_nodes(program, opset, input_names, output_names, bool(dynamic))
    if dynamic:
        with other_values(program):
            other, second, *_ = write_nodes(program, opset, input_names, output_names, True)
        refuse_fixed_sizes(builder, nodes, other, second)
    onnx = builder.onnx
    used = {each for node in nodes for each in list_read_names(node)}
    initializers = [each for each in builder.initializers if each.name in used]
    names_of_inputs, names_of_outputs = dynamic_names(program, dynamic)
    described = describe(onnx, [(each.name, each.example) for each in inputs], names_of_inputs)
    graph = onnx.helper.make_graph(nodes, name, described, describe(onnx, outputs, names_of_outputs), initializers)
    versions = [onnx.helper.make_opsetid("", opset)]
    model = onnx.helper.make_model(graph, opset_imports=versions, ir_version=IR[opset], producer_name="tensh")
    onnx.checker.check_model(model)
    return model


def refuse_fixed_sizes(builder, nodes, other, other_nodes):
    """Raise unless a program has the same nodes and weights when it is traced with other sizes."""
    different = find_difference((nodes, builder.initializers), (other_nodes, other.initializers))
    if different is not None:
        raise no_form(builder.callers[different], "it would fix the size of a dynamic dimension")


def describe(onnx, examples, names):
    """Return the descriptions of inputs or outputs from (name, example); ``names`` has the dynamic dimensions of each."""
    return [
        onnx.helper.make_tensor_value_info(name, TYPES[str(example.dtype)[6:]], sizes(example, names.get(place, {})))
        for place, (name, example) in enumerate(examples)
    ]


@contextmanager
def other_values(program):
    """Let the nodes of a program have their values at other sizes."""
    nodes = [
        node
        for node in walk_nodes(program.graph)
        if isinstance(node.meta.get("resized"), Tensor | int | float | tuple | list)
    ]

    def swap():
        for node in nodes:
            node.meta["val"], node.meta["resized"] = node.meta["resized"], node.meta["val"]

    swap()
    try:
        yield
    finally:
        swap()


def write_nodes(program, opset, input_names, output_names, free):
    """Return (builder, nodes on which outputs depend, inputs as values, (name, example) of each output)."""
    builder = Builder(opset)
    try:
        graph, _ = without_writes(program.graph)
    except Unwritable as error:
        raise OnnxExporterError(str(error)) from None
    inputs = []
    for number, node in enumerate(graph.find_nodes(op="placeholder")):
        value, own = node.meta["val"], input_names[number] if input_names and number < len(input_names) else node.target
        inputs.append(Value(own, value.dtype, value.dim(), value))
    values = flatten(Converter(builder, sizes=free).convert(graph, inputs))
    examples = flatten(program.result)
    outputs, taken = [], {each.name for each in inputs} | {each.name for each in builder.initializers}
    taken |= {name for node in builder.nodes for name in node.output}
    for number, (value, example) in enumerate(zip(values, examples)):
        if not isinstance(value, Value):
            raise OnnxExporterError(f"an ONNX model returns tensors only, but output {number} is {value!r}")
        wanted = (
            output_names[number] if output_names and number < len(output_names) else name_of_output(program, number)
        )
        while wanted in taken:
            wanted += "_"
        taken.add(wanted)
        builder.nodes.append(builder.onnx.helper.make_node("Identity", [value.name], [wanted], name=wanted))
        builder.callers[wanted] = builder.callers.get(value.name)
        outputs.append((wanted, example))
    return builder, prune(builder.nodes, [each for each, _ in outputs]), inputs, outputs


def flatten(value):
    """Return the leaves of a result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for each in value for leaf in flatten(each)] if isinstance(value, (tuple, list)) else [value]


def name_of_output(program, number):
    """Return the name of an output: that of the operator that computes it."""
    nodes = flatten(program.graph.output_node().args[0])
    return nodes[number].name if len({each.name for each in nodes}) == len(nodes) else f"output_{number}"


def prune(nodes, wanted):
    """Return the nodes on which the outputs depend."""
    needed, kept = set(wanted), []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            kept.append(node)
            needed.update(list_read_names(node))
    return kept[::-1]


def dynamic_names(program, dynamic):
    """Return (input position -> {dimension: name}, output position -> {dimension: name})."""
    return dynamic or {}, getattr(program, "output_dims", {})


def sizes(example, names):
    """Return the sizes of a value, with names for dynamic ones."""
    return [names.get(dim, size) for dim, size in enumerate(example.shape)]


def require_same(made, args, kwargs, expected):
    """Raise OnnxExporterError if the model's results differ on the example."""
    from tensh.testing import assert_close

    for ours, theirs in zip(made(*args, **kwargs), flatten(expected)):
        try:
            assert_close(ours, theirs.detach(), rtol=1e-3, atol=1e-5, equal_nan=True)
        except AssertionError as error:
            raise OnnxExporterError(f"the exported model differs on the example:\n{error}") from None
