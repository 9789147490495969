"""Modules that are not set up properly: without super().__init__(), without a forward."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.values.operators import write_layer
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import message_of, operand_of
from tensh.explain.source.place import iterate_scope, span
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of, statement_on
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def method(definition, name):
    """Return a method of a class; None if it has none of that name."""
    return (
        next((n for n in definition.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
        if definition
        else None
    )


def explain_call_before_init(situation):
    """Explain an attribute set before nn.Module is initialized."""
    if not situation.says("before Module.__init__() call"):
        return None
    owner = situation.names.get("self")
    definition = method(class_of(situation.place, type(owner).__name__), "__init__")
    if definition is None:
        return None
    first = definition.body[0]
    late = [
        n
        for n in iterate_scope(definition)
        if isinstance(n, ast.Call) and ast.unparse(n).startswith("super().__init__")
    ]
    rule = _("{kind}.__init__ has not called super().__init__(), which sets up the module").format(
        kind=type(owner).__name__
    )
    unbound = [n for n in iterate_scope(definition) if isinstance(n, ast.Call) and is_unbound_super(n)]
    if unbound and not late:
        rule = _("super({kind}) without self is bound to no module: its __init__ sets up nothing").format(
            kind=type(owner).__name__
        )
        fits = (replace_node(situation.place, unbound[0].func.value, "super()"),)
    else:
        fits = () if late else (Fit("super().__init__()", "", first.lineno, "before"),)
    return Explanation(
        "__init__",
        (),
        rule,
        fits,
        _("call super().__init__() first, not on line {line}").format(line=late[0].lineno) if late else None,
    )


def is_unbound_super(call):
    """Return True for `super(Net).__init__()`."""
    match call:
        case ast.Call(
            func=ast.Attribute(attr="__init__", value=ast.Call(func=ast.Name("super"), args=[_], keywords=[]))
        ):
            return call.func.value.lineno == call.func.value.end_lineno
    return False


def explain_misnamed_forward(situation):
    """Explain a module without a forward: it has another name, or is nested in another function."""
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
            "forward", (), _("forward is defined inside another method of {name} (line {line}): it is indented too far").format(name=name, line=inner[0].lineno), (),
            _("indent `def forward` like `def __init__`"),
        )  # fmt: skip
    found = get_close_matches("forward", [n for n in methods if not n.startswith("__")], 1) or ["__call__"] * (
        "__call__" in methods
    )
    if not found:
        return Explanation(
            "forward",
            (),
            _("{name} has no method forward").format(name=name),
            (),
            _("define forward(self, x) in {name}").format(name=name),
        )
    wrong = methods[found[0]]
    return Explanation(
        "forward", (), _("{name} defines {wrong} (line {line}), but calling a module calls forward").format(name=name, wrong=found[0], line=wrong.lineno),
        (Fit(f"def forward({ast.unparse(wrong.args)}):", "", wrong.lineno),),
    )  # fmt: skip


def explain_class_given_data(situation):
    """Explain a layer or loss class that was called with tensors in place of its instance."""
    call = situation.expression()
    call = getattr(call, "value", call)
    if not isinstance(call, ast.Call):
        return None
    if situation.says("Boolean value of Tensor"):  # it was made, and failed when it was shown
        given = [situation.evaluate(each) for each in call.args]
    else:
        given = situation.call.tensors if situation.call else ()
    if not any(isinstance(getattr(each, "value", each), Tensor) for each in given):
        return None
    kind = situation.evaluate(call.func)
    if not isinstance(kind, type) or not hasattr(kind, "named_modules"):
        return None
    text = ast.unparse(call.func)
    if situation.evaluate(ast.Call(call.func, [], [])) is None:
        return None  # tensors were passed in place of sizes
    if isinstance(call.func, ast.Name):
        made = situation.find_assignment(text)
        if not isinstance(made, ast.Assign):
            return None
        fit = replace_node(situation.place, made.value, f"{ast.unparse(made.value)}()")
        rule = _("{text} is the class {kind}: it was not called on line {line}").format(
            text=text, kind=kind.__name__, line=made.lineno
        )
    else:
        fit = Fit(situation.place.segment.replace(text, write_layer(text), 1), "")
        rule = _("{text} is a class: call it to create a {kind}, then call that with the tensors").format(
            text=text, kind=kind.__name__
        )
    return Explanation("call", (), rule, (fit,) if fit else ())


def explain_class_given_data_before_attribute(situation):
    """Explain `nn.ReLU(x).mean()`: the new layer lacks the attribute, and the tensor has it."""
    error, path = situation.error, situation.place.path()
    if not isinstance(error, AttributeError) or not is_module(error.obj) or not hasattr(Tensor, error.name or ""):
        return None
    call = path[-1].value if path and isinstance(path[-1], ast.Attribute) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    kind, given = situation.evaluate(call.func), situation.evaluate(call.args[0])
    if (
        type(error.obj) is not kind
        or not isinstance(given, Tensor)
        or situation.evaluate(ast.Call(call.func, [], [])) is None
    ):
        return None
    text = ast.unparse(call.func)
    rule = _("{text} is a class: call it to create a {kind}, then call that with the tensors").format(
        text=text, kind=kind.__name__
    )
    fit = replace_node(situation.place, call.func, write_layer(text))
    return Explanation("call", (), rule, (fit,)) if fit else None


def explain_tensor_for_parameter(situation):
    """Explain `net.weight = torch.zeros(1, 2)`."""
    if situation.says("cannot assign", "object to parameter", "torch.nn.Parameter or None required"):
        return tensor_registered(situation)
    if not situation.says("cannot assign", "as parameter", "torch.nn.Parameter or None expected"):
        return None
    tree = situation.place.tree()
    made = statement_on(tree, situation.place.line) if tree else None
    if not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    target = ast.unparse(made.targets[0])
    rule = _("{target} is a parameter, and only a parameter can be assigned to it").format(target=target)
    fit = replace_node(situation.place, made.value, f"torch.nn.Parameter({ast.unparse(made.value)})")
    return Explanation("parameter", (), rule, (fit,)) if fit else None


def explain_registered_list(situation):
    """Explain `self.register_buffer("b", [1, 2])`."""
    call = find_call(situation.place.path())
    if not situation.says("object to buffer", "torch Tensor or None required") or call is None or len(call.args) < 2:
        return None
    text = ast.unparse(call.args[1])
    rule = _("{text} is no tensor, and only a tensor can be registered").format(text=text)
    fit = replace_node(situation.place, call.args[1], f"torch.tensor({text})")
    return Explanation("buffer", (), rule, (fit,) if fit else ())


def tensor_registered(situation):
    """Explain `self.register_parameter("w", torch.ones(2))`."""
    call = find_call(situation.place.path())
    if call is None or len(call.args) != 2:
        return None
    text = ast.unparse(call.args[1])
    rule = _("{text} is a tensor, and only a parameter can be registered").format(text=text)
    fit = replace_node(situation.place, call.args[1], f"torch.nn.Parameter({text})")
    return Explanation("parameter", (), rule, (fit,) if fit else ())


def explain_recurrent_in_sequential(situation):
    """Explain a recurrent layer within a Sequential: it returns a pair, and the next layer takes a tensor."""
    if not situation.says("must be Tensor, not tuple") or situation.call is None or situation.call.module is None:
        return None
    if (
        not situation.call.arguments
        or type(situation.call.arguments[0].value) is not tuple
        or situation.call.arguments[0].text
    ):
        return None
    return Explanation(
        "Sequential", (), _("a recurrent layer returns its output and its last state, and Sequential passes both to the next layer"), (),
        _("write a class whose forward keeps only the output: out, _ = self.rnn(x)"),
    )  # fmt: skip


def explain_pair_of_states(situation):
    """Explain a single tensor in place of the two states of an LSTM."""
    if situation.says("For unbatched 2-D input, hx and cx should also be 2-D"):
        return explain_missing_batch(situation)
    if situation.call is None or type(situation.call.module).__name__ not in ("LSTM", "LSTMCell"):
        return None
    call = getattr(situation.expression(), "value", None)
    given = (
        [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "hx")]
        if isinstance(call, ast.Call)
        else []
    )
    value = situation.look_up(given[0]) if given else None
    value = situation.evaluate(given[0]) if given and value is None else value
    if not isinstance(value, Tensor):
        return None
    text = ast.unparse(given[0])
    found = find_call(situation.place.path())
    fit = (
        replace_node(situation.place, found.args[1], f"({text}, torch.zeros_like({text}))")
        if found and len(found.args) > 1
        else None
    )
    if situation.call.module.__class__.__name__ == "LSTMCell":
        fit = fit and find_states(situation, found, text) or fit
    rule = _("an LSTM expects its two states as a pair, but {text} is a single tensor").format(text=text)
    return Explanation(
        "LSTM",
        (operand_of(text, value),),
        rule,
        (fit,) if fit else (),
        None if fit else _("({text}, c), with c of the same shape").format(text=text),
    )


def explain_missing_batch(situation):
    """Explain one sequence without a batch beside the states of an LSTM that have one."""
    path = situation.place.path()
    node = path[-1] if path and isinstance(path[-1], ast.Call) and path[-1].args else None
    layer = situation.look_up(node.func) if node else None
    given = situation.tensor_of(node.args[0]) if is_module(layer) else None
    if given is None:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is {shape}, one sequence without a batch, but the states have one").format(
        text=text, shape=[*given.shape]
    )
    code = append_to_expression(text, f".unsqueeze({0 if getattr(layer, 'batch_first', False) else 1})")
    fit = replace_node(situation.place, node.args[0], code)
    return Explanation("LSTM", (operand_of(text, given),), rule, (fit,) if fit else ())


def find_states(situation, call, text):
    """Return the Fit of `h, c = cell(x, h)` that gives the cell both states; None for other code, or before c exists."""
    made = statement_on(situation.place.tree(), situation.place.line)
    match made:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)])], value=value) if (
            value is call
        ):
            if first == text and isinstance(situation.names.get(second), Tensor):
                return replace_node(situation.place, call.args[1], f"({first}, {second})")
    return None


def find_call(path):
    return path[-1] if path and isinstance(path[-1], ast.Call) else None


NO_DIMENSIONS = ("0-d tensor", "invalid index of a 0-dim tensor", "applied to a 0-dim tensor")


def explain_single_number(situation):
    """Explain the length, elements or iteration of a zero-dimensional tensor."""
    call = situation.call
    is_indexed = call is not None and call.symbol == "[]" and isinstance(situation.error, IndexError)
    if not any(map(situation.says, NO_DIMENSIONS)) and not (is_indexed and call.tensors[0].value.dim() == 0):
        return None
    given = tuple(operand_of(each.text, each.value) for each in situation.call.tensors[:1]) if situation.call else ()
    loop = next(
        (each for each in ast.walk(situation.place.tree() or ast.Module([], [])) if is_loop_over(each, situation)), None
    )
    if loop is not None and given:
        text = ast.get_source_segment(situation.place.source, loop.iter)
        if span(loop.target)[0] == (situation.place.line, situation.place.offset(situation.place.line)):
            rule = _("an element of {text} is a single number, which cannot be taken apart").format(text=text)
            return Explanation("index", (), rule)
        given = (given[0]._replace(text=text),)
    name = given[0].text if given else None
    rule = _("{name} is a single number: it has no dimensions to count or to index").format(
        name=name or _("the tensor")
    )
    return Explanation("index", given, rule, (), _("{name}.item() for the number").format(name=name or "t"))


def is_loop_over(node, situation):
    """Return True if a node is a loop that begins at the failing code."""
    return isinstance(node, ast.For) and node.lineno == situation.place.line


def explain_single_sample(situation):
    """Explain batch normalization of a single value per channel."""
    if not situation.says("Expected more than 1 value per channel when training"):
        return None
    call = situation.call
    model = situation.look_up(ast.parse(situation.place.segment.partition("(")[0] or "_", mode="eval").body)
    name = situation.place.segment.partition("(")[0] if is_module(model) else "model"
    given = tuple(operand_of(each.text or "input", each.value) for each in call.tensors[:1]) if call else ()
    return Explanation(
        "batch_norm", given, _("in training, batch normalization divides by the spread within a batch, but a single sample has none"), (),
        _("use a batch of 2 samples or more; to evaluate, call {name}.eval() first").format(name=name),
    )  # fmt: skip
