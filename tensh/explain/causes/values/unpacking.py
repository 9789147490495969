"""Values unpacked into another number of names than they have parts: `a, b, c = x.chunk(2)`."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import message_of
from tensh.explain.source.place import FUNCTIONS, iterate_scope
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import statement_on
from tensh.explain.trials.fixes import COUNTING, append_to_expression, describe_shape
from tensh.support.language import _

COUNTS = re.compile(r"values to unpack \(expected (\d+)(?:, got (\d+))?\)")
MOST_SHAPES = 4  # parts that are shown
FLAGS = {
    "nonzero": ("as_tuple",),
    "unique": ("return_counts", "return_inverse"),
    "unique_consecutive": ("return_counts", "return_inverse"),
    **{f"max_pool{dims}d": ("return_indices",) for dims in (1, 2, 3)},
}
"""Functions, and the arguments by which they give more than one tensor."""
BY_COUNT = frozenset("chunk tensor_split".split())
"""Methods whose argument is the number of parts."""


def explain_unpacked(situation):
    """Explain more or fewer names than parts of a value."""
    counts = COUNTS.search(message_of(situation.error))
    tree, path = situation.place.tree(), situation.place.path()
    statement = statement_on(tree, situation.place.line) if tree else None
    if counts is None or not path or not isinstance(path[-1], ast.Tuple | ast.List):
        return None
    if not isinstance(statement, ast.Assign) or path[-1] is not statement.targets[0]:
        return None
    names, node = int(counts[1]), statement.value
    value = situation.evaluate(node)
    value = situation.look_up(node) if value is None else value
    if (
        isinstance(value, Tensor)
        and isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in COUNTING
    ):
        rule = _("{text} is one tensor, whose number of rows depends on its values, but there are {names} names")
        rule = rule.format(text=ast.unparse(node), names=names)
    elif isinstance(value, Tensor):
        rule = _("{text} is one tensor, {shape}, and unpacking yields its {count} rows, but there are {names} names")
        rule = rule.format(text=ast.unparse(node), shape=describe_shape(value), count=len(value), names=names)
    elif isinstance(value, tuple | list):
        rule = _("{text} returns {count} parts, but there are {names} names: {parts}").format(
            text=ast.unparse(node), count=len(value), names=names, parts=describe_parts(value)
        )
    else:
        return explain_returned(situation, node, names, counts[2])
    fit = (
        split_otherwise(situation, node, names)
        or give_more(situation, node, value, names)
        or name_rest(situation, path[-1], value, names)
    )
    return Explanation("unpack", (), rule, (fit,) if fit else (), None if fit else _("use as many names as parts"))


def describe_parts(value):
    shapes = [describe_shape(each) for each in value]
    return ", ".join(shapes[:MOST_SHAPES]) + (", ..." if len(shapes) > MOST_SHAPES else "")


def split_otherwise(situation, node, names):
    """Return the Fit of a call of `chunk` or `split` with as many parts as names; None if there is none."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="chunk" | "tensor_split" | "split" as method)):
            pass
        case _:
            return None
    is_function = situation.evaluate(owner) is None or not isinstance(situation.evaluate(owner), Tensor)
    given = node.args[1:] if is_function else node.args
    if not given or not isinstance(situation.evaluate(given[0]), int):
        return None
    rest = [*map(ast.unparse, given[1:]), *map(ast.unparse, node.keywords)]
    text, first = ast.unparse(owner), [ast.unparse(node.args[0])] if is_function else []
    whole = situation.evaluate(ast.parse(ast.unparse(node)).body[0].value)
    methods = [method, "tensor_split"] if method in BY_COUNT else [method]
    for each in methods:
        count = names if each in BY_COUNT else size_of_parts(whole, names)
        code = f"{append_to_expression(text, '')}.{each}({', '.join([*first, str(count), *rest])})"
        tried = situation.evaluate(ast.parse(code, mode="eval").body) if count else None
        if isinstance(tried, tuple | list) and len(tried) == names:
            return replace_node(situation.place, node, code)
    return None


def give_more(situation, node, value, names):
    """Return the Fit of a call that returns several tensors if asked: `x.nonzero(as_tuple=True)`; None if there is none."""
    if not isinstance(value, Tensor) or not isinstance(node, ast.Call) or len(value) == names:
        return None
    for flag in FLAGS.get(ast.unparse(node.func).rpartition(".")[2], ()):
        comma = ", " if node.args or node.keywords else ""
        code = f"{ast.unparse(node)[:-1]}{comma}{flag}=True)"
        tried = situation.evaluate(ast.parse(code, mode="eval").body)
        if isinstance(tried, tuple | list) and len(tried) == names:
            return replace_node(situation.place, node, code)
    return None


def size_of_parts(parts, names):
    """Return the size of equal parts, one per name; None if the whole is not divisible."""
    shapes = [each.shape for each in parts]
    dim = next((dim for dim in range(len(shapes[0])) if len({shape[dim] for shape in shapes}) > 1), 0)
    if len(shapes) > 1 and all(shape == shapes[0] for shape in shapes):
        return shapes[0][dim] * len(shapes) // names if not shapes[0][dim] * len(shapes) % names else None
    size = sum(shape[dim] for shape in shapes)
    return size // names if not size % names else None


def name_rest(situation, target, value, names):
    """Return the Fit with a name for the remaining parts; None if there are too few, or they are rows of a tensor."""
    if isinstance(value, Tensor) or len(value) <= names or any(isinstance(each, ast.Starred) for each in target.elts):
        return None
    rest = "_" if len(value) == names + 1 else "*_"
    return replace_node(situation.place, target, ", ".join([*map(ast.unparse, target.elts), rest]))


def explain_returned(situation, node, names, got):
    """Explain the number of values that a user function returns, without calling it again."""
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
    tree = situation.place.tree()
    made = [each for each in ast.walk(tree) if isinstance(each, FUNCTIONS) and getattr(each, "name", None) == name]
    returned = [each for each in iterate_scope(made[0]) if isinstance(each, ast.Return)] if len(made) == 1 else []
    if len(returned) == 1 and returned[0].value is not None:
        value, line = returned[0].value, returned[0].lineno
        if isinstance(value, ast.Tuple):
            rule = _("{name} returns {count} values on line {line}, but there are {names} names")
            rule = rule.format(name=name, count=len(value.elts), line=line, names=names)
        else:
            rule = _("{name} returns one value, {text} on line {line}, but there are {names} names")
            rule = rule.format(name=name, text=ast.unparse(value), line=line, names=names)
        return Explanation("unpack", (), rule, (), _("use as many names as parts"))
    if got is None:
        return None
    rule = _("{text} returns {count} values, but there are {names} names").format(
        text=ast.unparse(node), count=got, names=names
    )
    return Explanation("unpack", (), rule, (), _("use as many names as parts"))
