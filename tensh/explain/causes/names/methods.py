"""Methods and modules in place of their results."""

import ast
import inspect
import types

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import operand_of
from tensh.explain.source.replacing import replace_node, replace_within
from tensh.explain.trials.attempts import make_shadow, works
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_uncalled(situation):
    """Explain a method that was not called on an earlier line, or a module among a function's tensors."""
    if not isinstance(situation.error, AttributeError) or not situation.says("object has no attribute"):
        return None
    expression = situation.expression()
    for node in ast.walk(expression or ast.Module([], [])):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = find_method(node.value.id, situation)
            if found is not None:
                return found
    call = getattr(expression, "value", expression)
    return find_module_argument(call, situation) if isinstance(call, ast.Call) else None


def explain_uncalled_part(situation):
    """Explain a method in the failing code that was not called: `round(loss.item, 3)`, `x.sum.backward()`."""
    if not isinstance(situation.error, TypeError | AttributeError | ValueError):
        return None
    path = situation.place.path()
    if not path:
        return None
    failed = next((each for each in path if isinstance(each, ast.JoinedStr)), path[-1])
    if isinstance(failed, ast.Tuple) and isinstance(failed.ctx, ast.Store) and isinstance(path[0], ast.Assign):
        failed = ast.Call(ast.Name("tuple"), [path[0].value], [])  # `a, b = x.size` fails if that does
    is_told = situation.says("must be a Tensor") or any(map(situation.says, ("method", "function")))
    called = {call.func for call in ast.walk(path[0]) if isinstance(call, ast.Call)}
    if situation.says("takes 1 positional argument but 2 were given") and isinstance(path[-1], ast.Call):
        found = find_method(path[-1].func.id, situation) if isinstance(path[-1].func, ast.Name) else None
        if found is not None:  # `net = net.eval`, followed by `net(x)`
            return found
    for node in ast.walk(failed):
        if isinstance(node, ast.Name):
            found = find_method(node.id, situation) if is_told else None
            if found is not None:
                return found
        elif isinstance(node, ast.Attribute) and node not in called and is_method(node, situation, is_told):
            text, owner = ast.unparse(node), situation.find_value(node.value)
            rule = _("{text} is a method that was not called").format(text=text)
            method = inspect.getattr_static(type(owner), node.attr, None)
            # no property, which runs code
            is_plain = isinstance(method, types.FunctionType | types.MethodDescriptorType)
            code, is_whole = write_call(text, method.__get__(owner) if is_plain else None)
            if not is_whole:
                return Explanation("call", (), rule, (), code)
            if node.attr in ("argmax", "argmin") and getattr(owner, "ndim", 0) == 2:
                code = f"{text}(1)"  # the class of each sample of a batch
            code = choose_call(situation, failed, node, (code, f"{text}(0)", f"{code}.item()", f"list({code})"))
            is_text = isinstance(failed, ast.JoinedStr)  # the places of its parts are wrong before Python 3.12
            fit = code and (replace_within if is_text else replace_node)(situation.place, node, code)
            return Explanation("call", (), rule, (fit,) if fit else ())
    return None


def choose_call(situation, failed, node, candidates):
    """Return the first of some calls with which the failed code works; the first of all if that is unknown, or None."""
    outer = ast.unparse(failed)
    for code in candidates:
        tree = ast.parse(outer.replace(ast.unparse(node), code, 1)).body[0]
        answer = works(tree, make_shadow(situation.names, tree))
        if answer or answer is None and code is candidates[0]:
            return code
    return None


def is_method(node, situation, is_told):
    """Return True if an attribute is a method of a tensor, or of a value whose methods are known without running code."""
    owner = situation.find_value(node.value)
    if isinstance(owner, Tensor):
        return callable(getattr(Tensor, node.attr, None))
    if owner is not None and not isinstance(owner, types.ModuleType | type):
        found = inspect.getattr_static(type(owner), node.attr, None)
        return is_told and isinstance(found, types.FunctionType | types.MethodDescriptorType)
    return is_told and callable(getattr(Tensor, node.attr, None)) and not is_namespace(node.value, situation)


