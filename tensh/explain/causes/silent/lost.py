"""Lost results: a statement that computes a new tensor from a name without storing it."""

import ast
import types
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.values.operators import write_layer
from tensh.explain.model import Explanation
from tensh.explain.source.place import FUNCTIONS, iterate_scope, root
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import find_assignment
from tensh.explain.trials.attempts import UNKNOWN, make_shadow, try_value, works
from tensh.explain.trials.trusted import is_from
from tensh.support.language import _
from tensh.support.pure_functions import FUNCTIONS_OF_ONE, METHODS, METHODS_OF_TENSORS


class Lost(NamedTuple):
    """A statement whose result is lost: the node, the name it was computed from, and the code that keeps it."""

    node: ast.Expr
    name: str
    code: str
    is_layer: bool = False  # a layer is made, but nothing is computed


def read_lost(statement, names, definition=None):
    """Return the Lost of a statement; None if its result is kept, or if it may have another purpose.

    ``names`` are the known values of names, ``definition`` is the enclosing class.
    """
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or any(each.arg in ("inplace", "out") for each in call.keywords):
        return None
    given = call.args[0] if call.args else None
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr=word) if is_method(word, name, names):
            values = ".values" if word == "sort" else ""
            return Lost(statement, name, f"{name} = {ast.unparse(call)}{values}")
        case function if isinstance(given, ast.Name):
            name, kind = given.id, find_class(function, names)
            if kind is not None:
                if len(call.args) == 1 and not call.keywords and makes_without_settings(kind):
                    return Lost(statement, name, f"{name} = {write_layer(ast.unparse(function))}({name})", True)
            elif is_function(function) or is_own_layer(function, definition) or is_plain_layer(function):
                return Lost(statement, name, f"{name} = {ast.unparse(call)}")
    return None


def is_method(word, name, names):
    """Return True if a name refers to a tensor with such a method, as far as is known."""
    value = names.get(name)
    if value is None:
        return word in METHODS
    return isinstance(value, Tensor) and word in METHODS_OF_TENSORS


def is_function(function):
    """Return True if a function of torch or F computes a tensor from another."""
    if not isinstance(function, ast.Attribute) or function.attr not in FUNCTIONS_OF_ONE:
        return False
    return ast.unparse(function.value) in ("F", "torch", "nn.functional", "torch.nn.functional")


def find_class(function, names):
    """Return the layer class of torch.nn that a function refers to; None if it is something else."""
    if not isinstance(function, ast.Attribute | ast.Name):
        return None
    kind = try_value(function, make_shadow(names, function)) if root(function) in names else None
    return kind if isinstance(kind, type) and is_from(kind, "nn") and hasattr(kind, "named_modules") else None


def makes_without_settings(kind):
    """Return True if a class makes a layer without arguments."""
    code, defaults = kind.__init__.__code__, kind.__init__.__defaults__ or ()
    return code.co_argcount - 1 == len(defaults)


def is_plain_layer(function):
    """Return True for an instance such as `nn.ReLU()`, which is then called."""
    if not isinstance(function, ast.Call) or any(is_true(each) for each in settings_of(function)):
        return False
    return ast.unparse(function.func).startswith(("nn.", "torch.nn."))


def settings_of(call):
    return [*call.args, *(each.value for each in call.keywords)]


def is_true(node):
    return not isinstance(node, ast.Constant) or node.value is True


def is_own_layer(function, definition):
    """Return True for `self.act` if the class assigns it a torch.nn layer that does not write into its input."""
    match function:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if definition is not None:
            for node in ast.walk(definition):
                match node:
                    case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=found)], value=made):
                        if found == name:
                            return is_plain_layer(made)
    return False


# ── without a failure ────────────────────────────────────────────────────────
def find_lost(tree, span, names):
    """Return the first Lost among some lines whose name is read later in its block; None if there is none.

    ``names`` are the values of top-level names.
    """
    in_functions = {name: each for name, each in names.items() if is_global(each)}
    for definition, scope, block in blocks_of(tree, None, tree):
        known = names if scope is tree else in_functions
        for number, statement in enumerate(block):
            if not span[0] <= statement.lineno <= span[1]:
                continue
            found = read_lost(statement, known, definition)
            if found and any(reads(each, found.name, known, definition) for each in block[number + 1 :]):
                return found
    return None


def is_global(value):
    """Return True for values that functions use by their top-level names: namespaces, classes and functions."""
    return isinstance(value, types.ModuleType | types.FunctionType | type)


def blocks_of(node, definition, scope):
    """Yield (class, function or module, statements) for each block in which a lost result is certainly a mistake."""
    if isinstance(node, ast.ClassDef):
        definition = node
    elif isinstance(node, FUNCTIONS):
        scope = node
    elif isinstance(node, ast.Try | ast.With | ast.For | ast.While):  # tried, timed, or repeated
        return
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield definition, scope, block
            for inner in block:
                yield from blocks_of(inner, definition, scope)


def reads(statement, name, names, definition):
    """Return True if a statement reads a name and uses its value."""
    if read_lost(statement, names, definition) is not None:
        return False
    nodes = [each for each in ast.walk(statement) if isinstance(each, ast.Name) and each.id == name]
    return any(isinstance(each.ctx, ast.Load) for each in nodes)


# ── after a failure ──────────────────────────────────────────────────────────
def explain_lost(situation):
    """Return the Explanation of a failure that would not occur if the result of an earlier line had been kept."""
    path, scope = situation.place.path(), situation.place.scope()
    if not path or scope is None or not isinstance(situation.error, RuntimeError | TypeError | ValueError | IndexError):
        return None
    used = {each.id for each in ast.walk(path[-1]) if isinstance(each, ast.Name)}
    given = {name: situation.names[name] for name in used if name in situation.names}
    tensors = {name for name, value in given.items() if isinstance(value, Tensor)}
    for statement in reversed([*iterate_scope(scope)]):
        if not isinstance(statement, ast.Expr) or statement.lineno >= situation.place.line:
            continue
        found = read_lost(statement, situation.names)
        if found is None or found.name not in tensors or is_made_later(situation, found):
            continue
        fit = replace_node(situation.place, statement, found.code) if works_with(situation, found, path[-1]) else None
        if fit:
            rule = _("the new tensor computed on line {line} is not kept: {name} is still {shape} {dtype}").format(
                line=statement.lineno,
                name=found.name,
                shape=[*given[found.name].shape],
                dtype=str(given[found.name].dtype).removeprefix("torch."),
            )
            return Explanation("call", (), rule, (fit,))
    return None


def is_made_later(situation, found):
    """Return True if a name was assigned after its result was lost."""
    made = find_assignment(situation.place, found.name)
    return made is not None and made.lineno > found.node.lineno


def works_with(situation, found, failed):
    """Return True if the failing code works on stand-ins with the result kept, and fails without."""
    kept = ast.parse(found.code).body[0].value
    shadow = make_shadow(situation.names, failed, kept, grad=True)
    result = try_value(kept, shadow, UNKNOWN)
    if result is UNKNOWN:
        return False
    return works(failed, shadow) is False and works(failed, shadow.bind_name(found.name, result)) is True
