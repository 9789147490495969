"""Splitting a dataset or a tensor: counts that do not add up, percentages, uneven parts."""

import ast
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.attempts import make_shadow, works
from tensh.support.language import _

NUMBERS = (int, float)


def explain_split(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation((explain_subset, explain_parts_of_dataset, explain_uneven_parts), situation)


def known_length(data):
    """Return the number of samples of a value if its length is known without running user code, else None."""
    tensors = getattr(data, "tensors", None)
    if type(tensors) is tuple and tensors and isinstance(tensors[0], Tensor):
        return len(tensors[0])
    return len(data) if isinstance(data, Tensor) and data.dim() or type(data) in (list, tuple, range) else None


def evaluate_any(situation, node):
    """Evaluate an expression: a name, or one computed from numbers and shapes."""
    value = situation.look_up(node)
    return situation.evaluate(node) if value is None else value


def is_call_of(node, name):
    """Return True if a node calls a function of some name, qualified or not."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name


def explain_subset(situation):
    """Explain `Subset(data, 10)`, which fails when its samples are counted or read."""
    if not situation.says("'int'") and not situation.says("'float' object"):
        return None
    tree = situation.place.tree()
    made = [node for node in (ast.walk(tree) if tree else ()) if is_call_of(node, "Subset") and len(node.args) == 2]
    values = [evaluate_any(situation, node.args[1]) for node in made]
    if len(made) != 1 or type(values[0]) not in NUMBERS:
        return None
    data, count = map(ast.unparse, made[0].args)
    if type(values[0]) is float:
        count = f"int({count} * len({data}))"
    rule = _("Subset expects the indices of its samples, but {text} is a single number")
    fit = replace_node(situation.place, made[0].args[1], f"range({count})")
    return Explanation("Subset", (), rule.format(text=ast.unparse(made[0].args[1])), (fit,) if fit else ())


def explain_parts_of_dataset(situation):
    """Explain `random_split(data, [7, 2])` of 10 samples, `[80, 20]`, `[0.8, 0.3]`, and `random_split(data, 7, 3)`."""
    node = situation.place.node()
    if not is_call_of(node, "random_split") or len(node.args) < 2:
        return None
    if situation.says("object is not iterable"):
        return explain_parts_unlisted(situation, node)
    if situation.says("randperm()", "float") and isinstance(node.args[1], ast.List | ast.Tuple):
        return explain_fractions_of_count(situation, node)
    if not situation.says("Sum of input lengths does not equal"):
        return None
    counts = evaluate_any(situation, node.args[1])
    if type(counts) not in (list, tuple) or not all(type(each) in NUMBERS for each in counts):
        return None
    written, text = node.args[1], ast.unparse(node.args[0])
    elements = written.elts if isinstance(written, ast.List | ast.Tuple) else ()
    if any(type(each) is float for each in counts):
        rule = _("fractions of a split must add up to 1, but these add up to {sum:g}").format(sum=sum(counts))
        last = round(1 - sum(counts[:-1]), 10)
        fit = replace_node(situation.place, elements[-1], f"{last:g}") if is_number(elements) and last > 0 else None
        return Explanation("random_split", (), rule, (fit,) if fit else ())
    size = known_length(situation.look_up(node.args[0]))
    if size is None:
        rule = _("the parts have {sum} samples, but {text} has a different number").format(text=text, sum=sum(counts))
    else:
        rule = _("{text} has {size} samples, but the parts have {sum}").format(text=text, size=size, sum=sum(counts))
    if sum(counts) == 100 and all(isinstance(each, ast.Constant) for each in elements):
        parts = ", ".join(f"{each / 100:g}" for each in counts)
        fit = elements and replace_node(situation.place, written, f"[{parts}]")
    else:
        fit = fill_last(situation, text, counts, elements, size)
    advice = None if fit else _("compute the last part from the others: len({text}) - ...").format(text=text)
    return Explanation("random_split", (), rule, (fit,) if fit else (), advice)


def explain_uneven_parts(situation):
    """Explain `q, k, v = h.split(5, dim=1)` of 12 columns, whose parts do not fit together in what failed."""
    node, tree = situation.expression(), situation.place.tree()
    if node is None or tree is None or not situation.says("size") and not situation.says("shapes"):
        return None
    for name in {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}:
        split = find_uneven_split(situation, name)
        if split is None:
            continue
        shapes = ([split.even if d == split.dim else n for d, n in enumerate(each.shape)] for each in split.parts)
        even = [each.new_empty(shape) for each, shape in zip(split.parts, shapes)]
        if not works_with(node, situation, dict(zip(split.names, even, strict=True))):
            continue
        rule = _(
            "dim {dim} of size {size} was split into parts of {step}, so the last has only {last}; {count} equal parts have {even}"
        )
        count, last = len(split.parts), split.parts[-1].shape[split.dim]
        rule = rule.format(
            dim=split.dim, size=split.even * count, step=split.step, last=last, count=count, even=split.even
        )
        number = next(each for each in split.call.args if isinstance(each, ast.Constant) and each.value == split.step)
        fit = replace_node(situation.place, number, str(split.even))
        return Explanation("split", (), rule, (fit,)) if fit else None
    return None


class UnevenSplit(NamedTuple):
    """A call of `split` with parts of ``step`` along ``dim``, of which the last is smaller; equal ones have ``even``."""

    call: ast.Call
    step: int
    names: list
    parts: list
    dim: int
    even: int


def find_uneven_split(situation, name):
    """Return the UnevenSplit whose parts a name and others were assigned; None if there is none."""
    match situation.find_assignment(name):
        case ast.Assign(
            targets=[ast.Tuple(elts=targets)],
            value=ast.Call(args=[*_, ast.Constant(value=int(step))] | [*_, ast.Constant(value=int(step)), _]) as call,
        ):
            pass
        case _:
            return None
    if not is_call_of(call, "split") or not all(isinstance(each, ast.Name) for each in targets):
        return None
    parts = [situation.look_up(each) for each in targets]
    if not all(isinstance(each, Tensor) and each.dim() for each in parts):
        return None
    dims = [d for d in range(parts[0].dim()) if len({each.shape[d] for each in parts}) > 1]
    total = sum(each.shape[dims[0]] for each in parts) if len(dims) == 1 else 1
    if len(dims) != 1 or total % len(parts):
        return None
    return UnevenSplit(call, step, [each.id for each in targets], parts, dims[0], total // len(parts))


def works_with(node, situation, values):
    """Return True if code works when some names have other values."""
    return works(getattr(node, "value", node), make_shadow(situation.names, node, others=values)) is True


def is_number(elements):
    return bool(elements) and isinstance(elements[-1], ast.Constant)


def fill_last(situation, text, counts, elements, size):
    """Return the Fit with the remaining samples as the last part, as a number or computed; None if impossible."""
    left = None if size is None else size - sum(counts[:-1])
    if not elements or left is None or left < 0:
        return None
    if is_number(elements):
        return replace_node(situation.place, elements[-1], str(left))
    if not isinstance(elements[-1], ast.Name):
        return None
    made = situation.find_assignment(elements[-1].id)
    is_alone = isinstance(made, ast.Assign) and [*map(ast.unparse, made.targets)] == [elements[-1].id]
    lines = [made.lineno if is_alone else None]
    for each in elements[:-1]:
        other = situation.find_assignment(each.id) if isinstance(each, ast.Name) else each
        lines.append(getattr(other, "lineno", None) if not isinstance(each, ast.Constant) else 0)
    if None in lines or max(lines[1:]) >= lines[0]:  # the other parts must be known by then
        return None
    rest = " - ".join([f"len({text})", *map(ast.unparse, elements[:-1])])
    return Fit(f"{elements[-1].id} = {rest}", "", made.lineno)


def explain_parts_unlisted(situation, node):
    """Explain `random_split(data, 7, 3)`, and `random_split(data, 7)`."""
    values = [evaluate_any(situation, each) for each in node.args[1:]]
    if not all(type(each) in NUMBERS for each in values):
        return None
    text, *given = map(ast.unparse, node.args)
    if len(given) == 1:
        given.append(f"1 - {given[0]}" if type(values[0]) is float else f"len({text}) - {given[0]}")
    named = [ast.unparse(each) for each in node.keywords]
    rule = _("random_split expects the parts in a list")
    parts = f"[{', '.join(given)}]"
    code = f"{ast.unparse(node.func)}({', '.join([text, parts, *named])})"
    fit = replace_node(situation.place, node, code)
    return Explanation("random_split", (), rule, (fit,) if fit else ())


def explain_fractions_of_count(situation, node):
    """Explain `random_split(data, [0.8 * n, 0.2 * n])`, of counts that are not whole numbers."""
    written = node.args[1].elts
    factors = [product_with_fraction(each) for each in written]
    if None in factors or abs(sum(map(float, factors)) - 1) > 1e-9:
        return None
    rule = _("the parts of a split are numbers of samples, or fractions that add up to 1, but these are floats: {text}")
    rule = rule.format(text=ast.unparse(node.args[1]))
    fit = replace_node(situation.place, node.args[1], f"[{', '.join(factors)}]")
    return Explanation("random_split", (), rule, (fit,) if fit else ())


def product_with_fraction(node):
    """Return the fraction in `0.8 * n` or `n * 0.8`; None for other code."""
    parts = [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else []
    found = [ast.unparse(each) for each in parts if isinstance(each, ast.Constant) and type(each.value) is float]
    return found[0] if len(found) == 1 else None