def is_namespace(node, situation):
    return isinstance(situation.look_up(node), types.ModuleType)


def explain_uncalled_class(situation):
    """Explain a class in place of an instance: `with torch.no_grad:`, `nn.Sequential(nn.ReLU)`."""
    if not isinstance(situation.error, TypeError):
        return None
    tree, line = situation.place.tree(), situation.place.line
    if situation.says("'type' object does not support the context manager protocol"):
        blocks = [node for node in ast.walk(tree) if isinstance(node, ast.With) and node.lineno == line] if tree else []
        nodes = [item.context_expr for block in blocks for item in block.items]
    elif situation.says("unbound method", "needs an argument"):
        return find_class_argument(situation)
    elif situation.says("is not a Module subclass"):
        path = situation.place.path()
        nodes = path[-1].args if path and isinstance(path[-1], ast.Call) else []
    else:
        return None
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(
            situation.evaluate(node) or situation.look_up(node), type
        ):
            text, kind = ast.unparse(node), situation.evaluate(node) or situation.look_up(node)
            rule = _("{text} is a class: call it to create an instance").format(text=text)
            needed = [each.name for each in inspect.signature(kind).parameters.values() if is_needed(each)]
            if needed:
                return Explanation("call", (), rule, (), f"{text}({', '.join(needed)})")
            fit = replace_node(situation.place, node, f"{text}()")
            return Explanation("call", (), rule, (fit,)) if fit else None
    return None


def is_needed(parameter):
    """Return True for a parameter without a default value."""
    return parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD


