"""Names that refer to something unexpected: overwritten, local to a function, or a keyword with `==`."""

import ast
import builtins
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, message_of
from tensh.explain.source.place import bindings
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _, list_names

FLAGS = (
    "retain_graph",
    "create_graph",
    "keepdim",
    "requires_grad",
    "batch_first",
    "shuffle",
    "inplace",
    "bidirectional",
)
"""Boolean arguments."""

CHANGING = ("append", "extend", "insert", "sort", "update")
"""Methods that change their object and return None."""

NEW_LISTS = {
    "append": "[*{text}, {given}]",
    "extend": "[*{text}, *{given}]",
    "sort": "sorted({text}{comma}{given})",
    "reverse": "{text}[::-1]",
}
"""Methods of lists that return nothing, and the list that is meant."""

DOING = ("step", "zero_grad", "backward")
"""Methods that change something else and return None."""

NAMESPACES = ("torch", "nn", "F", "np", "numpy", "optim")
MOST_KEYS = 6  # keys of a dict that are listed


def explain_naming(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (
            explain_compared_keyword,
            explain_name_of_the_program,
            explain_reused_name,
            explain_replaced_function,
            explain_misspelt_key,
            explain_kept_append,
            explain_bound_to_nothing,
            explain_added_number,
            explain_last_index,
        ),
        situation,
    )


def explain_compared_keyword(situation):
    """Explain `torch.ones(2, dtype==torch.float32)`."""
    tree, error = situation.place.tree(), situation.error
    if not isinstance(error, NameError) or tree is None:
        return None
    for call in ast.walk(tree):
        for each in call.args if isinstance(call, ast.Call) else ():
            match each:
                case ast.Name(id=name) if name == error.name and name in FLAGS and each.lineno == situation.place.line:
                    rule = _("{name} is an argument: give it a value").format(name=name)
                    fit = replace_node(situation.place, each, f"{name}=True")
                    return Explanation("call", (), rule, (fit,)) if fit else None
                case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[value]) if (
                    name == error.name and each.lineno == situation.place.line
                ):
                    rule = _("== compares; use = to give an argument its value")
                    fit = replace_node(situation.place, each, f"{name}={ast.unparse(value)}")
                    return Explanation("call", (), rule, (fit,)) if fit else None
    return None


def explain_name_of_the_program(situation):
    """Explain `count += 1` in a function for a name outside of it."""
    scope, error = situation.place.scope(), situation.error
    name = str(error).split("'")[1] if isinstance(error, UnboundLocalError) and "'" in str(error) else None
    if name is None or not isinstance(scope, ast.FunctionDef) or not bindings(situation.place.tree(), name):
        return None
    made = ast.walk(scope)
    if not any(isinstance(each, ast.AugAssign) and ast.unparse(each.target) == name for each in made):
        return None
    rule = _("{name} is assigned in {function}, which makes it local to {function}").format(
        name=name, function=scope.name
    )
    return Explanation("name", (), rule, (Fit(f"global {name}", "", scope.body[0].lineno, "before"),))


def explain_reused_name(situation):
    """Explain a rebound name that is called: `torch = torch.ones(2)`, `list = [1, 2]`, `loss = loss(x)`."""
    if not isinstance(situation.error, AttributeError | TypeError):
        return None
    path = situation.place.path()
    node = path[-1].func if path and isinstance(path[-1], ast.Call) else path[-1] if path else None
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    is_called = root is node and situation.says("object is not callable")
    is_function = is_called and hasattr(builtins, root.id)
    is_namespace = root is not node and root.id in NAMESPACES and situation.says("has no attribute")
    tree = situation.place.tree()
    for made in ast.walk(tree) if is_called or is_namespace else ():
        if not isinstance(made, ast.Assign) or root.id not in map(ast.unparse, made.targets):
            continue
        if is_function or is_namespace or calls(made.value, root.id):
            kind = type(situation.names.get(root.id)).__name__
            rule = _("{name} has been a {kind} since line {line}: `{code}`")
            if kind[0] in "aeiou":
                rule = _("{name} has been an {kind} since line {line}: `{code}`")
            rule = rule.format(name=root.id, kind=kind, line=made.lineno, code=ast.unparse(made))
            return Explanation("name", (), rule, (), _("choose another name on line {line}").format(line=made.lineno))
    return None


