"""The places of expressions and statements in the source of a script, as PyTorch marks them in errors."""

import ast

from tensh.jit.frontend import CONTEXT, Syntax

__all__ = ["Text"]

WORDS = {
    ast.Return: "return", ast.Raise: "raise", ast.Assert: "assert", ast.If: "if", ast.For: "for", ast.While: "while", ast.With: "with",
    ast.Delete: "del", ast.Pass: "pass", ast.Break: "break", ast.Continue: "continue", ast.FunctionDef: "def",
}  # fmt: skip
"""Statement -> the word that begins it."""
OPERATORS = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
BRACKETS = (ast.List, ast.Tuple, ast.Dict, ast.Starred, ast.JoinedStr)
COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.GeneratorExp)
WITHIN = (ast.keyword, ast.withitem, ast.comprehension, ast.Slice, ast.FormattedValue)
"""Nodes whose parts have places."""
UNMARKED = (ast.arguments, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


class Text(Syntax):
    """The source of a function.  Places are (line, column), counted from the start of the source."""

    def __init__(self, fn):
        super().__init__(fn)
        self.tree = self.body[0]

    def own_range(self, node):
        """Return the range of a node's own characters, without its parts; None if it has none."""
        start = node.lineno - 1, node.col_offset + self.indent
        width = None
        if type(node) in WORDS:
            width = len(WORDS[type(node)])
        elif isinstance(node, ast.Name):
            width = len(node.id)
        elif isinstance(node, ast.Constant):
            width = 3 if node.value is ... else len(str(node.value)) + isinstance(node.value, str)
        elif isinstance(node, ast.UnaryOp):
            width = len(OPERATORS[type(node.op)])
        elif isinstance(node, BRACKETS):
            width = 1
        elif isinstance(node, COMPREHENSIONS):
            width = 0
        return None if width is None else (start, (start[0], start[1] + width))

    def range_of(self, node):
        """Return (start, end) of a node: closing brackets after its last part do not belong to it."""
        ranges = [self.range_of(each) for each in self.parts_of(node)]
        own = self.own_range(node) if hasattr(node, "lineno") else None
        ranges += [own] if own else []
        start, end = min(each[0] for each in ranges), max(each[1] for each in ranges)
        if isinstance(node, ast.Attribute):
            end = end[0], end[1] + 1 + len(node.attr)
        if isinstance(node, ast.Subscript):
            end = end[0], end[1] + 1
        return start, end

    @staticmethod
    def parts_of(node):
        """Yield the nodes that a node contains and that have a place."""
        for each in ast.iter_child_nodes(node):
            if isinstance(each, WITHIN):
                yield from Text.parts_of(each)
            elif not isinstance(each, UNMARKED) and not (isinstance(node, ast.FunctionDef) and each is node.returns):
                yield each

    def mark(self, node):
        """Return the lines around a node as text, with the node underlined."""
        (first, column), (last, end) = self.range_of(node)
        shown = self.lines[max(0, first + 1 - CONTEXT) : first]
        for place in range(first, last + 1):
            line = self.lines[place]
            begin = column if place == first else 0
            while begin < len(line) and line[begin] == " ":
                begin += 1
            width = (end if place == last else len(line)) - begin
            shown.append(line)
            if width > 0:
                shown.append(" " * begin + "~" * width + (" <--- HERE" if place == last else ""))
        shown += self.lines[last + 1 : last + CONTEXT]
        return f'  File "{self.file}", line {first + self.first}\n' + "\n".join(shown) + "\n"
