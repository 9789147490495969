"""Branches and loops of a graph as ONNX's nested graphs, which read values of the graphs around them by name."""

import tensh as torch
from tensh.onnx.builder import TYPES, Value
from tensh.support.temporary import temporarily


def convert_branches(converter, node):
    """Convert a call of a higher-order operator; return its values."""
    known = {"cond": convert_cond, "while_loop": convert_loop, "scan": convert_scan, "map_impl": convert_scan}
    convert = known[str(node.target)]
    return convert(converter, node)


def convert_cond(converter, node):
    """Convert a branch to ``If``, whose graphs have no inputs."""
    builder, (pred, first, second, operands) = converter.builder, node.args
    given, examples = [converter.values[each] for each in operands], node.meta["val"]
    graphs = [
        nest(builder, name, (), examples, lambda module=each.meta["val"]: converter.convert_inner(module, given))
        for name, each in (("then_branch", first), ("else_branch", second))
    ]
    made = builder.call(
        "If",
        [as_scalar(builder, converter.values[pred])],
        dict(zip(("then_branch", "else_branch"), graphs)),
        outputs=len(examples),
    )
    return describe(made, examples)


def convert_loop(converter, node):
    """Convert a loop to ``Loop``: its graph gets the step, the condition and what is carried."""
    builder, (cond, body, carried, more) = converter.builder, node.args
    cond, body = cond.meta["val"], body.meta["val"]
    given, examples = [converter.values[each] for each in carried], node.meta["val"]
    outer = [converter.values[each] for each in more]
    going = as_scalar(builder, converter.convert_inner(cond, [*given, *outer]))
    step, still = Value(builder.name("step"), torch.int64, 0), Value(builder.name("going"), torch.bool, 0)
    inputs = [Value(builder.name("carried"), each.dtype, each.dim(), each) for each in examples]

    def compute():
        results = converter.convert_inner(body, [*inputs, *outer])
        return [as_scalar(builder, converter.convert_inner(cond, [*results, *outer])), *results]

    graph = nest(builder, "body", (step, still, *inputs), (torch.tensor(True), *examples), compute)
    return describe(builder.call("Loop", [None, going, *given], {"body": graph}, outputs=len(examples)), examples)


def convert_scan(converter, node):
    """Convert a scan or a map to ``Scan``: its graph gets what is carried, and a row of each of the other operands."""
    builder, (body, *carried, rows, more) = converter.builder, node.args
    carried = carried[0] if carried else []
    given = [converter.values[each] for each in (*carried, *rows)]
    outer, results = [converter.values[each] for each in more], node.meta["val"]
    examples = [*(each.meta["val"] for each in carried), *(each.meta["val"][0] for each in rows)]
    inputs = [Value(builder.name("row"), each.dtype, each.dim(), each) for each in examples]
    shown = [*results[: len(carried)], *(each[0] for each in results[len(carried) :])]
    graph = nest(builder, "body", inputs, shown, lambda: converter.convert_inner(body.meta["val"], [*inputs, *outer]))
    attributes = {"body": graph, "num_scan_inputs": len(rows)}
    return describe(builder.call("Scan", given, attributes, outputs=len(results)), results)


def nest(builder, name, inputs, examples, compute):
    """Return the ONNX graph of the nodes that ``compute`` adds; its outputs are the results of ``compute``."""
    with temporarily(builder, nodes=[]):
        outputs = [builder.Identity(each) for each in compute()]
        helper = builder.onnx.helper
        infos = [
            helper.make_tensor_value_info(value.name, TYPES[str(example.dtype)[6:]], [None] * example.dim())
            for value, example in zip(outputs, examples)
        ]
        given = [
            helper.make_tensor_value_info(each.name, TYPES[str(each.dtype)[6:]], [None] * each.rank) for each in inputs
        ]
        return helper.make_graph(builder.nodes, name, given, infos)


def as_scalar(builder, value):
    """Return a condition as a boolean without dimensions."""
    value = builder.cast(value, torch.bool)
    return (
        value if value.rank == 0 else builder.Reshape(value, builder.array(torch.empty(0, dtype=torch.int64).numpy()))
    )


def describe(values, examples):
    """Give values the dtypes, ranks and examples of the results; return them as a list."""
    values = values if isinstance(values, list) else [values]
    for value, example in zip(values, examples):
        value.dtype, value.rank, value.example = example.dtype, example.dim(), example
    return values
