"""Models in an older version of ONNX's operators: inputs become attributes again, new operators are made of older ones.

Models are made in opset 18. A rule is a function that returns the nodes in place of one, in the wanted version; it
applies below the opset that it is registered with, the rule with the lowest such opset if there are several.
"""

import numpy as np

from tensh.onnx.library import require_onnx

__all__ = ["OLDEST", "Unlowered", "lower_model"]

OLDEST = 9
RULES = {}
"""Operator -> [(the opset below which the rule applies, the rule)]."""
IR = 7  # the version of the file format that all runtimes of these opsets read


class Unlowered(Exception):
    """The older version has no equivalent of an operator."""


def rule(names, below):
    """Register a rule for operators."""

    def register(function):
        for name in names.split():
            RULES.setdefault(name, []).append((below, function))
        return function

    return register


def lower_model(model, opset):
    """Return a model for an older version of the operators.  Raise Unlowered for what the version lacks."""
    onnx = require_onnx("torch.onnx.export")
    lowered = onnx.ModelProto()
    lowered.CopyFrom(model)
    lowered.opset_import[0].version, lowered.ir_version = opset, IR
    Lowering(onnx, onnx.shape_inference.infer_shapes(model).graph, opset).lower(lowered.graph)
    try:
        onnx.checker.check_model(lowered)
    except onnx.checker.ValidationError as error:
        raise Unlowered(str(error).strip().splitlines()[0]) from None
    return lowered


