"""Sizes of the values of several traces as texts of the names of dimensions (``meta["sizes"]``)."""

import itertools
import operator

from tensh.engine.core.tensor import Tensor
from tensh.fx.branches import walk_nodes
from tensh.fx.experimental.size_names import list_expressions, list_quotients
from tensh.fx.node import Node
from tensh.tracing.sizes.decisions import evaluate, name_result, parse
from tensh.tracing.sizes.dims import read_derived
from tensh.tracing.sizes.numbers import ARITHMETIC, EXTREMES, TRUE_DIVISION
from tensh.tracing.sizes.operands import WINDOWS, describe_size
from tensh.tracing.sizes.unbacked import write_comparison

COMPARISONS = tuple(getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne"))


def is_arithmetic(node):
    return node.op == "call_function" and node.target in (*ARITHMETIC, TRUE_DIVISION, *EXTREMES.values())


def name_sizes(traces, more, dynamic):
    """Set the shape of values with dynamic sizes in terms of names (``meta["sizes"]``).

    ``more`` yields further traces: one decides between expressions, several between quotients.
    """
    for trace in itertools.chain(itertools.islice(more, 3), [None]):
        traces = traces if trace is None else [*traces, trace]
        named = name_values(traces, pair_sizes(traces, dynamic))
        if trace is None or not any("//" in str(node.meta["sizes"]) for node in named):
            return
        for node in named:
            del node.meta["sizes"]


def pair_sizes(traces, dynamic):
    """Return (name, its sizes in the traces) of dynamic dimensions, of which derived ones are their roots."""
    found = {}
    for place, _ in enumerate(traces[0].inputs):
        for dim, name in dynamic.get(place, {}).items():
            root, factor, offset = read_derived(name) or (name, 1, 0)
            sizes = [(each.inputs[place].meta["val"].shape[dim] - offset) // factor for each in traces]
            found.setdefault((root, *sizes), None)
    return list(found)


def name_values(traces, pairs):
    """Set the sizes that differ between traces, and return their nodes; ``pairs`` are (name, its sizes)."""
    found = []
    for node, *others in zip(*(walk_nodes(each.graph) for each in traces)):
        values = [each.meta.get("val") for each in (node, *others)]
        kinds = {type(each) for each in values}
        if "sizes" in node.meta:
            continue
        if all(isinstance(each, Tensor) for each in values) and len({each.dim() for each in values}) == 1:
            shapes = [each.shape for each in values]
            known = list_given((node, *others))
            if shapes[0] == shapes[1] and not any(each in known for each in zip(*shapes)):
                continue
            operands = list_operand_sizes((node, *others))
            windows = any(each in getattr(node.target, "_opname", "") for each in WINDOWS)
            node.meta["sizes"] = [
                known.get(sizes)
                or (sizes[0] if len({*sizes}) == 1 else None)
                or name_scaled(node, dim, sizes, operands)
                or choose_name(sizes, pairs, dim, operands, windows)
                for dim, sizes in enumerate(zip(*shapes))
            ]
        elif node.target in COMPARISONS and (text := write_outcome(node)) is not None:
            node.meta["sizes"] = text
        elif kinds in ({int}, {float}) and (values[0] != values[1] or node.target in EXTREMES.values()):
            text = name_result(node) if is_arithmetic(node) else None
            if text is None and kinds == {float}:
                continue
            node.meta["sizes"] = text or choose_name(values, pairs)
        else:
            continue
        found.append(node)
    return found


def name_scaled(node, dim, sizes, operands):
    """Return the text of a size of an image that is scaled by a number with a fraction; None for other sizes."""
    opname = getattr(node.target, "_opname", "")
    scales = next((each for each in node.args if isinstance(each, list) and each and type(each[0]) is float), None)
    if not opname.startswith("upsample_") or scales is None or dim < 2 or scales[dim - 2].is_integer():
        return None
    for place, numbers, text in operands:
        if place == dim and all(int(scales[dim - 2] * one) == other for one, other in zip(numbers, sizes)):
            return f"TruncToInt({scales[dim - 2]}*ToFloat({text}))"
    return None


def write_outcome(node):
    """Return the text of a comparison of sizes; None for one of numbers, or of unknown sizes."""
    texts = [each.meta.get("sizes") if isinstance(each, Node) else str(each) for each in node.args]
    if not node.all_input_nodes or any(not isinstance(each, str) for each in texts):
        return None
    return write_comparison(texts[0], node.target.__name__, texts[1])


GIVEN = "Max(", "Min(", "**"
"""Pieces of expressions that the sizes alone do not show."""


def list_given(nodes):
    """Return sizes in all traces -> expression of a value's operands, for those that are no sums and products of names."""
    found = {}
    for operands in zip(*(node.all_input_nodes for node in nodes)):
        texts = operands[0].meta.get("sizes")
        if isinstance(texts, str) and any(each in texts for each in GIVEN):
            found[tuple(each.meta["val"] for each in operands)] = texts
        for dim, text in enumerate(texts) if isinstance(texts, list) else ():
            if any(each in str(text) for each in GIVEN):
                found[tuple(each.meta["val"].shape[dim] for each in operands)] = text
    return found


def list_operand_sizes(nodes):
    """Return (dimension or None, numbers in all traces, text) of the dynamic sizes of a value's operands."""
    while nodes[0].target is operator.getitem:  # a part of what an operator returns
        nodes = [each.args[0] for each in nodes]
    found = []
    for operands in zip(*(node.all_input_nodes for node in nodes)):
        texts, values = operands[0].meta.get("sizes"), [each.meta.get("val") for each in operands]
        if isinstance(texts, str):
            found.append((None, tuple(values), texts))
        for dim, text in enumerate(texts) if isinstance(texts, list) else ():
            if isinstance(text, str):
                found.append((dim, tuple(each.shape[dim] for each in values), text))
    return [each for each in found if each[2] != "?"]


def choose_name(sizes, pairs, dim=None, operands=(), windows=False):
    """Return the simplest expression of a size that is right in all traces.

    ``operands`` are the sizes of operands, of which that of the same dimension is the likeliest; those that are
    quotients come before the sizes of the inputs, which may be equal to them by chance.
    """
    near = [(numbers, text) for place, numbers, text in sorted(operands, key=lambda each: each[0] != dim)]
    for numbers, text in near:
        if numbers == sizes:
            return text
    if any("//" in text for _, text in near) and (text := describe_size(sizes, near, windows)) is not None:
        return text
    first, second, *more = sizes
    named = [(one, two, name) for name, one, two, *_ in pairs]

    def fits(text):
        known = ({name: rest[number] for name, _, _, *rest in pairs} for number in range(len(more)))
        return all(evaluate(parse(text), each) == size for each, size in zip(known, more))

    found = next(filter(fits, list_expressions(first, second, named)), None) or describe_size(sizes, near, windows)
    return found or next(filter(fits, list_quotients(first, second, named)), "?")
