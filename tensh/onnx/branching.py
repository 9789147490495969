"""Branches and loops of a graph as ONNX's nested graphs, which read values of the graphs around them by name."""

import tensh as torch
from tensh.onnx.builder import TYPES, Value


def convert_branches(converter, node):
    """Convert a call of ``cond`` or ``while_loop``; return its values."""
    convert = {"cond": convert_cond, "while_loop": convert_loop}[str(node.target)]
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


def nest(builder, name, inputs, examples, compute):
    """Return the ONNX graph of the nodes that ``compute`` adds; its outputs are the results of ``compute``."""
    before, builder.nodes = builder.nodes, []
    try:
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
    finally:
        builder.nodes = before


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