def find_class_argument(situation):
    """Explain `file = io.BytesIO`, passed as a file."""
    path = situation.place.path()
    for node in path[-1].args if path and isinstance(path[-1], ast.Call) else ():
        made = situation.find_assignment(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(made, ast.Assign) or not isinstance(made.value, ast.Name | ast.Attribute):
            continue
        if isinstance(situation.names.get(node.id), type):
            text = ast.unparse(made.value)
            fit = Fit(f"{ast.unparse(made.targets[0])} = {text}()", "", made.lineno)
            rule = _("{text} is a class: call it to create an instance").format(text=text)
            return Explanation("call", (), rule, (fit,))
    return None


def explain_digits(situation):
    """Explain `torch.round(x, 2)` and `x.round(2)`, whose digits have a name."""
    match situation.place.node():
        case ast.Call(func=ast.Attribute(attr="round" | "round_"), args=[*_owner, digits], keywords=[]) as call:
            pass
        case _:
            return None
    if not isinstance(situation.error, TypeError) or type(situation.evaluate(digits)) is not int:
        return None
    text = ast.unparse(digits)
    rule = _("pass the number of digits by name, as decimals")
    fit = replace_node(situation.place, digits, f"decimals={text}")
    return Explanation(call.func.attr, (), rule, (fit,)) if fit else None


def explain_rounded(situation):
    """Explain `round(loss)`, which takes a Python number."""
    if not situation.says("type Tensor doesn't define __round__ method"):
        return None
    path = situation.place.path()
    given = path[-1].args[0] if path and isinstance(path[-1], ast.Call) and path[-1].args else None
    value = situation.evaluate(given) if given is not None else None
    if isinstance(value, Tensor) and value.numel() != 1 and value.is_floating_point():
        digits = "".join(f"decimals={ast.unparse(each)}" for each in path[-1].args[1:2])
        code = append_to_expression(ast.unparse(given), f".round({digits})")
        fit = replace_node(situation.place, path[-1], code)
        rule = _("round expects a Python number, but {text} is a tensor").format(text=ast.unparse(given))
        return Explanation("round", (operand_of(ast.unparse(given), value),), rule, (fit,)) if fit else None
    if given is None or (isinstance(value, Tensor) and value.numel() != 1):
        return None
    text = ast.unparse(given)
    fit = replace_node(situation.place, given, append_to_expression(text, ".item()"))
    return (
        Explanation("round", (), _("round expects a Python number, but {text} is a tensor").format(text=text), (fit,))
        if fit
        else None
    )


def find_method(name, situation):
    """Return the statement that assigned a method in place of its result."""
    value, made = situation.names.get(name), situation.find_assignment(name)
    if not isinstance(value, types.MethodType | types.BuiltinMethodType):
        return None
    made = made or find_uncalled(situation, value.__name__)
    if not isinstance(made, ast.Assign):
        return None
    if not isinstance(made.value, ast.Attribute) or len(made.targets) != 1:
        return None
    code, is_whole = write_call(ast.unparse(made.value), value)
    code = f"{ast.unparse(made.targets[0])} = {code}"
    rule = _("{name} is the method {attr}, which was not called on line {line}").format(
        name=name, attr=made.value.attr, line=made.lineno
    )
    if not is_whole:
        return Explanation("call", (), rule, (), _("on line {line}, {change}").format(line=made.lineno, change=code))
    return Explanation("call", (), rule, (Fit(code, "", made.lineno),))


def write_call(text, method):
    """Return (the call of a method with names for its arguments, True if it needs none)."""
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # a method of a class written in C
        return f"{text}()", True
    owner = getattr(method, "__self__", None)
    of_tensor = isinstance(owner, Tensor)  # `reshape(*shape)` needs sizes
    needed = [each.name for each in parameters if is_needed(each) or of_tensor and each.kind is each.VAR_POSITIONAL]
    if needed and is_module(owner):
        text = text.removesuffix(".forward")
    return f"{text}({', '.join(needed)})", not needed


def find_uncalled(situation, word):
    """Return the only statement of the source that assigns a method of that name, uncalled; None if there is none."""
    tree = situation.place.tree()
    found = [
        node for node in ast.walk(tree) if isinstance(node, ast.Assign) and getattr(node.value, "attr", None) == word
    ]
    return found[0] if len(found) == 1 else None


def find_module_argument(call, situation):
    """Explain a module, or its forward, where a function takes its output."""
    if not any(operand_is_tensor(node, situation) for node in call.args):
        return None
    for node in call.args:
        value = situation.look_up(node)
        text = ast.unparse(node)
        if is_module(value):
            rule = _("{text} is a module: its output is needed here").format(text=text)
            return Explanation(
                "call",
                list_operands(call, situation),
                rule,
                (),
                _("{text}(x), with its input x, in place of {text}").format(text=text),
            )
        if isinstance(node, ast.Attribute) and node.attr == "forward" and is_module(situation.look_up(node.value)):
            rule = _("{text} is a method that was not called: its output is needed here").format(text=text)
            owner = ast.unparse(node.value)
            return Explanation(
                "call",
                list_operands(call, situation),
                rule,
                (),
                _("{owner}(x), with its input x, in place of {text}").format(owner=owner, text=text),
            )
    return None


def operand_is_tensor(node, situation):
    return hasattr(situation.look_up(node), "requires_grad")


def list_operands(call, situation):
    """Return the tensors among the arguments."""
    return tuple(
        operand_of(ast.unparse(node), situation.look_up(node))
        for node in call.args
        if operand_is_tensor(node, situation)
    )


def explain_called_too_early(situation):
    """Explain `DataLoader(data, collate_fn=join())`, which calls the function in place of passing it."""
    path = situation.place.path()
    call = path[-1] if path else None
    if not isinstance(call, ast.Call) or call.args or call.keywords or not situation.says("missing", "argument"):
        return None
    text = ast.unparse(call.func)
    for outer in path[:-1]:
        for each in outer.keywords if isinstance(outer, ast.Call) else ():
            if each.value is call and each.arg:
                rule = _("{name} expects the function itself: with brackets it is called at once").format(name=each.arg)
                fit = replace_node(situation.place, call, text)
                return Explanation("call", (), rule, (fit,) if fit else ())
    return None
