"""Python that scripts cannot contain, found when a function is scripted: PyTorch's errors, with the line."""

import ast
import inspect
import textwrap

from tensh.switched_off import lookup

__all__ = ["FrontendError", "NotSupportedError", "UnsupportedNodeError", "check_syntax"]

CONTEXT = 3  # lines up to the one with the error, and from it on
STATEMENTS = {
    ast.FunctionDef: ("function definitions", "def"), ast.AsyncFunctionDef: ("async function definitions", "async def"),
    ast.ClassDef: ("class definitions", "class"), ast.Try: ("try blocks", "try"), ast.Import: ("import statements", "import"),
    ast.ImportFrom: ("import statements", "from"), ast.Global: ("global variables", "global"), ast.Nonlocal: ("nonlocal variables", "nonlocal"),
    ast.AsyncFor: ("async for loops", "async for"), ast.AsyncWith: ("async with statements", "async with"),
}  # fmt: skip
"""Statement that scripts cannot contain -> (its name, the word that begins it)."""
EXPRESSIONS = (ast.Lambda, ast.Set, ast.SetComp, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Match)
"""Expressions that scripts cannot contain."""
AUGMENTED = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Mod,
    ast.BitOr,
    ast.BitAnd,
    ast.BitXor,
    ast.LShift,
    ast.RShift,
    ast.Pow,
)
"""Operators of augmented assignments that scripts can contain."""
VARIABLE = "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults"
MUTABLE = (
    "\nMutable default parameters are not supported because Python binds them to the function and they persist across function "
    "calls.\n As a workaround, make the default None and instantiate the default parameter within the body of the function. Found "
    "{kind} on parameter {name}:\n{place}"
)


class FrontendError(Exception):
    """An error in the source of a script."""

    __module__ = "torch.jit.frontend"

    def __init__(self, source_range, msg):
        super().__init__(source_range, msg)
        self.source_range, self.msg = source_range, msg

    def __str__(self):
        return f"{self.msg}:\n{self.source_range}"


class NotSupportedError(FrontendError):
    """A form of a statement or an expression that scripts cannot contain."""

    __module__ = "torch.jit.frontend"


class UnsupportedNodeError(NotSupportedError):
    """A kind of statement or expression that scripts cannot contain."""

    __module__ = "torch.jit.frontend"


class Syntax:
    """The syntax tree of a function, and the places in its source."""

    def __init__(self, fn):
        lines, self.first = inspect.getsourcelines(fn)
        self.lines = [line.rstrip("\n") for line in lines]
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        self.file = inspect.getsourcefile(fn)
        self.body = ast.parse(textwrap.dedent("".join(lines))).body

    def place(self, node, width, shift=0):
        """Return the lines around a node as text; ``width`` characters from its start are underlined."""
        at = node.lineno - 1
        column = node.col_offset + self.indent + shift
        begin = max(0, at + 1 - CONTEXT)
        shown = [*self.lines[begin : at + 1], *[" " * column + "~" * width + " <--- HERE"][:width]]
        return self.name_file(node) + "\n".join([*shown, *self.lines[at + 1 : at + CONTEXT]]).rstrip("\n") + "\n"

    def place_whole(self, node):
        """Return the lines of a statement as text, all underlined."""
        shown = []
        for line in self.lines[node.lineno - 1 : node.end_lineno]:
            code = line.strip()
            shown += [line, line[: len(line) - len(line.lstrip())] + "~" * len(code)] if code else [line]
        return self.name_file(node) + "\n".join(shown) + " <--- HERE\n"

    def name_file(self, node):
        """Return the line that names the place of a node."""
        return f'  File "{self.file}", line {node.lineno + self.first - 1}\n'

    def check(self, tree):
        """Raise the error of the first thing, in the order of the source, that a script cannot contain."""
        given = tree.args
        for each in filter(None, (given.kwarg, given.vararg)):
            raise NotSupportedError(self.place(each, len(each.arg) + 1, -1), VARIABLE)
        for each in filter(None, given.kw_defaults):
            raise NotSupportedError(self.place(each, each.end_col_offset - each.col_offset), VARIABLE)
        for statement in tree.body:
            self.check_node(statement)

    def check_node(self, node):
        """Raise the error of a node, or of the first within it."""
        if type(node) in STATEMENTS:
            name, word = STATEMENTS[type(node)]
            raise UnsupportedNodeError(self.place(node, len(word)), f"{name} aren't supported")
        if isinstance(node, EXPRESSIONS):
            raise UnsupportedNodeError(self.place(node, 1), f"{type(node).__name__} aren't supported")
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            word = "for" if isinstance(node, ast.For) else "while"
            raise NotSupportedError(self.place(node, len(word)), f"else branches of {word} loops aren't supported")
        if isinstance(node, ast.AugAssign) and not isinstance(node.op, AUGMENTED):
            shift = node.target.end_col_offset - node.col_offset + 1
            kind = type(node.op).__name__
            raise NotSupportedError(self.place(node, 2, shift), f"unsupported kind of augmented assignment: {kind}")
        if isinstance(node, (ast.ListComp, ast.DictComp, ast.GeneratorExp)):
            if len(node.generators) > 1:
                raise NotSupportedError(self.place(node, 0), "Only a single generator is currently supported")
            if node.generators[0].ifs:
                raise NotSupportedError(self.place(node, 0), "Comprehension ifs are not supported yet")
        if isinstance(node, ast.JoinedStr):
            self.check_text(node)
            return
        if isinstance(node, ast.Call):
            for each in node.keywords:
                if each.arg is None:
                    width = each.value.end_col_offset - each.value.col_offset
                    raise NotSupportedError(self.place(each.value, width), "keyword-arg expansion is not supported")
        if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            raise FrontendError(self.place(node, len(repr(node.value))), "Unknown Constant expression type")
        for child in ast.iter_child_nodes(node):
            if not isinstance(node, ast.AnnAssign) or child is not node.annotation:
                self.check_node(child)

    def check_text(self, node):
        """Raise the error of a text with values in it that are formatted."""
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                if each.conversion != -1:
                    raise NotSupportedError(self.place(node, 1), "Don't support conversion in JoinedStr")
                if each.format_spec is not None:
                    raise NotSupportedError(self.place(node, 1), "Don't support formatting in JoinedStr")
                self.check_node(each.value)


def check_syntax(fn):
    """Raise PyTorch's error if a function's source contains what scripts cannot; do nothing without a source.

    >>> from tensh.jit.frontend import check_syntax
    >>> check_syntax(len)
    """
    try:
        syntax = Syntax(fn)
    except (OSError, TypeError):
        return
    if len(syntax.body) != 1 or not isinstance(syntax.body[0], ast.FunctionDef):
        raise RuntimeError(f"Expected a single top-level function: {syntax.file}:{syntax.first}")
    tree = syntax.body[0]
    for name, parameter in inspect.signature(fn).parameters.items():
        if type(parameter.default) in (list, dict, set):
            raise RuntimeError(MUTABLE.format(kind=type(parameter.default), name=name, place=syntax.place_whole(tree)))
    syntax.check(tree)


__getattr__ = lookup("torch.jit.frontend")
