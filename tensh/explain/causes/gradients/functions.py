"""User-defined `torch.autograd.Function` classes: saved values, results, and `ctx`."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, message_of
from tensh.explain.source.place import iterate_scope
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of, statement_on
from tensh.support.language import _, list_names

GRADIENTS = re.compile(
    r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)"
)
SHAPES = re.compile(
    r"Function (\w+)Backward returned an invalid gradient at index (\d+) - got (\[.*\]) but expected shape compatible "
    r"with (\[.*\])"
)
COUNTS = re.compile(r"(\w+)\.(forward|backward)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")
SAVED = re.compile(r"save_for_backward can only save variables, but argument (\d+) is of type (\w+)")


def explain_function(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (
            explain_call_without_apply,
            explain_instance_of_function,
            explain_missing_backward,
            explain_context_named_self,
            explain_gradient_of_another_shape,
            explain_tuple_of_saved,
            explain_nothing_saved,
            explain_number_of_gradients,
            explain_method_without_ctx,
            explain_saved_number,
        ),
        situation,
    )


def method_in(definition, name):
    """Return a method of a class in the source; None if it has none of that name."""
    methods = definition.body if definition is not None else ()
    return next((each for each in methods if isinstance(each, ast.FunctionDef) and each.name == name), None)


def parameters_of(method):
    return [each.arg for each in method.args.args]


def last_return(method):
    """Return the only `return` of a method; None if it has none, or several."""
    found = [each for each in iterate_scope(method) if isinstance(each, ast.Return) and each.value is not None]
    return found[0] if len(found) == 1 else None


def explain_call_without_apply(situation):
    """Explain `y = Square(x)` of a Function, followed by `y.sum()`."""
    made = type(getattr(situation.error, "obj", None))
    if not isinstance(situation.error, AttributeError) or not hasattr(Tensor, situation.error.name or ""):
        return None
    if not {"apply", "forward", "backward"} <= {*dir(made)}:
        return None
    tree = situation.place.tree()
    calls = (
        [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == made.__name__] if tree else []
    )
    if len(calls) != 1:
        return None
    rule = _("{kind}(...) creates an object: apply runs a Function, and records it").format(kind=made.__name__)
    fit = replace_node(situation.place, calls[0].func, f"{made.__name__}.apply")
    return Explanation("Function", (), rule, (fit,) if fit else ())


def explain_instance_of_function(situation):
    """Explain `Square()(x)`."""
    match situation.place.node():
        case ast.Call(func=ast.Call(func=kind, args=[])) as node:
            pass
        case _:
            return None
    if not situation.says("Legacy autograd function with non-static forward"):
        return None
    text = ast.unparse(kind)
    rule = _("{kind}(...) creates an object: apply runs a Function, and records it").format(kind=text)
    fit = replace_node(situation.place, node.func, f"{text}.apply")
    return Explanation("Function", (), rule, (fit,) if fit else ())


def explain_missing_backward(situation):
    """Explain a Function whose class has no method backward, or one of a similar name."""
    if not situation.says("You must implement either the backward or vjp method"):
        return None
    tree = situation.place.tree()
    classes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)] if tree else []
    kinds = [n for n in classes if method_in(n, "forward") and not method_in(n, "backward") and is_function_class(n)]
    if len(kinds) != 1:
        return None
    kind, forward = kinds[0], method_in(kinds[0], "forward")
    close = [each for each in kind.body if isinstance(each, ast.FunctionDef) and each.name.startswith("back")]
    if len(close) == 1:
        rule = _("{kind} has {wrong} (line {line}), but backward is called").format(
            kind=kind.name, wrong=close[0].name, line=close[0].lineno
        )
        fit = Fit(f"def backward({ast.unparse(close[0].args)}):", "", close[0].lineno)
        return Explanation("Function", (), rule, (fit,))
    rule = _("{kind} has a forward (line {line}), but no backward").format(kind=kind.name, line=forward.lineno)
    advice = _("define backward(ctx, g) as a static method: it returns the gradient of {names}")
    names = parameters_of(forward)[1:]
    return Explanation("Function", (), rule, (), advice.format(names=list_names(names)) if names else None)


def is_function_class(definition):
    return any(ast.unparse(base).rpartition(".")[2] == "Function" for base in definition.bases)


def explain_context_named_self(situation):
    """Explain `self.x = x` in a static method, whose first parameter is ctx."""
    if not isinstance(situation.error, NameError) or situation.error.name != "self":
        return None
    tree, line = situation.place.tree(), situation.place.line
    around = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.lineno <= line <= n.end_lineno]
    method, path = situation.place.scope(), situation.place.path()
    if not around or not is_function_class(around[-1]) or not isinstance(method, ast.FunctionDef) or not path:
        return None
    names = parameters_of(method)
    used = next((each for each in ast.walk(path[-1]) if isinstance(each, ast.Name) and each.id == "self"), None)
    if not names or used is None:
        return None
    rule = _("{name} is static: what backward needs is kept by its first parameter, {first}").format(
        name=method.name, first=names[0]
    )
    fit = replace_node(situation.place, used, names[0])
    return Explanation("Function", (), rule, (fit,) if fit else ())


def explain_gradient_of_another_shape(situation):
    """Explain a backward that returns a gradient of another shape than its argument's."""
    found = SHAPES.fullmatch(message_of(situation.error))
    definition = class_of(situation.place, found[1]) if found else None
    forward, backward = method_in(definition, "forward"), method_in(definition, "backward")
    number = int(found[2]) if found else 0
    names = parameters_of(forward)[1:] if forward is not None else []
    if backward is None or number >= len(names):
        return None
    rule = _("backward (line {line}) returns {got} for {name}, but the gradient of {name} has its shape, {shape}")
    return Explanation(
        "Function", (), rule.format(line=backward.lineno, got=found[3], name=names[number], shape=found[4])
    )


