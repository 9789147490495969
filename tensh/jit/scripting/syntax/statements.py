"""Statements of a script.

A branch of which one arm returns or leaves a loop gets all statements after it into its other arm, so that every block ends at
one place.
"""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.calls.calling import call_operator, hand_over, pack, unpack
from tensh.jit.scripting.calls.classes import is_instance_value
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.graphs.building import Raised
from tensh.jit.scripting.sugar import Cut, Items, Known, ModuleRef
from tensh.jit.scripting.syntax.exits import ResultFound, may_leave
from tensh.jit.scripting.syntax.expressions import BINARY, is_constant
from tensh.jit.scripting.syntax.iteration import MOST

RETURNED, RESULT, COUNTER = "@1", "@2", "@3"
"""Names that a loop carries: if its body returns, whether it has, and what; if it breaks, the number of the pass."""


class Statements:
    """The part of the compiler that compiles statements."""

    def run(self, statements, finish):
        """Compile statements to their end; return what ``finish(how, node)`` gives there, or None if they raise.

        ``how`` is "end", "return", "break" or "continue".
        """
        try:
            return self.run_all(statements, finish)
        except Raised:
            return None

    def run_all(self, statements, finish):
        """Compile statements as ``run`` does, which stops where an expression raises."""
        for place, each in enumerate(statements):
            rest = statements[place + 1 :]
            if isinstance(each, (ast.Return, ast.Break, ast.Continue)):
                return finish(type(each).__name__.lower(), each)
            if isinstance(each, ast.Raise):
                self.compile_raise(each)
                return None
            if isinstance(each, ast.If):
                decided = self.decide(each.test)
                if decided is not None:
                    return self.run([*(each.body if decided else each.orelse), *rest], finish)
                if leaves(each.body) or leaves(each.orelse):
                    return self.run_arms(each, rest, finish)
            if isinstance(each, (ast.For, ast.While)) and contains(each, ast.Return):
                return self.run_loop_that_returns(each, rest, finish)
            if isinstance(each, ast.With) and leaves(each.body):
                return self.run_with(each, rest, finish)
            self.statement(each)
        return finish("end", None)

    def run_arms(self, node, rest, finish):
        """Compile a branch with the statements after it in each of its arms."""
        if self.needs_flag(finish, node):
            return self.run_flagged(node, rest, finish)
        if hasattr(finish, "leaves_loop") and may_leave(node, rest):
            return self.run_leaving(node, rest, finish)
        arms = [
            lambda holds=holds, body=body: (self.narrow(node.test, holds), self.run([*body, *rest], finish))[1]
            for holds, body in ((True, node.body), (False, node.orelse))
        ]
        return self.branch(self.condition(node.test), arms, node)

    def statement(self, node):
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is None:
            self.source.refuse(node, f"scripts cannot contain {type(node).__name__} statements")
        method(node)

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.expression(node.value)

    def do_If(self, node):
        arms = [
            lambda holds=holds, body=body: (self.narrow(node.test, holds), self.run(body, lambda how, at: []))[1]
            for holds, body in ((True, node.body), (False, node.orelse))
        ]
        self.branch(self.condition(node.test), arms, node)

    def do_Assert(self, node):
        text = "AssertionError: "
        if self.decide(node.test):
            return
        test = self.condition(node.test)

        def fail():
            message = self.constant(text)
            if node.msg is not None:
                message = self.emit("aten::add", [message, self.value(node.msg)], [str])
            self.emit("prim::RaiseException", [message, self.constant(None)], (), node)

        arms = (lambda: (self.narrow(node.test, True), [])[1], fail)
        self.branch(test, arms, node)

    def compile_raise(self, node):
        error = node.exc
        if error is None:
            self.source.refuse(node, "scripts cannot raise an exception again")
        call = error if isinstance(error, ast.Call) else None
        cls = self.expression(call.func if call else error).value
        text = self.value(call.args[0]) if call and call.args else self.constant("", node)
        name = self.constant(f"{cls.__module__}.{cls.__name__}", error)
        self.emit("prim::RaiseException", [text, name], (), node)

    # ── assignments ──────────────────────────────────────────────────────────
    def do_Assign(self, node):
        found = self.expression(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.store(target.id, found, node)
            else:
                self.assign_to(target, found if isinstance(found, Items) else self.as_value(found, node.value), node)

    def store(self, name, found, node):
        """Assign to a name, which keeps its type."""
        if isinstance(found, (ScriptValue, Items)):
            value = found
        else:
            is_object = isinstance(found, (Cut, ModuleRef)) or isinstance(found, Known) and not is_constant(found.value)
            value = found if is_object else self.as_value(found, node.value)
        kind = self.declared.get(name)
        if kind is not None and isinstance(value, ScriptValue):
            value = hand_over(self, value, kind)
        self.assign(name, value)

    def assign_to(self, target, value, node):
        if isinstance(target, ast.Name):
            self.store(target.id, value, node)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value.parts if isinstance(value, Items) else unpack(self, value, len(target.elts), node)
            starred = [place for place, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
            if starred and len(parts) >= len(target.elts) - 1:
                (place,), end = starred, len(parts) - (len(target.elts) - 1 - starred[0])
                packed = pack(self, [self.as_value(each, node) for each in parts[place:end]])
                parts = [*parts[:place], packed, *parts[end:]]
            if len(parts) != len(target.elts):
                self.source.refuse(node, f"{len(parts)} values cannot be assigned to {len(target.elts)} names")
            for each, part in zip(target.elts, parts):
                self.assign_to(each.value if isinstance(each, ast.Starred) else each, part, node)
        elif isinstance(target, ast.Subscript):
            self.write_subscript(target, value, node)
        elif isinstance(target, ast.Attribute) and isinstance(owner := self.expression(target.value), ModuleRef):
            self.set_member(owner, target.attr, value)
        elif isinstance(target, ast.Attribute) and is_instance_value(owner := self.expression(target.value)):
            self.assign_to_instance(owner, target.attr, value, node)
        else:
            self.source.refuse(node, "scripts cannot assign to this")

    def do_AnnAssign(self, node):
        kind = self.source.evaluate(node.annotation)
        if node.value is None:
            self.source.refuse(node, "scripts cannot declare a name without a value")
        chosen = self.choose_module(kind, node.value)
        value = self.annotated(kind, node.value) if chosen is None else chosen
        if isinstance(node.target, ast.Name):
            self.declared[node.target.id] = kind
            self.assign(node.target.id, value)
        else:
            self.assign_to(node.target, value, node)

    def do_AugAssign(self, node):
        target, name = node.target, BINARY[type(node.op)]
        part = self.read_for_update(target) if isinstance(target, ast.Subscript) else None
        owner = part if part is not None else self.value(as_load(target))
        value = self.value(node.value)
        if is_instance_value(owner):
            made = self.augment_instance(name, owner, value, node)
        elif (
            owner.value_kind is Tensor
            or name == "add"
            and isinstance(owner, ScriptValue)
            and str(owner.text).endswith("[]")
        ):
            made = call_operator(
                self, f"{name}_" if not name.startswith("__") else f"__i{name[2:]}", [owner, value], {}, node
            )
            if made is None:
                made = self.operate(f"{name}", [owner, value], node)
        else:
            at = target if isinstance(target, ast.Subscript) else node
            made = self.operate(name, [owner, value], at)
        if part is None:
            self.assign_to(target, made, target if isinstance(target, ast.Subscript) else node)

    def do_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.names.pop(target.id, None)
            else:
                self.operate("Delete", [self.value(target.value), self.value(target.slice)], target)

    # ── loops ────────────────────────────────────────────────────────────────
    def do_For(self, node, carried=()):
        if node.orelse:
            self.source.refuse(node, "scripts cannot contain else after a loop")
        found = self.expression(node.iter)
        fixed = self.items_of(found, node)
        if fixed is not None:
            self.repeat(node, fixed)
            return
        steps = self.steps_of(found, node)
        trips = steps.count(node)
        going = self.constant(True, node)
        index = node.target.id if steps.index is True and isinstance(node.target, ast.Name) else None
        if (
            steps.index is True
            and isinstance(node.target, (ast.Tuple, ast.List))
            and isinstance(node.target.elts[0], ast.Name)
        ):
            index = node.target.elts[0].id
        names = [*carried, *sorted(self.assigned(node.body))]
        if leaves(node.body):
            self.counted_while(node, steps, trips, names)
            return

        def body(counter):
            self.bind_target(node.target, steps.take(counter, node), node)
            return self.loop_body(node.body, names, lambda how: going)

        self.loop(trips, going, names, index, body, node)

    def counted_while(self, node, steps, trips, names):
        """Compile a loop over a sequence that may be left early: it goes on by a condition, and counts its passes itself."""
        test = self.emit("aten::gt", [trips, self.constant(0)], [bool])
        self.names[COUNTER] = self.constant(0)

        def body(counter):
            passed = self.names[COUNTER]
            element = steps.take(passed, node)
            if element is passed and isinstance(node.target, ast.Name):
                self.names[node.target.id] = element  # the count keeps its number as its name
            else:
                self.bind_target(node.target, element, node)
            going, *left = self.loop_body(node.body, names, lambda how: self.constant(how != "break"))
            following = self.emit("aten::add", [passed, self.constant(1)], [int])
            more = self.emit("aten::lt", [following, trips], [bool])
            return [self.emit("aten::__and__", [more, going], [bool]), *left, following]

        self.loop(self.constant(MOST), test, [*names, COUNTER], None, body, node)
        self.names.pop(COUNTER)

    def do_While(self, node, carried=()):
        names = [*carried, *sorted(self.assigned(node.body))]
        trips, test = self.literal(MOST, node), self.condition(node.test)

        def go_on(how):
            return self.constant(False, node) if how == "break" else self.condition(node.test)

        self.loop(trips, test, names, None, lambda counter: self.loop_body(node.body, names, go_on), node)

    def loop_body(self, statements, names, go_on):
        """Compile the body of a loop; return whether to go on, and the carried values."""
        body = self.block

        def finish(how, node):
            returns = how in ("return", "value")
            if returns:
                self.names[RETURNED] = self.constant(True)
                self.names[RESULT] = node if how == "value" else self.returned_value(node)
                if self.result_kind is None and self.loop_result is None:
                    raise ResultFound(self.names[RESULT].value_kind)
                how = "break"
            elif RETURNED in names:
                self.names[RETURNED], self.names[RESULT] = self.constant(False), self.uninitialized
            absent = returns and self.block is not body  # a pass that always returns keeps its values
            return [go_on(how), *(self.value_left(name, absent) for name in names)]

        finish.kinds = [bool, *(self.kind_in_loop(name) for name in names)]
        if RETURNED not in names:
            finish.leaves_loop = True
        left = self.run(statements, finish)
        if left is None:
            left = [self.constant(False), *(self.names[name] for name in names)]
        return left

    def value_left(self, name, returns):
        """Return the value with which a loop's body leaves a name: of no use if it returns."""
        if not returns or name in (RETURNED, RESULT):
            return self.names[name]
        return self.absent.get(name) or self.emit("prim::Uninitialized", (), [self.kind_in_loop(name)])

    def returned_value(self, node):
        """Return the value of a ``return``."""
        return self.value(node.value) if node.value is not None else self.constant(None)

    def assigned(self, statements):
        """Return the names of values that statements assign and that were there before."""
        found = set()
        for each in statements:
            for node in ast.walk(each):
                if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                    found.add(node.id)
        return {name for name in found if isinstance(self.names.get(name), ScriptValue)}

    def repeat(self, node, items):
        """Compile the body of a loop once for each of its elements."""
        if leaves(node.body):
            self.source.refuse(node, "scripts cannot leave a loop over layers")
        for each in items:
            self.bind_target(node.target, each, node)
            self.run(node.body, lambda how, at: [])

    def run_loop_that_returns(self, node, rest, finish):
        """Compile a loop whose body returns, and the statements after it."""
        kind = self.result_kind if self.result_kind is not None else self.loop_result or Tensor
        around, carried = (self.absent, self.uninitialized), sorted(self.assigned(node.body))
        self.absent = {name: self.emit("prim::Uninitialized", (), [self.kind_in_loop(name)]) for name in carried}
        self.names[RETURNED] = self.constant(False)
        self.names[RESULT] = self.uninitialized = self.emit("prim::Uninitialized", (), [kind])
        before = dict(self.names)
        (self.do_For if isinstance(node, ast.For) else self.do_While)(node, (RETURNED, RESULT))
        self.absent, self.uninitialized = around
        returned, result = self.names.pop(RETURNED), self.names.pop(RESULT)
        if returned is before[RETURNED]:
            self.source.refuse(node, "scripts cannot leave a loop over layers")
        return self.go_on([returned, result], rest, finish, lambda values: finish("value", *values))


def as_load(target):
    """Return the target of an assignment as an expression."""
    made = ast.parse(ast.unparse(target), mode="eval").body
    return ast.copy_location(made, target) if not list(ast.iter_child_nodes(made)) else copy_places(made, target)


def copy_places(made, target):
    for one, other in zip(ast.walk(made), ast.walk(target)):
        ast.copy_location(one, other)
    return made


def contains(node, kind):
    """Return True if a statement contains one of a kind."""
    return any(isinstance(each, kind) for each in ast.walk(node))


def leaves(statements, ways=(ast.Return, ast.Break, ast.Continue)):
    """Return True if a statement returns, or leaves or continues the loop around the statements.

    ``ways`` are the kinds of such statements that count.
    """
    for each in statements:
        if isinstance(each, ways):
            return True
        if isinstance(each, ast.If) and (leaves(each.body, ways) or leaves(each.orelse, ways)):
            return True
        if isinstance(each, ast.With) and leaves(each.body, ways):
            return True
        if isinstance(each, (ast.For, ast.While)) and contains(each, ast.Return):
            return True
    return False
