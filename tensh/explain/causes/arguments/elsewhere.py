"""Arguments as other libraries take them: pairs of padding, a list for a range, words for dimensions, a seed, no bounds."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _


def explain_pairs_of_padding(situation, node):
    """Explain `F.pad(x, ((1, 1), (0, 0)))`, a pair for each dimension as NumPy has them."""
    pairs = node.args[1] if len(node.args) > 1 else None
    if not situation.says("argument 'pad'", "found element of type tuple") and not situation.says("'pad'", "type list"):
        return None
    if not isinstance(pairs, ast.Tuple | ast.List) or not all(map(is_pair, pairs.elts)):
        return None
    numbers = ", ".join(ast.unparse(each) for pair in reversed(pairs.elts) for each in pair.elts)
    rule = _("pad has two numbers for each dimension, before and after, starting with the last dimension")
    return explain_replacement(situation, "pad", rule, pairs, f"({numbers})")


def is_pair(node):
    return isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2


def explain_list_for_range(situation, node):
    """Explain `torch.arange([1, 2, 3])`."""
    if not situation.says("arange()", "must be Number, not list") or len(node.args) != 1:
        return None
    rule = _("arange counts up to a number; tensor makes a tensor of a list")
    return explain_replacement(situation, "arange", rule, node.func, "torch.tensor")


def explain_sizes_for_shape(situation, node):
    """Explain `torch.broadcast_to(x, 2, 3)`, `torch.reshape(x, 2, 3)` and `torch.full(2, 0.5)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="broadcast_to" | "reshape" | "permute"), args=[given, *sizes]) if (
            len(sizes) > 1
        ):
            is_told = isinstance(situation.error, TypeError) and situation.tensor_of(given) is not None
            end = len(node.args)
        case ast.Call(func=ast.Attribute(attr="full"), args=[*sizes, _value]) if sizes:
            is_told = situation.says("full()", "argument 'size'") or situation.says("full() takes")
            given, end = None, len(node.args) - 1
        case _:
            return None
    if not is_told or not all(type(situation.evaluate(each)) is int for each in sizes):
        return None
    shape = ast.unparse(ast.Tuple(sizes, ast.Load()))
    rule = _("the sizes belong together, as a tuple")
    before = [] if given is None else [ast.unparse(given)]
    written = [*before, shape, *map(ast.unparse, [*node.args[end:], *node.keywords])]
    return explain_replacement(situation, "call", rule, node, f"{ast.unparse(node.func)}({', '.join(written)})")


def explain_size_alone(situation, node):
    """Explain `torch.full(3)`."""
    if not situation.says("full()", "must be tuple of ints, not int") or len(node.args) != 1 or node.keywords:
        return None
    name, size = ast.unparse(node.func), ast.unparse(node.args[0])
    rule = _("{written} lacks {missing}").format(written=f"{name}(size, fill_value)", missing="fill_value")
    return explain_replacement(situation, "full", rule, node, f"{name}(({size},), 0.0)")


def explain_no_bounds(situation, node):
    """Explain `x.clamp()`."""
    if not situation.says("At least one of 'min' or 'max' must not be None"):
        return None
    code = ast.unparse(node)
    comma = ", " if node.args or node.keywords else ""
    rule = _("give the least value as min, the greatest as max, or both")
    return explain_replacement(situation, "clamp", rule, node, f"{code[:-1]}{comma}min=0)")


def explain_word_for_dim(situation, node):
    """Explain `x.sum("rows")`."""
    given = [*node.args, *(each.value for each in node.keywords if each.arg in ("dim", "axis"))]
    words = [each for each in given if isinstance(each, ast.Constant) and type(each.value) is str]
    is_told = situation.says("str", "dim") and isinstance(situation.error, TypeError)
    if not is_told or len(words) != 1 or not words[0].value.isidentifier():
        return None
    owners = [node.func.value, *node.args] if isinstance(node.func, ast.Attribute) else node.args
    owner = next((each for each in owners if situation.tensor_of(each) is not None), None)
    t = None if owner is None else situation.tensor_of(owner)
    if t is None or not 1 <= t.dim() <= 2:
        return None
    rule = _("{word} is no dimension: they are counted from 0").format(word=repr(words[0].value))
    fits = [replace_node(situation.place, words[0], str(dim)) for dim in range(t.dim())]
    return Explanation("call", (operand_of(ast.unparse(owner), t),), rule, tuple(filter(None, fits)))


def explain_seed_for_generator(situation, node):
    """Explain `torch.Generator(0)`."""
    name = ast.unparse(node.func)
    if not name.endswith("Generator") or len(node.args) != 1 or type(situation.evaluate(node.args[0])) is not int:
        return None
    rule = _("a generator is made for a device; manual_seed sets its seed")
    return explain_replacement(situation, "Generator", rule, node, f"{name}().manual_seed({ast.unparse(node.args[0])})")


def explain_bounds_without_size(situation, node):
    """Explain `torch.randint(0, 10)`, a single number."""
    if not situation.says("randint()", "argument 'size'", "must be tuple of ints, not int") or len(node.args) != 2:
        return None
    name, (low, high) = ast.unparse(node.func), map(ast.unparse, node.args)
    rule = _("{written} lacks {missing}").format(written=f"{name}(low, high, size)", missing="size")
    return explain_replacement(situation, "randint", rule, node, f"{name}({low}, {high}, (1,))")


def explain_sizes_for_like(situation, node):
    """Explain `torch.zeros_like(2, 3)`."""
    name = ast.unparse(node.func)
    is_told = isinstance(situation.error, TypeError) and name.endswith("_like") and len(node.args) > 1
    if not is_told or not all(type(situation.evaluate(each)) is int for each in node.args):
        return None
    rule = _("{name} expects a tensor, whose shape it takes").format(name=name)
    return explain_replacement(situation, name, rule, node.func, name.removesuffix("_like"))


def explain_values_for_permutation(situation, node):
    """Explain `torch.randperm([1, 2, 3])` and `torch.randperm(x)`, as NumPy shuffles values."""
    if not situation.says("randperm()", "must be int, not") or len(node.args) != 1:
        return None
    values, given = node.args[0], ast.unparse(node.args[0])
    count = str(len(values.elts)) if isinstance(values, ast.List) else f"len({given})"
    indexed = given if situation.tensor_of(values) is not None else f"torch.tensor({given})"
    rule = _("randperm makes the numbers 0 to n - 1 in random order, with which values can be indexed")
    return explain_replacement(situation, "randperm", rule, node, f"{indexed}[{ast.unparse(node.func)}({count})]")


KINDS = (
    explain_seed_for_generator,
    explain_bounds_without_size,
    explain_sizes_for_like,
    explain_values_for_permutation,
    explain_pairs_of_padding,
    explain_list_for_range,
    explain_sizes_for_shape,
    explain_size_alone,
    explain_no_bounds,
    explain_word_for_dim,
)
