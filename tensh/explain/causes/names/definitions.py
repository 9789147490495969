"""Methods defined under another name, without `self`, or without returning a value."""

import ast
import builtins
import re
import types

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import look_up, message_of
from tensh.explain.source.place import FUNCTIONS, iterate_scope
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _
from tensh.support.spelling import distance

WANTED = (  # words of a message -> the missing method
    ("takes no arguments", "__init__"),
    ("__init__() takes 1 positional argument", "__init__"),
    ("optimizer got an empty parameter list", "__init__"),
    ("object has no attribute", "__init__"),
    ("must implement the forward function", "forward"),
    ("must implement either the backward", "backward"),
    ("should implement __getitem__", "__getitem__"),
    ("has no len()", "__len__"),
    ("is not subscriptable", "__getitem__"),
)
CHANGING = frozenset("backward step zero_grad append extend update".split())
"""Methods that return nothing."""
MOST_SLIPS = 2  # least letters of a method's name
COUNTS = re.compile(r"(\w+)\.(\w+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given")


def explain_super(situation):
    """Explain `super.__init__()` without calling `super`."""
    if isinstance(situation.error, NameError) and situation.place.text.strip().startswith(
        f"super({situation.error.name}"
    ):
        rule = _("there is no class {name}: super() refers to the base class").format(name=situation.error.name)
        return Explanation("__init__", (), rule, (Fit("super().__init__()", "", situation.place.line),))
    if situation.says("super() argument 1 must be a type") and situation.place.text.strip().startswith("super(self)"):
        rule = _("super() refers to the base class without an argument")
        return Explanation("__init__", (), rule, (Fit("super().__init__()", "", situation.place.line),))
    call = situation.place.node()
    is_call = isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__"
    if is_call and call.args and is_module(situation.names.get("self")) and situation.says("positional argument"):
        rule = _("nn.Module takes no arguments: keep those of your class in its own __init__")
        return Explanation("__init__", (), rule, (Fit("super().__init__()", ""),))
    if not situation.says("descriptor '__init__' of 'super' object needs an argument"):
        return None
    return Explanation(
        "__init__",
        (),
        _("super is a class: super() refers to the base class"),
        (Fit("super().__init__()", ""),),
    )


def explain_misnamed(situation):
    """Explain a method called by Python or PyTorch whose name is misspelt."""
    message, tree = message_of(situation.error), situation.place.tree()
    for words, wanted in WANTED:
        if words not in message or tree is None:
            continue
        for definition in classes(tree, situation, message):
            if (
                wanted == "__len__"
                and re.search(rf"\b{definition.name}\b", message)
                and not method_of(definition, wanted)
            ):
                rule = _("{name} has no __len__, which returns the number of samples").format(name=definition.name)
                return Explanation(
                    wanted,
                    (),
                    rule,
                    (),
                    _("define __len__(self) in {name}, and return the number of samples").format(name=definition.name),
                )
            own = {each.name: each for each in definition.body if isinstance(each, ast.FunctionDef)}
            near = [name for name in own if is_slip(name, wanted)]
            if wanted not in own and near:
                wrong = own[near[0]]
                return Explanation(
                    wanted, (), _("{owner} has {name} (line {line}), but {wanted} is called").format(owner=definition.name, name=wrong.name, line=wrong.lineno, wanted=wanted),
                    (Fit(f"def {wanted}({ast.unparse(wrong.args)}):", "", wrong.lineno),),
                )  # fmt: skip
    return None


def explain_uncalled_definition(situation):
    """Explain a user class called with data, since a name refers to the class in place of an instance."""
    found, path = COUNTS.search(message_of(situation.error)), situation.place.path()
    node = next((each for each in ast.walk(path[-1]) if isinstance(each, ast.Call)), None) if path else None
    if not found or found[2] != "__init__" or node is None or not isinstance(node.func, ast.Name):
        return None
    made = situation.find_assignment(node.func.id)
    if not isinstance(made, ast.Assign) or not isinstance(made.value, ast.Name | ast.Attribute):
        return None
    if getattr(situation.look_up(node.func), "__name__", None) != found[1] or int(found[3]) != 1:
        return None
    rule = _("{name} is the class {kind}: it was not called on line {line}").format(
        name=node.func.id, kind=found[1], line=made.lineno
    )
    fit = replace_node(situation.place, made.value, f"{ast.unparse(made.value)}()")
    return Explanation("call", (), rule, (fit,)) if fit else None


def method_of(definition, wanted):
    """Return a class's method whose name is the wanted one, or a misspelling."""
    names = [each.name for each in definition.body if isinstance(each, ast.FunctionDef)]
    return next((name for name in names if name == wanted or is_slip(name, wanted)), None)


def classes(tree, situation, message):
    """Return the classes in the source that a message may be about: the one it names, or all."""
    found = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
    return [each for each in found if re.search(rf"\b{each.name}\b", message)] or found


def is_slip(name, wanted):
    return name != wanted and 0 < distance(name.strip("_").lower(), wanted.strip("_")) <= MOST_SLIPS or (
        name != wanted and name.strip("_") == wanted.strip("_")
    )  # fmt: skip


