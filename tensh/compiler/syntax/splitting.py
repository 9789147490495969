"""Splitting of functions: statements that graphs cannot contain run as Python, others become functions.

Note [Parts]
``x = f(a); print(x); return g(x)`` becomes ``x = part_1(a); print(x); return part_2(x)``: each part is a function that
is compiled like any other, and is split again if it has such a statement, too.  Loops and conditions around the
statement stay Python. A part takes the local variables that it reads and returns those that are read elsewhere, so only
statements are moved whose variables are certain to exist.  Line numbers and files stay those of the source, and so do
tracebacks and warnings.
"""

import ast
import itertools
import types
import weakref

from tensh.compiler.capture.frames import is_standard
from tensh.compiler.syntax.hoisting import Hoister, hoist_within, is_stack_name
from tensh.compiler.syntax.instructions import instruction_at
from tensh.compiler.syntax.statements import (
    SCOPES,
    MarkReturns,
    at,
    bound_by,
    computes,
    copy_node,
    copy_tree,
    is_text,
    is_within,
    leaves,
    locate,
    names_of,
    pack,
    pair,
    parameters,
)  # fmt: skip
from tensh.compiler.syntax.trees import Whole, find_tree, make_function, trees
from tensh.engine.errors.warnings import is_tensh_file
from tensh.nn.modules.module import Module

CALLEE, PART, RESULT = "_compiled_callee", "_part", "_returned"
ALONE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Delete, ast.Match)
"""Statements that stay in place, because the names that they bind cannot be results of a graph."""
MOST = 8  # maximum number of compiled function objects with the same code; more of them are made anew in every call


