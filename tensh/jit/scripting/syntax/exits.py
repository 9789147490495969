"""Branches that may return: the code keeps whether they have returned, and what, and otherwise goes on after them."""

import ast

from tensh.jit.scripting.calls.calling import hand_over
from tensh.jit.scripting.graphs.building import Left
from tensh.jit.scripting.kinds import none

__all__ = ["Exits", "ResultFound", "may_leave"]

WILL, MIGHT, WONT = "will", "might", "wont"
LEAVING = ast.Break, ast.Continue, ast.Raise
"""Statements that end a pass of the loop around them."""


class ResultFound(Exception):
    """Raised where a value is returned whose type has to be known before."""

    def __init__(self, kind):
        self.kind = kind


class Exits:
    """The part of the compiler for branches of which an arm may return, and may not."""

    def needs_flag(self, finish, node):
        """Return True for a branch of which an arm may leave, and may not, where code goes on after it by a flag."""
        flagged = finish == self.finish or hasattr(finish, "flagged")
        if not flagged and hasattr(finish, "kinds"):
            return may_leave_context(node)
        return flagged and MIGHT in (ending_of(each, ways_of(finish)) for each in (node.body, node.orelse))

    def run_flagged(self, node, rest, finish):
        """Compile a branch whose arms give a flag for whether they have left, and the values; go on if the flag is false."""
        end = self.flag_exits(finish, [node])
        arms = [
            lambda holds=holds, body=body: (self.narrow(node.test, holds), self.run(body, end))[1]
            for holds, body in ((True, node.body), (False, node.orelse))
        ]
        made = self.branch(self.condition(node.test), arms, node)
        return None if made is None else self.go_on(made, rest, finish, end.hand_on)

    def flag_exits(self, finish, statements):
        """Return how statements end that others follow: with a flag for whether they have left, and the values.

        ``hand_on`` of the function gives these values to ``finish``.
        """
        in_loop = hasattr(finish, "kinds") and ending_of(statements, (ast.Break, ast.Continue)) is not WONT
        end = self.flag_passes(finish) if in_loop else self.flag_returns(finish)
        end.flagged = True
        return end

    def flag_returns(self, finish):
        """Return how a block of a function ends: with whether it has returned, and the result."""
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

        end.hand_on = lambda values: finish("value", *values)
        return end

    def flag_passes(self, finish):
        """Return how a block in a loop ends: with whether it has left the pass, and what the pass then gives."""
        within = hasattr(finish, "flagged")

        def end(how, at):
            if how == "end":
                return [self.constant(False), *map(self.absent_value, finish.kinds)]
            left = finish(how, at)
            if how in ("return", "value"):
                self.names = Left(self.names)
            return left if within else [self.constant(True), *left]

        end.kinds = finish.kinds
        end.hand_on = lambda values: [self.constant(True), *values] if within else values
        return end

    def go_on(self, made, rest, finish, hand_on):
        """Compile the statements after a branch that gives a flag for whether it has left, and the values."""
        if isinstance(self.names, Left):
            self.names = dict(self.names)
        if not rest and len(made) == 1 + len(getattr(finish, "kinds", [None])) and hasattr(finish, "flagged"):
            return made
        has_left, *values = made
        if has_left.node().kind() == "prim::Constant" and has_left.node().constant:
            return hand_on(values)
        given = self.branch(has_left, (lambda: hand_on(values), lambda: self.run(rest, finish)), None)
        for each in self.block.lines[-1].given:
            each.name = f"%{self.number()}"  # what the block gives in the end has no name of the source
        return given

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
    """Return True for a branch in a loop whose arms surely leave or surely go on, though what follows might leave."""
    arms = [ending_of(each, LEAVING) for each in (node.body, node.orelse)]
    whole = [ending_of([*each, *rest], LEAVING) for each in (node.body, node.orelse)]
    return MIGHT in whole and MIGHT not in arms


def may_leave_context(node):
    """Return True for a branch with a context that may leave the pass of a loop, and may not."""
    if isinstance(node, ast.With):
        return ending_of(node.body, LEAVING) is MIGHT
    parts = [*node.body, *node.orelse] if isinstance(node, ast.If) else []
    return any(map(may_leave_context, parts))


def ways_of(finish):
    """Return the statements that leave a block which ends by ``finish``."""
    return (ast.Return, *LEAVING) if hasattr(finish, "kinds") else (ast.Return, ast.Raise)


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