def explain_without_self(situation):
    """Explain a method whose definition lacks `self`."""
    tree, found = situation.place.tree(), COUNTS.search(message_of(situation.error))
    if tree is None:
        return None
    if found and int(found[4]) == int(found[3]) + 1:
        definition = class_of(situation.place, found[1])
        method = (
            next((n for n in definition.body if isinstance(n, FUNCTIONS) and n.name == found[2]), None)
            if definition
            else None
        )
    elif isinstance(situation.error, NameError) and situation.error.name == "self":
        method = situation.place.scope()
    else:
        return None
    if found and isinstance(method, ast.FunctionDef) and [each.arg for each in method.args.args] == ["self"]:
        return explain_without_input(method, situation)
    if (
        not isinstance(method, ast.FunctionDef)
        or is_static(method)
        or [each.arg for each in method.args.args[:1]] == ["self"]
    ):
        return None
    first = method.args.args[0].arg if method.args.args else ""
    if distance(first, "self") <= MOST_SLIPS:
        method.args.args[0].arg = "self"
        code = f"def {method.name}({ast.unparse(method.args)}):"
        rule = _("the first parameter of {name} is called {first}, but the code uses self")
        return Explanation(method.name, (), rule.format(name=method.name, first=first), (Fit(code, "", method.lineno),))
    arguments = ast.unparse(method.args)
    code = f"def {method.name}(self{', ' * bool(arguments)}{arguments}):"
    rule = _("{name} has no parameter self, the first argument of every method").format(name=method.name)
    return Explanation(method.name, (), rule, (Fit(code, "", method.lineno),))


def explain_without_input(method, situation):
    """Explain `def forward(self):`, which uses a name that is never assigned."""
    read = {each.id for each in ast.walk(method) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    known = {*bindings(method), *situation.names, *dir(builtins), "self"}
    unknown = sorted(read - known) or ["index"] * (method.name == "__getitem__")
    if len(unknown) != 1:
        return None
    rule = _("{name} gets an argument besides self, but has no parameter for it").format(name=method.name)
    return Explanation(method.name, (), rule, (Fit(f"def {method.name}(self, {unknown[0]}):", "", method.lineno),))


def bindings(method):
    """Return the names that a method assigns."""
    return (each.id for each in ast.walk(method) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load))


def is_static(method):
    return any("static" in ast.unparse(each) or "class" in ast.unparse(each) for each in method.decorator_list)


def explain_nothing_returned(situation):
    """Explain a value of None that comes from a function without `return`."""
    if not situation.says("None") or not isinstance(situation.error, TypeError | AttributeError | ValueError):
        return None
    if situation.says("'NoneType' object cannot be interpreted as an integer"):
        found = find_length_of_nothing(situation)
        if found is not None:
            return found
    path = situation.place.path()
    is_unpacked = situation.says("cannot unpack non-iterable NoneType") and isinstance(
        path[0] if path else None, ast.Assign
    )
    for node in ast.walk(path[0].value if is_unpacked else path[-1]) if path else ():
        if isinstance(node, ast.Name) and situation.names.get(node.id, node) is None:
            made = situation.find_assignment(node.id)
            node = getattr(made, "value", None)
        if isinstance(node, ast.Call):
            found = returns_nothing(node, situation)
            if found and is_unpacked:
                return found._replace(fits=(), advice=_("return as many values as there are names"))
            if found:
                return found
    return None


def find_length_of_nothing(situation):
    """Return the Explanation of a `__len__` that returns nothing; None if there is none."""
    tree = situation.place.tree()
    classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)] if tree else ()
    members = [(each.name, member) for each in classes for member in each.body]
    for owner, member in members:
        if isinstance(member, ast.FunctionDef) and member.name == "__len__":
            found = explain_without_return(member, f"{owner}.__len__")
            if found is not None:
                return found
    return None


def explain_length(situation):
    """Explain a `__len__` that returns the data, or a quotient: `return self.x`, `return n / 2`."""
    if not situation.says("converted to an index") and not situation.says("cannot be interpreted as an integer"):
        return None
    tree = situation.place.tree()
    functions = [n for n in (ast.walk(tree) if tree else ()) if isinstance(n, ast.FunctionDef) and n.name == "__len__"]
    if len(functions) != 1 or "__getitem__" not in situation.place.source:
        return None
    if not any("len(" in text or "DataLoader" in text for text in map(ast.unparse, situation.place.path()[:1])):
        return None
    match functions[0].body:
        case [ast.Return(value=ast.Attribute(value=ast.Name()) as data)]:
            rule = _("__len__ (line {line}) returns {text}, but must return the number of samples")
            rule = rule.format(line=functions[0].lineno, text=ast.unparse(data))
            return Explanation("return", (), rule, (Fit(f"return len({ast.unparse(data)})", "", data.lineno),))
        case [ast.Return(value=ast.BinOp(op=ast.Div()) as quotient)]:
            rule = _("__len__ (line {line}) returns {text}, a float: // gives whole numbers")
            rule = rule.format(line=functions[0].lineno, text=ast.unparse(quotient))
            whole = ast.unparse(ast.BinOp(quotient.left, ast.FloorDiv(), quotient.right))
            fit = replace_node(situation.place, quotient, whole)
            return Explanation("return", (), rule, (fit,) if fit else ())
    return None


