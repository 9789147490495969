"""Values that a derivative needs, and that a later operation has overwritten."""

import ast
import re
from types import ModuleType

from tensh.engine.core.tensor import Tensor
from tensh.explain.calls import Argument
from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import operand
from tensh.explain.source.place import calls_of, iterate_scope, root
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _, deferred

VERSIONS = re.compile(
    r"\[\S+ \[([\d, ]*)\]\](?:, which is output \d+ of ([\w:]+),)? is at version (\d+); expected version (\d+)"
)
NEEDED = deferred("a derivative needs the earlier value of {name}, which `{code}` on line {line} changed")


def explain_overwritten(call, text):
    """Explain which value of a derivative was overwritten, and by what."""
    found, scope = VERSIONS.search(text), call.place.scope()
    if not found or scope is None:
        return None
    shape, version, expected = [int(size) for size in found[1].split(",") if size.strip()], int(found[3]), int(found[4])
    for name, value in call.names.items():
        if isinstance(value, Tensor) and list(value.shape) == shape and value._version == version:
            writes = [*find_writes(scope, name, call.names, call.place.line)]
            if writes:
                return explain_writes(call, Argument(name, value, name, None), writes, version, expected)
    return explain_step(call, shape) or explain_write_within(call, found[2]) or explain_overwriting_module(call)


def explain_writes(call, argument, writes, version, expected):
    """Explain that one of some statements overwrote a tensor: the one after its expected version, if that is known."""
    is_counted = len(writes) == version > expected  # each of them has run once
    place = expected if is_counted else 0 if expected == 0 else -1
    statement, node, new = writes[place]
    fit = None
    if is_counted or len(writes) == 1 or expected == 0:
        is_last = len(writes) == 1 or is_counted
        fit = write_elsewhere(call.place, statement, node, new if is_last else None, argument.name)
    other = _("compute a new tensor instead of writing into {name}").format(name=argument.name)
    return Explanation(
        "backward",
        (operand(argument),) if argument.value is not None else (),
        _(NEEDED).format(name=argument.name, code=ast.unparse(node), line=node.lineno),
        (fit,) if fit else (),
        None if fit else _("on line {line}, {change}").format(line=node.lineno, change=other),
    )


def find_writes(scope, name, names, last):
    """Yield (statement, node, new value) for each simple statement up to a line that writes into a name's value."""
    for statement in iterate_scope(scope):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body") and statement.lineno <= last:
            for node in (statement, *iterate_scope(statement)):
                target, new = read_write(node, names)
                if target is not None and root(target) == name:
                    yield statement, node, new if isinstance(target, ast.Name) else None
                    break


def read_write(node, names):
    """Return (what a node writes into, code of its value without writing) for a write in place; else (None, None)."""
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            return target, ast.unparse(ast.BinOp(target, op, value))
        case ast.Assign(targets=[ast.Subscript() as target]):
            return target, None
        case ast.Call(func=ast.Attribute(value=owner, attr=word)) if is_in_place_name(word):
            module = names.get(root(owner))
            if not isinstance(module, ModuleType):
                return owner, write_call(node, f"{ast.unparse(owner)}.{word[:-1]}") if hasattr(
                    Tensor, word[:-1]
                ) else None
            if node.args:
                has_other = hasattr(module, word[:-1])
                return node.args[0], write_call(node, f"{ast.unparse(owner)}.{word[:-1]}") if has_other else None
        case ast.Call(args=[target, *_rest]) if is_switched(node):
            return target, write_call(node, ast.unparse(node.func))
        case ast.Call(func=ast.Call() as maker, args=[target]) if is_switched(maker):
            return target, write_call(node, write_call(maker, ast.unparse(maker.func)))
        case ast.Call(func=ast.Name(id=word), args=[target]) if is_overwriting(names.get(word)):
            return target, None
    return None, None


def is_in_place_name(word):
    return word.endswith("_") and not word.endswith("__") and word != "requires_grad_"