# ── splitting ────────────────────────────────────────────────────────────────
class Splitter:
    """Splits a function at a place (line, column, ...), or in the middle; ``parts`` (name -> compiled part) are the results.

    ``decides`` says that Python asks for the truth of the value there; None leaves statements whole.
    """

    def __init__(self, function, place, decides, deeper, compile_part):
        self.function, self.deeper, self.compile_part = function, deeper, compile_part
        self.place = None if place is None else place[:2]
        self.tree, self.parts, self.handed, self.alone = find_tree(function), {}, False, None
        self.check()
        if place is not None and None not in place and decides is not None:
            local = {*function.__code__.co_varnames, *names_of(self.tree.body, ast.Store)}
            hoister = Hoister(place, decides, local)
            self.tree, self.alone = hoist_within(self.tree, hoister), hoister.alone
        arguments = self.tree.args
        own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        self.given = [each.arg for each in own if each is not None]
        self.local = {*self.given, *names_of(self.tree.body, ast.Store)}

    def check(self):
        for each in ast.walk(self.tree):
            if isinstance(each, (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)):
                raise Whole
            name = getattr(each, "attr", getattr(each, "id", ""))
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                raise Whole  # mangled in a class

    def split(self):
        """Return the function that calls the parts."""
        body, defined = self.tree.body, set(self.given)
        if self.place is None:
            body = [each for each in body if not is_text(each)]
            if len(body) < 2:
                raise Whole
            middle = len(body) // 2
            first = self.gather(body[:middle], defined, False)
            made = [*first, *self.gather(body[middle:], defined | (bound_by(body[:middle]) or set()), False)]
        else:
            made = self.cut(body, defined, False)
        if not (self.parts or self.handed):
            raise Whole
        whole = ast.FunctionDef(**{name: getattr(self.tree, name, None) for name in ast.FunctionDef._fields})
        whole.body, whole.type_params = made, []
        more = {CALLEE: Callees(self.compile_part), **self.parts}
        return make_function(ast.copy_location(whole, self.tree), self.function, more)

    def cut(self, body, defined, loop):
        """Return the statements of a block, in which the one at the place stays Python."""
        at = next((i for i, each in enumerate(body) if each is self.alone), None)
        if at is None:
            at = next((i for i, each in enumerate(body) if is_within(self.place, each, each)), None)
        if at is None:
            raise Whole
        bound = bound_by(body[:at])
        if bound is None:
            raise Whole
        here = defined | bound
        middle = self.open(body[at], here, loop)
        after = here | (bound_by([body[at]]) or set())
        return [*self.gather(body[:at], defined, loop), middle, *self.gather(body[at + 1 :], after, loop)]

    def open(self, statement, defined, loop):
        """Return a statement that stays Python; the blocks in it become parts, or are split."""
        made = type(statement)(**{name: getattr(statement, name, None) for name in statement._fields})
        ast.copy_location(made, statement)
        if isinstance(statement, SCOPES):
            return made
        inside = defined | set(names_of([getattr(statement, "target", None) or ast.Pass()], ast.Store))
        for item in getattr(statement, "items", ()):
            inside |= set(names_of([item.optional_vars] if item.optional_vars else [], ast.Store))
        again = loop or isinstance(statement, (ast.For, ast.While))
        for name in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(statement, name, None), list) and block:
                setattr(made, name, self.open_block(block, inside if name == "body" else defined, again))
        if isinstance(statement, ast.Try):
            made.handlers = [self.open(each, defined | {each.name} - {None}, loop) for each in statement.handlers]
        if self.deeper:
            hand_over = HandOver(self.place[0])
            made, self.handed = hand_over.visit(made), hand_over.found
        return made

    def open_block(self, block, defined, loop):
        if is_within(self.place, block[0], block[-1]):
            return self.cut(block, defined, loop)
        return self.gather(block, defined, loop)

    # ── parts ────────────────────────────────────────────────────────────────
    def gather(self, statements, defined, loop):
        """Replace statements by calls of parts where they can be moved."""
        made, run, defined = [], [], set(defined)

        def close():
            if run:
                made.extend(self.move(list(run), set(defined), loop))
                defined.update(bound_by(run) or ())
                run.clear()

        for each in statements:
            if isinstance(each, ALONE) or is_text(each) or leaves([each], (ast.Break, ast.Continue), False):
                close()
                made.append(each)
                defined.update(bound_by([each]) or ())
            else:
                run.append(each)
        close()
        return made

    def move(self, run, defined, loop):
        """Return the call of a new part that runs these statements, or the statements if they cannot be moved."""
        stored = names_of(run, ast.Store)
        reads = {name for name in names_of(run, ast.Load) if name in self.local}
        bound = bound_by(run)
        outside = self.read_outside(run)
        results = [name for name in stored if name in outside or loop and name in reads]
        results.sort(key=lambda name: not is_stack_name(name))
        given = [name for name in self.order(reads) if name in defined]
        uncertain = [] if bound is None else [name for name in results if name not in bound]
        if any(name not in defined for name in uncertain) or not computes(run):
            return run
        if any(name not in defined and name not in stored for name in reads):
            return run  # the variable may not exist
        given += [name for name in uncertain if name not in given]
        if "super" in names_of(run, ast.Load) and self.given:
            given = [self.given[0], *(name for name in given if name != self.given[0])]
        own = f"{PART}_{len(self.parts) + 1}"
        call = ast.Call(ast.Name(own, ast.Load()), [ast.Name(name, ast.Load()) for name in given], [])
        returns = leaves(run, ast.Return)
        if bound is None:
            body, calls = run, [ast.Return(call)]
        elif returns:
            names = pack(results, ast.Load)
            body = [*(MarkReturns().visit(copy_tree(each)) for each in run), ast.Return(pair(False, names))]
            calls = [
                ast.Assign([ast.Name(RESULT, ast.Store())], call),
                ast.If(at(RESULT, 0), [ast.Return(at(RESULT, 1))], []),
                *([ast.Assign([pack(results, ast.Store)], at(RESULT, 1))] if results else []),
            ]
        else:
            one = len(results) == 1
            body = [*run, ast.Return(ast.Name(results[0], ast.Load()) if one else pack(results, ast.Load))]
            target = ast.Name(results[0], ast.Store()) if one else pack(results, ast.Store)
            calls = [ast.Assign([target], call)] if results else [ast.Expr(call)]
        tree = ast.FunctionDef(self.tree.name, parameters(given), body, [], None)
        tree.type_params = []
        tree = locate(tree, run[0])
        for each in body[-1:]:
            locate(each, run[-1])
        part = make_function(tree, plain_function(self.function), {})
        trees[part] = tree
        self.parts[own] = self.compile_part(part)
        return [locate(each, run[0]) for each in calls]

    def read_outside(self, run):
        """Return the names that are read outside of some statements."""
        chosen, found = set(map(id, run)), set()

        def look(node):
            if id(node) in chosen:
                return
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Load, ast.Del)):
                found.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            for each in ast.iter_child_nodes(node):
                look(each)

        for each in self.tree.body:
            look(each)
        return found

    def order(self, names):
        """Sort names: parameters in their order, then others alphabetically."""
        return [*(each for each in self.given if each in names), *sorted(set(names) - set(self.given))]