def calls(node, name):
    """Return True if an expression is a call of a name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def explain_replaced_function(situation):
    """Explain `torch.set_grad_enabled = False`, followed by a call of it."""
    node = situation.place.node()
    if not situation.says("object is not callable") or not isinstance(node, ast.Call):
        return None
    text = ast.unparse(node.func)
    if not text.startswith("torch."):
        return None
    for made in ast.walk(situation.place.tree()):
        if isinstance(made, ast.Assign) and [*map(ast.unparse, made.targets)] == [text]:
            rule = _("`{code}` on line {line} replaced the function with a value").format(
                code=ast.unparse(made), line=made.lineno
            )
            fit = Fit(f"{text}({ast.unparse(made.value)})", "", made.lineno)
            return Explanation("call", (), rule, (fit,) if isinstance(made.value, ast.Constant) else ())
    return None


def explain_misspelt_key(situation):
    """Explain `state["weights"]` of a dict with the key weight, and `names[torch.tensor(1)]`."""
    path = situation.place.path()
    if not isinstance(situation.error, KeyError) or not path or not isinstance(path[-1], ast.Subscript):
        return None
    from tensh.support.spelling import close

    node, key = path[-1], situation.error.args[0] if situation.error.args else None
    owner, text = situation.look_up(node.value), ast.unparse(node.slice)
    if isinstance(key, Tensor) and key.numel() == 1 and type(owner) is dict:
        rule = _("{text} is a tensor, but the keys of {owner} are numbers").format(
            text=text, owner=ast.unparse(node.value)
        )
        fit = replace_node(situation.place, node.slice, f"{text}.item()") if key.item() in owner else None
        return Explanation("key", (), rule, (fit,)) if fit else None
    if isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith(".state_dict"):
        model = situation.look_up(node.value.func.value)
        owner = dict(model.named_parameters()) if hasattr(type(model), "named_parameters") else None
    owner = dict(owner.items()) if type(owner).__name__ in ("ModuleDict", "ParameterDict") else owner
    keys = [each for each in owner if type(each) is str] if isinstance(owner, dict) else []
    if type(key) is not str or not keys:
        return None
    parts = [each for each in keys if each and (key.startswith(each) or each.startswith(key))]
    meant = close(key, keys) or (parts[0] if len(parts) == 1 else None)
    if meant is None or not isinstance(node.slice, ast.Constant):
        rule = _("{text} has the key {keys}") if len(keys) == 1 else _("{text} has the keys {keys}")
        rule = rule.format(text=ast.unparse(node.value), keys=list_names([*map(repr, keys)], MOST_KEYS))
        return Explanation("key", (), rule)
    fit = replace_node(situation.place, node.slice, repr(meant))
    return Explanation("key", (), _("{key!r} is not among the keys").format(key=key), (fit,)) if fit else None


def explain_kept_append(situation):
    """Explain `xs = xs.append(x)`, which makes xs None."""
    if not situation.says("'NoneType'") and not situation.says("'_IncompatibleKeys'"):
        return None
    path, tree = situation.place.path(), situation.place.tree()
    names = [each.id for each in ast.walk(path[-1]) if isinstance(each, ast.Name)] if path else []
    for made in ast.walk(tree) if tree else ():
        match made:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method))
            ) if name == owner and name in names:
                rule = say_lost(method)
                if rule is not None:
                    rule = rule.format(method=method, name=name)
                    return Explanation("call", (), rule, (Fit(ast.unparse(made.value), "", made.lineno),))
    return None


def explain_added_number(situation):
    """Explain `losses += loss.item()`, where a number is to be appended."""
    path = situation.place.path()
    match path[-1] if path else None:
        case ast.AugAssign(target=target, op=ast.Add(), value=value):
            pass
        case _:
            return None
    told = re.fullmatch(
        r"'(float|int)' object is not iterable|iteration over a 0-d tensor", message_of(situation.error)
    )
    if told is None or type(situation.look_up(target)) is not list:
        return None
    text = ast.unparse(target)
    rule = _("+= adds each element of another list to {text}; append adds a single value").format(text=text)
    fit = replace_node(situation.place, path[-1], f"{text}.append({ast.unparse(value)})")
    return Explanation("list", (), rule, (fit,) if fit else ())


def explain_last_index(situation):
    """Explain `x[end]`, as MATLAB calls the last element."""
    path = situation.place.path()
    if not isinstance(situation.error, NameError) or situation.error.name != "end" or not path:
        return None
    owner = next((each for each in path if isinstance(each, ast.Subscript)), None)
    if owner is None or path[-1] is not owner.slice and not isinstance(owner.slice, ast.Slice | ast.BinOp | ast.Tuple):
        return None
    text = ast.unparse(owner.slice)
    if isinstance(owner.slice, ast.Name):
        code = "-1"
    elif re.fullmatch(r"end - \d+", text):
        code = f"-{int(text.removeprefix('end - ')) + 1}"
    elif re.fullmatch(r".*:end", text):
        code = text.removesuffix("end")
    else:
        return None
    rule = _("the last element has the index -1; a slice without an end includes it")
    fit = replace_node(situation.place, owner.slice, code)
    return Explanation("index", (), rule, (fit,) if fit else ())


def explain_bound_to_nothing(situation):
    """Explain `loss = criterion(y, t).backward()`, and `ys = xs.sort()`, after which the name is None."""
    path = situation.place.path()
    names = [each.id for each in ast.walk(path[-1]) if isinstance(each, ast.Name)] if path else []
    for name in dict.fromkeys(names) if situation.says("'NoneType'") else ():
        made = situation.find_assignment(name)
        match made:
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute(value=owner, attr=method)) as call
            ):
                pass
            case _:
                continue
        if target != name or situation.names.get(name, name) is not None:
            continue
        text, given = ast.unparse(owner), ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
        if method == "backward":
            after = Fit(f"{name}.backward({given})", "", made.lineno, "after")
            rule = _("{method} returns None, so {name} is None from then on").format(method=method, name=name)
            return Explanation("call", (), rule, (Fit(f"{name} = {text}", "", made.lineno, "", (after,)),))
        if method in NEW_LISTS and type(situation.names.get(text)) is list:
            rule = _("{method} changes {name} in place, and returns None").format(method=method, name=text)
            code = NEW_LISTS[method].format(text=text, given=given, comma=", " * bool(given))
            return Explanation("call", (), rule, (Fit(f"{name} = {code}", "", made.lineno),))
        if method == "shuffle" and text in ("random", "np.random", "numpy.random") and len(call.args) == 1:
            rule = _("{method} changes {name} in place, and returns None").format(method=method, name=given)
            return Explanation(
                "call",
                (),
                rule,
                (Fit(f"{text}.{method}({given})", "", made.lineno, "", ()),),
                _("do not use {name} afterwards, but {given} itself").format(name=name, given=given),
            )
    return None


def say_lost(method):
    """Return the result of a method if it is not the object itself; None if unknown."""
    if method in CHANGING:
        return _("{method} changes {name} in place, and returns None")
    if method in DOING:
        return _("{method} returns None, so {name} is None from then on")
    if method == "load_state_dict":
        return _("{method} changes {name} in place, and returns the keys that did not match")
    return None