def is_switched(call):
    """Return True for a call with `inplace=True`."""
    return any(each.arg == "inplace" and ast.unparse(each.value) == "True" for each in call.keywords)


def is_overwriting(value):
    """Return True for a module that writes into its input."""
    return is_module(value) and vars(value).get("inplace") is True


def write_call(call, function):
    """Return the code of a call of another function, without `inplace=True`."""
    given = [each for each in call.keywords if each.arg != "inplace"]
    return f"{function}({', '.join(map(ast.unparse, [*call.args, *given]))})"


def write_elsewhere(place, statement, node, new, name):
    """Return the Fit by which a statement makes a new tensor, or writes into a copy; None if it spans lines."""
    if new is None:
        return Fit(f"{name} = {name}.clone()", "", statement.lineno, "before")
    is_used = isinstance(node, ast.Call) and not (isinstance(statement, ast.Expr) and statement.value is node)
    return replace_node(place, node, new if is_used else f"{name} = {new}")


def explain_step(call, shape):
    """Explain parameters that an optimizer has changed since they were used; None where none has the shape."""
    steps = [(line, code) for line, code in calls_of(call.place.scope(), "step") if line <= call.place.line]
    for line, code in reversed(steps):
        optimizer = call.names.get(code.partition(".")[0])
        groups = getattr(optimizer, "__dict__", {}).get("param_groups", ())
        for each in (each for group in groups for each in group["params"]):
            if list(each.shape) in (shape, shape[::-1]):  # a linear layer reads its weight transposed
                rule = _(NEEDED).format(name=name_parameter(each, call.names), code=code, line=line)
                return Explanation("backward", (), rule, (), _("call {code} after this pass, or compute the loss again after it").format(code=code))  # fmt: skip
    return None


def name_parameter(parameter, names):
    """Return the user's name of a parameter, such as `net.0.weight`."""
    for name, value in names.items():
        if value is parameter:
            return name
        if is_module(value):
            for path, each in value.named_parameters():
                if each is parameter:
                    return f"{name}.{path}"
    return _("a parameter")


def explain_write_within(call, operation):
    """Explain a write in a function that has returned: into the name of a result of the operation whose value is needed."""
    tree, here = call.place.tree(), call.place.scope()
    word = (operation or "").rstrip("0123456789").lower()
    for scope in ast.walk(tree) if tree and word else ():
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) or scope is here:
            continue
        for statement in iterate_scope(scope):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)):
                    writes = [*find_writes(scope, name, call.names, scope.end_lineno)]
                    writes = [each for each in writes if each[0].lineno > statement.lineno]
                    if writes and ast.unparse(function).rpartition(".")[2].lower() == word:
                        return explain_writes(call, Argument(name, None, name, None), writes[:1], 1, 0)
    return None


def explain_overwriting_module(call):
    """Explain a layer that writes into its input, where no statement does."""
    for name, model in call.names.items():
        for path, module in model.named_modules() if is_module(model) else ():
            if is_overwriting(module):
                layer = f"{name}.{path} ({type(module).__name__})" if path else f"{name} ({type(module).__name__})"
                rule = _("a derivative needs the earlier value of a result, but {layer} has inplace=True: it writes into its input")  # fmt: skip
                fit = remove_switch(call.place, type(module).__name__)
                advice = None if fit else _("make it without inplace=True")
                return Explanation("backward", (), rule.format(layer=layer), (fit,) if fit else (), advice)
    return None


def remove_switch(place, kind):
    """Return the Fit that makes the only layer of a class with `inplace=True` without that; None where there are more."""
    calls = [each for each in ast.walk(place.tree()) if isinstance(each, ast.Call) and is_switched(each)]
    makers = [each for each in calls if ast.unparse(each.func).rpartition(".")[2] == kind]
    if len(makers) != 1:
        return None
    return replace_node(place, makers[0], write_call(makers[0], ast.unparse(makers[0].func)))