class Lowering:
    """The lowering of a graph and of those nested in it."""

    def __init__(self, onnx, inferred, opset):
        self.onnx, self.opset, self.count = onnx, opset, 0
        described = (*inferred.value_info, *inferred.input, *inferred.output)
        self.shapes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in described}
        self.shapes |= {each.name: list(each.dims) for each in inferred.initializer}
        self.constants = {}

    def lower(self, graph):
        """Lower the nodes of a graph in place."""
        read = self.onnx.numpy_helper.to_array
        self.constants |= {each.name: each for each in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = node.attribute[0].t
        nodes = []
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    self.lower(attribute.g)
            nodes += self.lower_node(node)
        del graph.node[:]
        graph.node.extend(nodes)
        used = {name for node in nodes for name in node.input} | {each.name for each in graph.output}
        kept = [each for each in graph.initializer if each.name in used or read(each).size > 8]
        del graph.initializer[:]
        graph.initializer.extend(kept)

    def lower_node(self, node):
        """Return the nodes in place of one."""
        if self.opset < 11:
            self.count_from_front(node)
        for below, function in sorted(RULES.get(node.op_type, ()), key=lambda each: each[0]):
            if self.opset < below:
                return function(self, node)
        return [node]

    def count_from_front(self, node):
        """Replace axes that are counted from the end, which versions before 11 do not know."""
        for attribute in node.attribute:
            if attribute.name == "axis" and attribute.i < 0:
                attribute.i += self.rank(node.input[0])
            elif attribute.name == "axes":
                values = [each % self.rank(node.input[0]) if each < 0 else each for each in attribute.ints]
                del attribute.ints[:]
                attribute.ints.extend(values)

    # ── what rules use ───────────────────────────────────────────────────────
    def make(self, kind, inputs, outputs=None, **attributes):
        """Return a new node; without names of outputs it has one, with a new name."""
        if outputs is None:
            self.count += 1
            outputs = [f"lowered_{self.count}"]
        return self.onnx.helper.make_node(kind, inputs, outputs, **attributes)

    def number(self, value):
        """Return a node for a number in single precision."""
        return self.make("Constant", [], value=self.onnx.numpy_helper.from_array(np.array(value, np.float32)))

    def numbers(self, node, place):
        """Return the numbers of an input, which must be a constant; None if there is none."""
        if len(node.input) <= place or not node.input[place]:
            return None
        proto = self.constants.get(node.input[place])
        if proto is None:
            raise Unlowered(f"{node.op_type} with {node.input[place]!r} that is computed")
        return self.onnx.numpy_helper.to_array(proto).reshape(-1).tolist()

    def option(self, node, name, default=None):
        found = next((each for each in node.attribute if each.name == name), None)
        return default if found is None else self.onnx.helper.get_attribute_value(found)

    def to_attribute(self, node, place, name):
        """Put the integers of an input into an attribute."""
        values = self.numbers(node, place)
        del node.input[place:]
        if values is not None:
            if self.opset < 11 and name == "axes" and min(values, default=0) < 0:
                rank = self.rank(node.input[0]) + (len(values) if node.op_type == "Unsqueeze" else 0)
                values = [each % rank for each in values]
            node.attribute.append(self.onnx.helper.make_attribute(name, values))
        return [node]

    def drop(self, node, name, allowed):
        """Drop an attribute that an older version lacks and that must have its default."""
        if self.option(node, name, allowed) != allowed:
            raise Unlowered(f"{node.op_type} with {name}")
        kept = [each for each in node.attribute if each.name != name]
        del node.attribute[:]
        node.attribute.extend(kept)
        return [node]

    def rank(self, name):
        if name not in self.shapes:
            raise Unlowered(f"a value {name!r} of unknown dimensions")
        return len(self.shapes[name])


REDUCTIONS = "ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp"


@rule("ReduceSum", 13)
@rule(REDUCTIONS, 18)
def lower_reduction(lowering, node):
    lowering.drop(node, "noop_with_empty_axes", 0)
    return lowering.to_attribute(node, 1, "axes")


@rule("Squeeze Unsqueeze", 13)
def lower_axes(lowering, node):
    return lowering.to_attribute(node, 1, "axes")


@rule("Split", 18)
def lower_split(lowering, node):
    count = lowering.option(node, "num_outputs")
    if count is not None:
        axis = lowering.option(node, "axis", 0)
        size = lowering.shapes[node.input[0]][axis] if node.input[0] in lowering.shapes else 0
        if not size or size % count:
            raise Unlowered("Split into uneven parts")
        lowering.drop(node, "num_outputs", count)
    return lowering.to_attribute(node, 1, "split") if lowering.opset < 13 else [node]


@rule("Pad", 18)
def lower_pad(lowering, node):
    if lowering.option(node, "mode") == b"wrap" or len(node.input) > 3 and node.input[3]:
        raise Unlowered("Pad with axes, or that wraps around")
    return [node]


@rule("Reshape", 14)
def lower_reshape(lowering, node):
    return lowering.drop(node, "allowzero", 0)


@rule("Resize", 13)
def lower_old_resize(lowering, node):
    """Give a region and scales that are empty, which were not optional."""
    if lowering.opset < 11:
        raise Unlowered("Resize by such coordinates")
    node, made = lower_resize(lowering, node)[0], []
    for place in (1, 2):
        if len(node.input) > place and not node.input[place]:
            made.append(lowering.number([]))
            node.input[place] = made[-1].output[0]
    return [*made, node]


@rule("Clip", 11)
def lower_clip(lowering, node):
    bounds = [lowering.numbers(node, place) for place in (1, 2)]
    del node.input[1:]
    for name, value in zip(("min", "max"), bounds):
        if value is not None:
            node.attribute.append(lowering.onnx.helper.make_attribute(name, float(value[0])))
    return [node]


@rule("Pad", 11)
def lower_old_pad(lowering, node):
    lower_pad(lowering, node)
    value = lowering.numbers(node, 2)
    lowering.to_attribute(node, 1, "pads")
    if value is not None:
        node.attribute.append(lowering.onnx.helper.make_attribute("value", float(value[0])))
    return [node]


@rule("Slice", 10)
def lower_slice(lowering, node):
    if set(lowering.numbers(node, 4) or [1]) != {1}:
        raise Unlowered("Slice with steps")
    given = {name: lowering.numbers(node, place) for place, name in enumerate(("starts", "ends", "axes"), 1)}
    del node.input[1:]
    for name, values in given.items():
        if values is not None:
            node.attribute.append(lowering.onnx.helper.make_attribute(name, values))
    return [node]


@rule("MaxPool AveragePool", 10)
def lower_pool(lowering, node):
    lowering.drop(node, "ceil_mode", 0)
    dilations = lowering.option(node, "dilations")
    return lowering.drop(node, "dilations", [1] * len(dilations)) if dilations else [node]


@rule("TopK", 11)
def lower_largest(lowering, node):
    lowering.drop(node, "sorted", 1)
    lowering.drop(node, "largest", 1)
    if lowering.opset >= 10:
        return [node]
    (count,) = lowering.numbers(node, 1)
    del node.input[1:]
    node.attribute.append(lowering.onnx.helper.make_attribute("k", count))
    return [node]


@rule("ArgMax ArgMin", 12)
def lower_extreme(lowering, node):
    return lowering.drop(node, "select_last_index", 0)


@rule("ScatterND ScatterElements", 16)
def lower_scatter(lowering, node):
    return lowering.drop(node, "reduction", b"none")


@rule("ScatterND ScatterElements", 18)
def refuse_extremes(lowering, node):
    if lowering.option(node, "reduction") in (b"max", b"min"):
        raise Unlowered(f"{node.op_type} with extrema")
    return [node]


@rule("Resize", 18)
def lower_resize(lowering, node):
    lowering.drop(node, "antialias", 0)
    return lowering.drop(node, "axes", None)


@rule("Softmax LogSoftmax", 13)
def lower_softmax(lowering, node):
    rank = lowering.rank(node.input[0])
    axis = lowering.option(node, "axis", -1) % max(rank, 1)
    if axis == rank - 1:
        return [lowering.make(node.op_type, [node.input[0]], list(node.output), axis=axis)]
    order = [place for place in range(rank) if place != axis] + [axis]
    there = lowering.make("Transpose", [node.input[0]], perm=order)
    found = lowering.make(node.op_type, [there.output[0]], axis=rank - 1)
    back = lowering.make("Transpose", [found.output[0]], list(node.output), perm=np.argsort(order).tolist())
    return [there, found, back]


@rule("LayerNormalization", 17)
def lower_layer_norm(lowering, node):
    x, scale, *bias = node.input
    if len(node.output) > 1:
        raise Unlowered("LayerNormalization with statistics")
    rank = lowering.rank(x)
    axes = list(range(lowering.option(node, "axis", -1) % rank, rank))
    mean = lowering.make("ReduceMean", [x], axes=axes)
    centred = lowering.make("Sub", [x, mean.output[0]])
    squares = lowering.make("Mul", [centred.output[0]] * 2)
    variance = lowering.make("ReduceMean", [squares.output[0]], axes=axes)
    epsilon = lowering.number(lowering.option(node, "epsilon", 1e-5))
    above = lowering.make("Add", [variance.output[0], epsilon.output[0]])
    root = lowering.make("Sqrt", [above.output[0]])
    scaled = lowering.make("Div", [centred.output[0], root.output[0]])
    outputs = None if bias else list(node.output)
    made = lowering.make("Mul", [scaled.output[0], scale], outputs)
    steps = [mean, centred, squares, variance, epsilon, above, root, scaled, made]
    return [*steps, lowering.make("Add", [made.output[0], bias[0]], list(node.output))] if bias else steps


@rule("HardSwish", 14)
def lower_hard_swish(lowering, node):
    part = lowering.make("HardSigmoid", list(node.input), alpha=1 / 6, beta=0.5)
    return [part, lowering.make("Mul", [node.input[0], part.output[0]], list(node.output))]


@rule("Mish", 18)
def lower_mish(lowering, node):
    soft = lowering.make("Softplus", list(node.input))
    part = lowering.make("Tanh", [soft.output[0]])
    return [soft, part, lowering.make("Mul", [node.input[0], part.output[0]], list(node.output))]


@rule("GreaterOrEqual LessOrEqual", 12)
def lower_comparison(lowering, node):
    kind = {"GreaterOrEqual": "Less", "LessOrEqual": "Greater"}[node.op_type]
    part = lowering.make(kind, list(node.input))
    return [part, lowering.make("Not", [part.output[0]], list(node.output))]
