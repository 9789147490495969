"""Branches that may return: PyTorch's code keeps whether they have returned, and what, and goes on behind them if they have not."""

import ast

from tensh.jit.scripting.building import Left
from tensh.jit.scripting.calling import hand_over
from tensh.jit.scripting.kinds import none

__all__ = ["Exits", "ResultFound", "may_return"]

WILL, MIGHT, WONT = "will", "might", "wont"
LEAVING = ast.Break, ast.Continue, ast.Raise
"""What ends a pass of the loop around it."""


class ResultFound(Exception):
    """Raised where a value is returned whose type has to be known before."""

    def __init__(self, kind):
        self.kind = kind


class Exits:
    """The part of the compiler for branches of which an arm may return, and may not."""

    def run_flagged(self, node, rest, finish):
        """Compile a branch whose arms give whether they have returned, and the result; go on behind it if they have not."""
        kind = self.result_kind if self.result_kind is not None else self.loop_result
        absent = self.emit("prim::Uninitialized", (), [kind]) if kind is not None else None

        def end(how, at):
            if how == "end":
                return [self.constant(False), absent if absent is not None else self.constant(None)]
            value = at if how == "value" else self.returned_value(at)
            if kind is None:
                raise ResultFound(value.value_kind)
            self.names = Left(self.names)
            return [self.constant(True), value if kind is none else hand_over(self, value, kind)]

        end.flagged = True
        arms = [
            lambda holds=holds, body=body: (self.narrow(node.test, holds), self.run(body, end))[1]
            for holds, body in ((True, node.body), (False, node.orelse))
        ]
        made = self.branch(self.condition(node.test), arms, node)
        if made is None:
            return None
        return self.go_on(made, rest, finish)

    def go_on(self, made, rest, finish):
        """Compile the statements behind a branch or a loop that gives whether it has returned, and the result."""
        if isinstance(self.names, Left):
            self.names = dict(self.names)
        if not rest and hasattr(finish, "flagged"):
            return made
        returned, result = made
        return self.branch(returned, (lambda: finish("value", result), lambda: self.run(rest, finish)), None)

    # ── loops ────────────────────────────────────────────────────────────────
    def run_leaving(self, node, rest, finish):
        """Compile a branch in a loop of which an arm may leave the loop or go on with the next pass, and may not.

        The arms give whether they have left, the condition and the carried values with which they did, and those with which
        the pass ends otherwise.
        """

        def end(how, at):
            left = finish(how, at)
            absent = [self.absent_value(each.value_kind) for each in left]
            if how == "end":
                return [self.constant(False), *absent, *left]
            return [self.constant(True), *left, *absent]

        arms = [
            lambda holds=holds, body=body: (self.narrow(node.test, holds), self.run([*body, *rest], end))[1]
            for holds, body in ((True, node.body), (False, node.orelse))
        ]
        made = self.branch(self.condition(node.test), arms, node)
        if made is None:
            return None
        has_left, *values = made
        half = len(values) // 2
        return self.branch(has_left, (lambda: values[:half], lambda: values[half:]), None)


def may_leave(node, rest):
    """Return True for a branch in a loop whose arms leave it or not, but one of them only perhaps with what follows."""
    arms = [ending_of(each, LEAVING) for each in (node.body, node.orelse)]
    whole = [ending_of([*each, *rest], LEAVING) for each in (node.body, node.orelse)]
    return MIGHT in whole and MIGHT not in arms


def may_return(node):
    """Return True for a branch of which an arm may return, and may not."""
    return MIGHT in (ending_of(node.body), ending_of(node.orelse))


def ending_of(statements, exits=(ast.Return, ast.Raise)):
    """Return whether statements will run one of the ``exits``, might, or will not."""
    found = WONT
    for each in statements:
        if isinstance(each, exits):
            return WILL
        if isinstance(each, ast.If):
            arms = {ending_of(each.body, exits), ending_of(each.orelse, exits)}
            if arms == {WILL}:
                return WILL
            found = MIGHT if arms != {WONT} else found
        elif isinstance(each, ast.With):
            inside = ending_of(each.body, exits)
            if inside is WILL:
                return WILL
            found = MIGHT if inside is MIGHT else found
        elif isinstance(each, (ast.For, ast.While)) and ast.Return in exits:
            found = MIGHT if any(isinstance(part, ast.Return) for part in ast.walk(each)) else found
    return found