def explain_tuple_of_saved(situation):
    """Explain `x = ctx.saved_tensors`, followed by `2 * x`."""
    path = situation.place.path()
    for node in ast.walk(path[-1]) if path and isinstance(situation.error, TypeError | AttributeError) else ():
        value = situation.names.get(node.id) if isinstance(node, ast.Name) else None
        made = situation.find_assignment(node.id) if type(value) is tuple and len(value) == 1 else None
        match made:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr="saved_tensors") as saved):
                rule = _("{name} is a tuple of one tensor (line {line})").format(name=name, line=made.lineno)
                fit = Fit(f"({name},) = {ast.unparse(saved)}", "", made.lineno)
                return Explanation("Function", (), rule, (fit,))
    return None


def explain_nothing_saved(situation):
    """Explain `y, = ctx.saved_tensors`, where `forward` saves nothing."""
    tree, place = situation.place.tree(), situation.place
    statement = statement_on(tree, place.line) if tree else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Attribute(attr="saved_tensors", value=context)):
            pass
        case _:
            return None
    if not situation.says("not enough values to unpack", "got 0"):
        return None
    around = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.lineno <= place.line <= n.end_lineno]
    forward = method_in(around[-1], "forward") if around else None
    back = last_return(forward) if forward is not None else None
    if back is None or "save_for_backward" in ast.unparse(forward):
        return None
    names = [*map(ast.unparse, targets)]
    own = parameters_of(forward)
    known = {*own, *(n.id for n in ast.walk(forward) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))}
    rule = _("forward (line {line}) saves nothing: {text} is empty").format(
        line=forward.lineno, text=ast.unparse(statement.value)
    )
    code = f"{own[0] if own else ast.unparse(context)}.save_for_backward({', '.join(names)})"
    if not {*names} <= known:
        return Explanation("Function", (), rule, (), code)
    return Explanation("Function", (), rule, (Fit(code, "", back.lineno, "before"),))


