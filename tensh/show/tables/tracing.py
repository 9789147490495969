"""The value of every part of a line: `trace`."""

import ast
import itertools
import linecache
import sys

from tensh.graph import tokens
from tensh.show.drawing.table import Table
from tensh.show.reading import describe
from tensh.show.reading.values import array_of
from tensh.support.language import _

SHOWN = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Subscript, ast.Attribute, ast.Compare)
HIDDEN = "_tensh_traced"
numbers = itertools.count(1)  # traced lines; each is a separate file in tracebacks


class Trace(ast.NodeTransformer):
    """Rewrites code to pass every part of an expression through a function that records its value; nothing runs twice."""

    def __init__(self):
        self.texts = []

    def visit(self, node):
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            return node  # its body runs any number of times
        if not isinstance(node, SHOWN) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return self.generic_visit(node)
        text = ast.unparse(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
            node.args = [self.visit(each) for each in node.args]
            node.keywords = [self.visit(each) for each in node.keywords]
        elif isinstance(node, ast.Call):
            node.args = [self.visit(each) for each in node.args]
            node.keywords = [self.visit(each) for each in node.keywords]
        else:
            node = self.generic_visit(node)
        self.texts.append(text)
        number = ast.Constant(len(self.texts) - 1)
        made = ast.Call(ast.Name(HIDDEN, ast.Load()), [number, node], [])
        return ast.copy_location(made, node)


def trace(line, names=None):
    """Run a line, and show its parts in the order of computation: shape, dtype and value.

    Args:
        line: an expression, or statements, whose assignments take effect.
        names: a dict of the names it uses; default: the global names of the caller.

    >>> import tensh
    >>> x = tensh.tensor([1., 2.])
    >>> tensh.show.trace("(x + 1).sum()", {"x": x})
    expression     shape  dtype    value
    x              [2]    float32  [1, 2]
    x + 1          [2]    float32  [2, 3]
    (x + 1).sum()  []     float32  5
    """
    names = sys._getframe(1).f_globals if names is None else names
    tree = ast.parse(line)
    transformer = Trace()
    tree = ast.fix_missing_locations(transformer.visit(tree))
    seen = []

    def note(number, value):
        if describe.is_array(value) or isinstance(value, bool | int | float | complex):
            seen.append((transformer.texts[number], value))
        return value

    filename = f"<trace {next(numbers)}>"
    linecache.cache[filename] = len(line), None, [line + "\n"], filename
    names[HIDDEN] = note
    try:
        exec(compile(tree, filename, "exec"), names)
    finally:
        names.pop(HIDDEN, None)
    notes = () if seen else (_("no part of this line is a tensor or a number"),)
    return Table((_("expression"), _("shape"), "dtype", _("value")), rows(seen), notes=notes)


def rows(seen):
    """Yield (expression, shape, dtype, value) for each part; a name only at its first use."""
    told = set()
    for text, value in seen:
        if text.isidentifier() and text in told:
            continue
        told.add(text)
        if describe.is_array(value):
            yield (
                text,
                describe.shape(value),
                describe.dtype(value),
                tokens.values(array_of(value)) if describe.is_dense(value) else "",
            )
        else:
            yield text, "", type(value).__name__, tokens.number(value)
