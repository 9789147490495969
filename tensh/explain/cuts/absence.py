"""The reason why a tensor has no gradient, on request: nothing has failed."""

import ast
import linecache
import re

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.explain.cuts import locate_cut
from tensh.explain.situation import Situation
from tensh.explain.source.history import follow
from tensh.explain.source.pieces import names_in
from tensh.explain.source.place import Place, iterate_scope
from tensh.graph import tokens
from tensh.graph.provenance import place
from tensh.graph.source import piece
from tensh.support.command_lines import blank_commands
from tensh.support.language import _

LINES = re.compile(r" \(line \d+\)| on line \d+|（第 \d+ 行）")  # how sentences of cuts name a line, in each language


class GradientQuestion:
    """The context of a question: the names, and the sources (file name -> text) in the order in which they ran.

    Sources of a prompt are separate statements: answers do not mention their line numbers.
    """

    def __init__(self, names, sources):
        self.names = names
        self.has_lines = len(sources) == 1 and not next(iter(sources)).startswith("<input")
        self.text = "\n".join(map(blank_commands, sources.values()))

    def situation(self, name):
        """Return the situation after all sources, with a name as the last line."""
        end = self.text.count("\n") + 2
        return Situation(None, self.names, Place(f"{self.text}\n{name}", end, 0, end, len(name)), None)

    def cut_of(self, name):
        """Return (name that was cut off, Cut) from the history of a name; None if no cut is certain."""
        situation = self.situation(name)
        for followed in follow(ast.parse(name, mode="eval").body, situation):
            cut = locate_cut(followed, situation)
            if cut is not None:
                return followed.name or name, cut
        return None

    def find_change(self, name):
        """Find the last statement after the last backward pass that changes a gradient, by clipping or writing."""
        tree, found, passed = Place(self.text, 1, 0, 1, 0).tree(), None, 0
        for node in iterate_scope(tree) if tree else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
                passed = max(passed, node.lineno)
        for node in iterate_scope(tree) if tree else ():
            if isinstance(node, ast.stmt) and node.lineno > passed and changes_gradient(node, name):
                found = ast.unparse(node)
        return found

    def sentence(self, found):
        """Write a cut as a sentence."""
        name, cut = found
        text = f"{name} {cut.sentence}"
        return text if self.has_lines else LINES.sub("", text)


def changes_gradient(statement, name):
    """Return True if a statement clips gradients, or writes to that of a name."""
    match statement:
        case ast.Expr(value=ast.Call(func=function)):
            text = ast.unparse(function)
            is_clipped = "clip_grad_" in text
            return is_clipped or text.startswith(f"{name}.grad.") and text.endswith("_")
        case ast.AugAssign(target=target) | ast.Assign(targets=[target]):
            return ast.unparse(target).startswith(f"{name}.grad")
    return False


def sources_of(frame):
    """Return {file name: source} of a frame, if it can be read."""
    name = frame.f_code.co_filename
    return {name: "".join(linecache.getlines(name))}


def reason(tensor, name, asked):
    """Explain in a sentence why ``name.grad`` is None; None if only a backward pass is missing."""
    is_real = tensor.is_floating_point() or tensor.is_complex()
    if not is_real or not tensor.requires_grad:
        found = find_named_cut(name, asked)
        if found:
            return asked.sentence(found)
    if not is_real:
        kind = str(tensor.dtype).removeprefix("torch.")
        return _("{name} holds {kind}: only floating point and complex tensors have gradients").format(
            name=name, kind=kind
        )
    if not tensor.requires_grad:
        return _("{name} does not require grad{made}").format(name=name, made=describe_maker(name, asked))
    if type(refresh_node(tensor)) is not AccumulateGrad and not tensor.retains_grad:
        return _("{name} is not a leaf{made}: only leaves keep their gradients").format(
            name=name, made=describe_origin(refresh_node(tensor))
        )
    return None


def find_named_cut(name, asked):
    """Return the cut in the history of a name; None if the name is not code, or no cut is certain."""
    try:
        return asked.cut_of(name)
    except SyntaxError:
        return None


def describe_maker(name, asked):
    """Return ``: h = g + 1 on line 3``, or as much of it as is known."""
    made = asked.situation(name).find_assignment(name) if name.isidentifier() else None
    if made is None:
        return ""
    text = tokens.shorten(ast.unparse(made), 60)
    line = _(" on line {line}").format(line=made.lineno) if asked.has_lines else ""
    return _(": {code}{line}").format(code=text, line=line)


def describe_origin(node):
    """Return `` (made by x + w on line 3)``, or as much of it as is known."""
    made = place(node)
    found = made and piece(*made)
    return (
        _(" (made by {code}{line})").format(code=tokens.shorten(found.text, 40), line=on_line(found)) if found else ""
    )


def on_line(found):
    return _(" on line {line}").format(line=found.line) if not found.filename.startswith("<input") else ""


def find_lost_result(name, asked):
    """Find the last result of a name that has no history: return (its name, Cut); None if no cut is certain."""
    found = None
    for other, value in asked.names.items():
        if issubclass(type(value), Tensor) and other != name and not value.requires_grad and other.isidentifier():
            situation = asked.situation(other)
            followed = [*follow(ast.parse(other, mode="eval").body, situation)]
            if any(name in names_in(ast.unparse(each.node)) for each in followed[1:]):
                found = asked.cut_of(other) or found
    return found


def find_lost_use(name, asked):
    """Find where a result with a history loses what it takes of a name: return (description, Cut), else None."""
    if not name.isidentifier():
        return None
    for other, value in reversed([*asked.names.items()]):
        if not issubclass(type(value), Tensor) or other == name or not other.isidentifier() or value.node is None:
            continue
        situation = asked.situation(other)
        for followed in follow(ast.parse(other, mode="eval").body, situation):
            uses = names_in(ast.unparse(followed.node)) if followed.parent else ()
            cut = locate_cut(followed, situation, name) if name in uses else None
            if cut is not None:
                return _("the part of {result} that comes from {name}").format(result=other, name=name), cut
    return None