def find_position(code, instruction):
    """Return (line, column, last line, last column) of an instruction; columns are None if the code has none."""
    line, last, column, end = next(itertools.islice(code.co_positions(), instruction // 2, None))
    return line, column, last, end


def plain_function(function):
    """Return a function with the same free variables, without defaults."""
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)


class HandOver(ast.NodeTransformer):
    """Replaces calls at a line by calls of the compiled form of the function."""

    def __init__(self, line):
        self.line, self.found = line, False

    def visit(self, node):
        if isinstance(node, SCOPES):
            return node
        node = self.generic_visit(copy_node(node))
        here = isinstance(node, ast.Call) and node.lineno <= self.line <= node.end_lineno
        if here and not (isinstance(node.func, ast.Name) and node.func.id.startswith((PART, "super"))):
            node.func, self.found = locate(ast.Call(ast.Name(CALLEE, ast.Load()), [node.func], []), node), True
        return node


class Callees:
    """Returns the compiled form of a user's function or module that a statement calls; other objects unchanged."""

    def __init__(self, compile_part):
        self.compile_part, self.known, self.count = compile_part, weakref.WeakKeyDictionary(), {}
        self.first = {}  # code and global variables of a function that captures nothing -> the first function with them

    def __call__(self, callee):
        if isinstance(callee, types.MethodType):
            found = self(callee.__func__)
            return callee if found is callee.__func__ else types.MethodType(found, callee.__self__)
        if isinstance(callee, types.FunctionType):
            file = callee.__code__.co_filename
            if is_tensh_file(file) or is_standard(file) or hasattr(callee, "_torchdynamo_orig_callable"):
                return callee
            key = callee.__code__
            if not (callee.__closure__ or callee.__defaults__ or callee.__kwdefaults__ or vars(callee)):
                callee = self.first.setdefault((key, id(callee.__globals__)), callee)
        elif isinstance(callee, Module) and type(callee).__call__ is Module.__call__:
            key = id(callee)
        else:
            return callee
        if callee not in self.known:
            self.count[key] = self.count.get(key, 0) + 1
            if self.count[key] > MOST:
                return callee
            self.known[callee] = self.compile_part(callee)
        return self.known[callee]


def split_function(function, trail, compile_part, within=False):
    """Return a function, or a bound method, with compiled parts; None if it cannot be split.

    With ``within`` statements are split, too, and lambdas: parts then take numbers that calls have returned.

    ``trail`` has the (code, instruction) of the frames that led to the break, the innermost first, or nothing if it is
    unknown; ``compile_part`` makes the function that is called in place of a part.
    """
    inner = function.__func__ if isinstance(function, types.MethodType) else function
    if type(inner) is not types.FunctionType:
        return None
    places = [number for number, (code, _) in enumerate(trail) if code is inner.__code__]
    place = find_position(*trail[places[-1]]) if places else None
    if trail and not places:
        return None
    deeper = bool(places) and any(
        not is_tensh_file(code.co_filename) or code.co_name == "forward" for code, _ in trail[: places[-1]]
    )
    try:
        decides = bool(places) and not instruction_at(*trail[places[-1]])[0].startswith("CALL")
        if inner.__name__ == "<lambda>" and not within:
            return None
        made = Splitter(inner, place, decides if within else None, deeper, compile_part).split()
    except Whole:
        return None
    return types.MethodType(made, function.__self__) if isinstance(function, types.MethodType) else made
