"""Modules that were not made as modules are: without super().__init__(), without a forward, with parts in plain lists."""

import ast
import types

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import class_of, message_of, operand_of, replace_node
from tensh.explain.model import Explanation, Fit
from tensh.explain.place import within
from tensh.explain.shadow import is_module

MODULE = ast.parse("nn.Module", mode="eval").body
CONTAINERS = {list: "ModuleList", tuple: "ModuleList", dict: "ModuleDict"}


def method(definition, name):
    """A method of a class; None if it has none of that name."""
    return (
        next((n for n in definition.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
        if definition
        else None
    )


def call_before_init(situation):
    """What a module is given before nn.Module has been initialized."""
    if not situation.says("before Module.__init__() call"):
        return None
    owner = situation.names.get("self")
    definition = method(class_of(situation.place, type(owner).__name__), "__init__")
    if definition is None:
        return None
    first = definition.body[0]
    late = [n for n in within(definition) if isinstance(n, ast.Call) and ast.unparse(n).startswith("super().__init__")]
    rule = f"{type(owner).__name__}.__init__ has not called super().__init__(), which makes the places for parts"
    fits = () if late else (Fit("super().__init__()", "", first.lineno, "before"),)
    return Explanation(
        "__init__", (), rule, fits, f"super().__init__() first, not on line {late[0].lineno}" if late else None
    )


def find_misnamed_forward(situation):
    """A module without a forward: it has another name, or stands in another function."""
    if not situation.says('is missing the required "forward" function'):
        return None
    name = message_of(situation.error).partition("[")[2].partition("]")[0]
    definition = class_of(situation.place, name)
    if definition is None:
        return None
    from difflib import get_close_matches

    methods = {n.name: n for n in definition.body if isinstance(n, ast.FunctionDef)}
    inner = [n for m in methods.values() for n in ast.walk(m) if isinstance(n, ast.FunctionDef) and n.name == "forward"]
    if inner:
        return Explanation(
            "forward", (), f"forward stands within another method of {name} (line {inner[0].lineno}): it is indented too far", (),
            "write `def forward` as far to the left as `def __init__`",
        )  # fmt: skip
    found = get_close_matches("forward", [n for n in methods if not n.startswith("__")], 1) or ["__call__"] * (
        "__call__" in methods
    )
    if not found:
        return Explanation(
            "forward",
            (),
            f"{name} has no method forward",
            (),
            f"def forward(self, x): in {name}, with what it computes",
        )
    wrong = methods[found[0]]
    return Explanation(
        "forward", (), f"{name} has {found[0]} (line {wrong.lineno}), and a call of a module calls forward",
        (Fit(f"def forward({ast.unparse(wrong.args)}):", "", wrong.lineno),),
    )  # fmt: skip


def empty_parameters(situation):
    """An optimizer without parameters: a generator that is used up, or a module whose parts are not registered."""
    if not situation.says("optimizer got an empty parameter list"):
        return None
    call = situation.expression()
    call = getattr(call, "value", call)
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if isinstance(given, ast.Name) and isinstance(situation.names.get(given.id), types.GeneratorType):
        made = situation.made(given.id)
        fits = (
            (Fit(f"{given.id} = list({ast.unparse(made.value)})", "", made.lineno),)
            if isinstance(made, ast.Assign)
            else ()
        )
        return Explanation(
            "__init__",
            (),
            f"{given.id} is a generator, which gives its parameters once, and has been gone through",
            fits,
        )
    match given:
        case ast.Call(func=ast.Attribute(attr="parameters", value=owner)):
            model = situation.held(owner)
            return find_unregistered(situation, model, ast.unparse(owner)) if is_module(model) else None
    return None


def find_unregistered(situation, model, name):
    """Parts of a module that it does not know of."""
    definition = class_of(situation.place, type(model).__name__)
    for attribute, value in vars(model).items():
        if attribute.startswith("_"):
            continue
        parts = [*value.values()] if type(value) is dict else value if type(value) in (list, tuple) else [value]
        if isinstance(value, Tensor):
            wrapper, what = "nn.Parameter", "a tensor, not a parameter"
        elif parts and all(is_module(each) for each in parts) and type(value) in CONTAINERS:
            wrapper, what = (
                f"nn.{CONTAINERS[type(value)]}",
                f"a plain {type(value).__name__}, whose modules are not registered",
            )
        elif parts and all(isinstance(each, Tensor) for each in parts) and type(value) in CONTAINERS:
            wrapper = "nn.ParameterList" if type(value) is not dict else "nn.ParameterDict"
            what = f"a plain {type(value).__name__}, whose tensors are not registered"
        else:
            continue
        given = (operand_of(f"{name}.{attribute}", value),) if isinstance(value, Tensor) else ()
        return Explanation(
            "__init__",
            given,
            f"{name} has no parameters: {name}.{attribute} is {what}",
            wrap_attribute(definition, attribute, wrapper),
        )
    return Explanation("__init__", (), f"{name} has no parameters: there is nothing to train", ())


def wrap_attribute(definition, attribute, wrapper):
    """The Fit of `self.attribute = wrapper(...)` where the class gives it its value."""
    for node in ast.walk(definition) if definition else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]) if name == attribute:
                value = node.value
                if wrapper == "nn.Parameter":
                    value = without_requirement(value)
                return (Fit(f"self.{name} = {wrapper}({ast.unparse(value)})", "", node.lineno),)
    return ()


