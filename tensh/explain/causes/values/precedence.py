"""Signs that bind more strongly than comparisons: `x > 0 & x < 2`."""

import ast
import re

from tensh.explain.model import Explanation
from tensh.explain.situation import message_of
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _

SIGNS = {ast.BitAnd: "&", ast.BitOr: "|"}
WORDS = re.compile(r"bitwise_(?:and|or)|unsupported operand type\(s\) for [&|]|Boolean value of Tensor")


def explain_precedence(situation):
    """Explain comparisons joined by & or | without brackets."""
    if not WORDS.search(message_of(situation.error)):
        return None
    path = situation.place.path()
    for outer, node in zip([None, *path[:-1]], path, strict=True):
        code = separate_comparisons(node) if isinstance(node, ast.Compare) else None
        if code is not None:
            rule = _("& and | bind more strongly than comparisons, which need brackets")
            ways = [f"({code}).{way}()" for way in ("all", "any")] if getattr(outer, "test", None) is node else [code]
            fits = [replace_node(situation.place, node, way) for way in ways]
            return Explanation("&", (), rule, tuple(filter(None, fits)))
    return None


def separate_comparisons(comparison):
    """Write `x > 0 & x < 2` as `(x > 0) & (x < 2)`; None for other code."""
    groups, signs = [[]], []
    for op, side in zip([None, *comparison.ops], [comparison.left, *comparison.comparators], strict=True):
        sign = SIGNS.get(type(side.op)) if isinstance(side, ast.BinOp) else None
        groups[-1].append((op, side if sign is None else side.left))
        if sign is not None:
            signs.append(sign)
            groups.append([(None, side.right)])
    if not signs or any(len(group) > 2 for group in groups):
        return None
    first, *rest = map(write_comparison, groups)
    return first + "".join(f" {sign} {part}" for sign, part in zip(signs, rest, strict=True))


def write_comparison(group):
    """Write one comparison in brackets, or a value that is not compared."""
    (_first, left), *compared = group
    if not compared:
        return ast.unparse(left)
    ((op, right),) = compared
    return f"({ast.unparse(ast.Compare(left, [op], [right]))})"