def explain_number_of_gradients(situation):
    """Explain a `backward` that returns one gradient for two arguments."""
    found = GRADIENTS.fullmatch(message_of(situation.error))
    definition = class_of(situation.place, found[1]) if found else None
    forward, backward = method_in(definition, "forward"), method_in(definition, "backward")
    if forward is None or backward is None:
        return None
    names = parameters_of(forward)[1:]
    rule = _("backward returns a gradient for each argument of forward, or None: {names}").format(
        names=list_names(names) if names else "-"
    )
    back, wanted, got = last_return(backward), int(found[2]), int(found[3])
    written = back.value.elts if back is not None and isinstance(back.value, ast.Tuple) else [back and back.value]
    if back is None or len(written) != got or wanted != len(names):
        return Explanation("Function", (), rule)
    if got > wanted:
        kept = ", ".join(map(ast.unparse, written[:wanted]))
        is_rest_none = all(isinstance(each, ast.Constant) and each.value is None for each in written[wanted:])
        fits = (Fit(f"return {kept}", "", back.lineno),) if is_rest_none else ()
        return Explanation("Function", (), rule, fits)
    rest = names[got:]
    if any(needs_gradient(situation, found[1], number) is not False for number in range(got, wanted)):
        return Explanation(
            "Function", (), rule, (), _("return a gradient for {names} after the others").format(names=list_names(rest))
        )
    code = ", ".join([*map(ast.unparse, written), *["None"] * len(rest)])
    return Explanation("Function", (), rule, (Fit(f"return {code}", "", back.lineno),))


def needs_gradient(situation, name, number):
    """Return True if an argument of `NAME.apply(...)` requires grad; None if unknown."""
    for node in ast.walk(situation.place.tree()):
        match node:
            case ast.Call(func=ast.Attribute(attr="apply", value=ast.Name(id=owner)), args=args) if owner == name:
                if number >= len(args):
                    return None
                if isinstance(args[number], ast.Constant):
                    return False
                value = situation.look_up(args[number])
                return None if value is None else isinstance(value, Tensor) and value.requires_grad
    return None


def explain_method_without_ctx(situation):
    """Explain `def forward(x)`, which lacks `ctx`."""
    found = COUNTS.search(message_of(situation.error))
    definition = class_of(situation.place, found[1]) if found else None
    method = method_in(definition, found[2]) if found else None
    is_function = definition is not None and is_function_class(definition)
    if (
        method is None
        or not is_function
        or int(found[4]) != int(found[3]) + 1
        or method_in(definition, "setup_context")
    ):
        return None
    lacking = [each for each in (method, method_in(definition, "backward")) if each is not None and lacks_context(each)]
    one, *more = (Fit(f"def {each.name}(ctx, {ast.unparse(each.args)}):", "", each.lineno) for each in lacking)
    rule = _("the first argument of {name} is a context, which keeps what backward needs").format(name=method.name)
    return Explanation("Function", (), rule, (one._replace(more=tuple(more[: len({*lacking}) - 1])),))


def lacks_context(method):
    return parameters_of(method)[:1] not in (["ctx"], ["context"], ["self"])


def explain_saved_number(situation):
    """Explain `ctx.save_for_backward(x, 2.0)`."""
    found = SAVED.search(message_of(situation.error))
    tree = situation.place.tree()
    for node in ast.walk(tree) if found and tree else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="save_for_backward", value=context), args=args):
                number = int(found[1])
                if number < len(args) and isinstance(args[number], ast.Name):
                    text, owner = args[number].id, ast.unparse(context)
                    rule = _("save_for_backward (line {line}) keeps tensors, but {text} is a {kind}").format(
                        line=node.lineno, text=text, kind=found[2]
                    )
                    advice = _("{code} in forward, and {owner}.{text} in backward")
                    code = f"{owner}.{text} = {text}"
                    return Explanation("Function", (), rule, (), advice.format(code=code, owner=owner, text=text))
    return None