def without_requirement(value):
    """A call without `requires_grad=True`, which a parameter does not need."""
    if isinstance(value, ast.Call):
        value = ast.Call(value.func, value.args, [each for each in value.keywords if each.arg != "requires_grad"])
    return value


def class_given_data(situation):
    """A class of a layer or a loss that was called with tensors, as its instance is."""
    call = situation.expression()
    call = getattr(call, "value", call)
    if not isinstance(call, ast.Call) or situation.call is None or not situation.call.tensors:
        return None
    kind = situation.evaluate(call.func)
    if not isinstance(kind, type) or not issubclass(kind, situation.evaluate(MODULE)):
        return None
    text = ast.unparse(call.func)
    if situation.evaluate(ast.Call(call.func, [], [])) is None:
        return None  # its instance is made of sizes, which these tensors stand for
    if isinstance(call.func, ast.Name):
        made = situation.made(text)
        if not isinstance(made, ast.Assign):
            return None
        fit = replace_node(situation.place, made.value, f"{ast.unparse(made.value)}()")
        rule = f"{text} is the class {kind.__name__}: on line {made.lineno} it was not called"
    else:
        fit = Fit(situation.place.segment.replace(text, f"{text}()", 1), "")
        rule = f"{text} is a class: calling it makes a {kind.__name__}, which is then called with the tensors"
    return Explanation("call", (), rule, (fit,) if fit else ())


def recurrent_in_sequential(situation):
    """A recurrent layer within a Sequential, which gives two things where the next layer takes one."""
    if not situation.says("must be Tensor, not tuple") or situation.call is None or situation.call.module is None:
        return None
    if (
        not situation.call.arguments
        or type(situation.call.arguments[0].value) is not tuple
        or situation.call.arguments[0].text
    ):
        return None
    return Explanation(
        "Sequential", (), "a recurrent layer gives its output and its last state, and Sequential hands both to the next layer", (),
        "a class whose forward takes the output alone: out, _ = self.rnn(x)",
    )  # fmt: skip


def single_number(situation):
    """A length, elements or a turn for each of them, of a tensor without dimensions."""
    if not situation.says("0-d tensor") and not situation.says("invalid index of a 0-dim tensor"):
        return None
    given = tuple(operand_of(each.text, each.value) for each in situation.call.tensors[:1]) if situation.call else ()
    name = given[0].text if given else None
    rule = f"{name or 'the tensor'} is one number: it has no dimensions, and nothing to count or to choose from"
    return Explanation("index", given, rule, (), f"{name or 't'}.item() for the number")


def single_sample(situation):
    """Batch normalization of one value for each channel."""
    if not situation.says("Expected more than 1 value per channel when training"):
        return None
    call = situation.call
    model = situation.held(ast.parse(situation.place.segment.partition("(")[0] or "_", mode="eval").body)
    name = situation.place.segment.partition("(")[0] if is_module(model) else "the model"
    given = tuple(operand_of(each.text or "input", each.value) for each in call.tensors[:1]) if call else ()
    return Explanation(
        "batch_norm", given, "in training, batch normalization divides by the spread within a batch, and one sample has none", (),
        f"a batch of 2 samples or more; to evaluate, {name}.eval() first",
    )  # fmt: skip