def returns_nothing(call, situation):
    """Explain a call whose function ends without returning a value, or that is given such a function."""
    for node in (call.func, *call.args):
        function, name = definition_of(node, situation)
        found = explain_without_return(function, name) if function is not None else None
        if found is not None:
            return found
    return None


def definition_of(node, situation):
    """Return the definition of what is called in the source, and its name: of a function, a method, or a `forward`."""
    value = look_up(node, situation.names)
    if isinstance(node, ast.Call):  # `Net()(x)`
        value = look_up(node.func, situation.names)
    if isinstance(node, ast.Attribute) and value is None:  # `trainer.test(x)`, `Square.apply(x)`
        owner = look_up(node.value, situation.names)
        kind = owner if isinstance(owner, type) else type(owner)
        wanted = "forward" if node.attr == "apply" and isinstance(owner, type) else node.attr
        return method_in_source(situation, kind.__name__, wanted), f"{kind.__name__}.{wanted}"
    if is_module(value) or hasattr(value, "named_modules"):
        kind = value if isinstance(value, type) else type(value)
        return method_in_source(situation, kind.__name__, "forward"), f"{kind.__name__}.forward"
    return function_in_source(situation, value), getattr(value, "__name__", None)


def function_in_source(situation, value):
    """Return the definition of a function in the source; None for other values, and if there is none."""
    tree = situation.place.tree() if isinstance(value, types.FunctionType) else None
    inside = (each for each in (ast.walk(tree) if tree else ()) if isinstance(each, ast.FunctionDef))
    return next((each for each in inside if each.name == value.__name__), None)


def method_in_source(situation, kind, name):
    """Return the definition of a method of a class in the source; None if there is none."""
    definition = class_of(situation.place, kind)
    methods = definition.body if definition else ()
    return next((n for n in methods if isinstance(n, ast.FunctionDef) and n.name == name), None)


def explain_method_returned(situation):
    """Explain a function that returns a method which it does not call: `return loss.item`."""
    if not situation.says("method") or not isinstance(
        situation.error, TypeError | AttributeError | ValueError | RuntimeError
    ):
        return None
    path = situation.place.path()
    for call in ast.walk(path[-1]) if path else ():
        for node in (call.func, *call.args) if isinstance(call, ast.Call) else ():
            function, name = definition_of(node, situation)
            for each in iterate_scope(function) if function is not None else ():
                match each:
                    case ast.Return(value=ast.Attribute() as method) if callable(getattr(Tensor, method.attr, None)):
                        rule = _("{name} returns {text} (line {line}), a method that was not called")
                        rule = rule.format(name=name, text=ast.unparse(method), line=each.lineno)
                        fit = replace_node(situation.place, method, f"{ast.unparse(method)}()")
                        return Explanation("return", (), rule, (fit,) if fit else ())
    return None


def explain_without_return(function, name):
    """Return the Explanation of a function without `return`; None if it has one."""
    returns = [n for n in iterate_scope(function) if isinstance(n, ast.Return)]
    if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Raise) for n in iterate_scope(function)):
        return None
    if returns and all(each.value is None for each in returns):
        rule = _("{name} (line {line}) returns nothing: its return on line {last} has no value").format(
            name=name, line=function.lineno, last=returns[-1].lineno
        )
        return Explanation("return", (), rule, (), _("return the computed value there"))
    if returns:
        return None
    rule = _("{name} (line {line}) returns nothing: it has no return").format(name=name, line=function.lineno)
    last = function.body[-1]
    match last:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args)):
            shown = described_in(args[0]) if len(args) == 1 else None
            if shown is not None:
                return Explanation("return", (), rule, (Fit(f"return {ast.unparse(shown)}", "", last.lineno),))
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=word, value=owner))) if word in CHANGING:
            if word == "backward" and isinstance(owner, ast.Name):
                return Explanation("return", (), rule, (Fit(f"return {owner.id}", "", last.end_lineno, "after"),))
        case ast.Expr(value=value) if not isinstance(value, ast.Constant):
            return Explanation("return", (), rule, (Fit(f"return {ast.unparse(value)}", "", last.lineno),))
        case ast.Assign(targets=[ast.Name(id=result)]):
            return Explanation("return", (), rule, (Fit(f"return {result}", "", last.end_lineno, "after"),))
    return Explanation("return", (), rule, (), _("return the result at the end of {name}").format(name=name))


def described_in(node):
    """Return the value that a printed expression shows, or describes as `x.shape` does; None for a text."""
    match node:
        case ast.JoinedStr() | ast.Constant():
            return None
        case ast.Attribute(attr="shape" | "dtype" | "device", value=owner):
            return owner
        case ast.Call(func=ast.Attribute(attr="size" | "dim" | "numel", value=owner), args=[]):
            return owner
    return node
