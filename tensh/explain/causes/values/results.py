"""Results of functions mistaken for something else: named tuples, a pair of states, Python's math on tensors."""

import ast

import numpy as np

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import dtype
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import statement_on
from tensh.explain.trials.afterwards import afterwards
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

TAKE_LISTS = frozenset("tensor as_tensor stack cat".split())
"""Functions whose one argument is a list."""
RESULTS = ("torch.return_types", "tensh.return_types")  # the module of the named tuples that functions return


def explain_result(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    return first_explanation(
        (
            explain_states_in_three_names,
            explain_named_results,
            explain_index_by_results,
            explain_function_of_numbers,
            explain_numpy_of_losses,
            explain_called_dtype,
            explain_called_attribute,
            explain_written_attribute,
            explain_attribute_of_results,
            explain_indexed_function,
            explain_array_that_requires_grad,
            explain_written_fraction,
        ),
        situation,
        node,
    )


def explanation(situation, operation, rule, node, new, given=()):
    """Return the Explanation with a node replaced; None if that is impossible."""
    fit = replace_node(situation.place, node, new)
    return Explanation(operation, given, rule, (fit,)) if fit else None


def explain_states_in_three_names(situation, node):
    """Explain `out, h, c = lstm(x)`, and `out, (h, c) = gru(x)`."""
    tree = situation.place.tree()
    if not situation.says("values to unpack (expected") or tree is None:
        return None
    match statement_on(tree, situation.place.line):
        case ast.Assign(
            targets=[ast.Tuple(elts=[first, ast.Tuple(elts=[state, _])]) as names], value=ast.Call(func=function)
        ):
            value = situation.look_up(function)
            if is_module(value) and type(value).__name__ in ("GRU", "RNN"):
                rule = _("a {kind} returns its output and one state; an LSTM has two").format(kind=type(value).__name__)
                return explanation(situation, "RNN", rule, names, f"{ast.unparse(first)}, {ast.unparse(state)}")
        case ast.Assign(targets=[ast.Tuple(elts=[first, *rest]) as names], value=ast.Call(func=function)):
            value = situation.look_up(function)
            if is_module(value) and type(value).__name__ == "LSTM":
                rule = _("an LSTM returns its output and a pair of states")
                first, rest = ast.unparse(first), ", ".join(map(ast.unparse, rest))
                return explanation(situation, "LSTM", rule, names, f"{first}, ({rest})")
    return None


def explain_named_results(situation, node):
    """Explain `x.max(1) + 1`, where max returns values and indices."""
    is_compared = isinstance(node, ast.Attribute) and situation.says("'bool' object has no attribute")
    node = node.value if is_compared else node
    if not is_compared and not isinstance(situation.error, TypeError):
        return None
    if not isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp):
        return None
    parts = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    for each in parts:
        if is_values_and_indices(each, situation):
            others = [situation.tensor_of(other) for other in parts if other is not each]
            is_whole = others and all(t is not None and t.dtype == find_public("int64") for t in others)
            text, part = ast.unparse(each), "indices" if is_compared and is_whole else "values"
            return explanation(situation, "operator", say_both().format(text=text), each, f"{text}.{part}")
    return None


def say_both():
    return _("{text} holds values and indices, which are two tensors")


def is_values_and_indices(node, situation):
    """Return True for the result of `x.max(1)`, `x.topk(2)` and similar functions."""
    value = situation.look_up(node)
    value = situation.evaluate(node) if value is None else value
    return isinstance(value, tuple) and type(value).__module__.startswith(RESULTS) and "values" in dir(type(value))


def explain_index_by_results(situation, node):
    """Explain `x[x.topk(2)]` of a matrix, whose largest elements are the values of the result."""
    if not isinstance(situation.error, IndexError | TypeError) or not isinstance(node, ast.Subscript):
        return None
    t = situation.tensor_of(node.value)
    if t is None or t.dim() < 2 or not is_values_and_indices(node.slice, situation):
        return None
    text = ast.unparse(node.slice)
    return explanation(situation, "index", say_both().format(text=text), node, f"{text}.values")


def explain_function_of_numbers(situation, node):
    """Explain `math.exp(x)` of a tensor with several elements."""
    if not isinstance(node, ast.Call) or not isinstance(situation.error, TypeError | ValueError | RuntimeError):
        return None
    name = ast.unparse(node.func)
    owner, _dot, word = name.rpartition(".")
    if owner != "math" or len(node.args) != 1:
        return None
    value, text = situation.look_up(node.args[0]), ast.unparse(node.args[0])
    value = situation.evaluate(node.args[0]) if value is None else value
    try:
        find_public(word)
    except (AttributeError, KeyError, NotImplementedError):
        return None
    if not isinstance(value, Tensor):
        return None
    rule = _("{name} expects a single Python number; for a tensor, use {function}").format(
        name=name, function=f"torch.{word}"
    )
    call = situation.call
    if word == "sqrt" and value.dim() and call and afterwards(call, Fit(f"torch.sqrt({text})")):  # in attention
        rule = _("{name} expects a single Python number, such as the size of the last dimension").format(name=name)
        last = append_to_expression(text, ".shape[-1]")
        return explanation(situation, "call", rule, node.args[0], last, (operand_of(text, value),))
    return explanation(situation, "call", rule, node.func, f"torch.{word}", (operand_of(text, value),))


def explain_numpy_of_losses(situation, node):
    """Explain `np.mean(losses)` of a list of tensors that require grad."""
    if not situation.says("Can't call numpy() on Tensor that requires grad") or not isinstance(node, ast.Call):
        return None
    for each in node.args:
        value, text = situation.look_up(each), ast.unparse(each)
        if type(value) in (list, tuple) and value and all(isinstance(t, Tensor) for t in value):
            rule = _("{text} is a {kind} of tensors with graphs, but NumPy expects numbers").format(
                text=text, kind=type(value).__name__
            )
            numbers, arrays = f"[each.item() for each in {text}]", f"[each.detach() for each in {text}]"
            code = numbers if all(t.numel() == 1 for t in value) else arrays
            return explanation(situation, "numpy", rule, each, code)
    return None


def explain_called_dtype(situation, node):
    """Explain `x.dtype(torch.float64)`."""
    if not situation.says("'torch.dtype' object is not callable") or not isinstance(node, ast.Call):
        return None
    match node.func:
        case ast.Attribute(attr="dtype", value=owner) if len(node.args) == 1 and not node.keywords:
            code = f"{ast.unparse(owner)}.to({ast.unparse(node.args[0])})"
            return explanation(
                situation, "dtype", _("dtype is the type of the elements; to(...) changes it"), node, code
            )
    value = situation.look_up(node.func)
    if isinstance(value, dtype) and len(node.args) == 1 and not node.keywords:
        text, given = ast.unparse(node.func), situation.look_up(node.args[0])
        is_array = isinstance(given, Tensor)
        code = ast.unparse(node.args[0])
        new = f"{code}.to({text})" if is_array else f"torch.tensor({code}, dtype={text})"
        return explanation(situation, "dtype", _("{text} is a dtype, not a function").format(text=text), node, new)
    return None


def explain_called_attribute(situation, node):
    """Explain `w.grad()`, which is a tensor, and `x(0)`."""
    if not isinstance(node, ast.Call) or node.keywords or not situation.says("'Tensor' object is not callable"):
        return None
    rule = _("{text} is a tensor, which cannot be called").format(text=ast.unparse(node.func))
    is_tensor = situation.tensor_of(node.func) is not None
    if node.args and not is_tensor:
        return None
    if node.args:
        indices = ", ".join(map(ast.unparse, node.args))
        return explanation(situation, "call", rule, node, f"{ast.unparse(node.func)}[{indices}]")
    if isinstance(node.func, ast.Name) and is_tensor:
        return explanation(situation, "call", rule, node, node.func.id)
    match node.func:
        case ast.Attribute(attr="grad" | "data" | "T" | "mT" as word, value=owner):
            t, text = situation.look_up(owner), ast.unparse(node.func)
            if isinstance(t, Tensor) and (word != "grad" or t.grad is not None):
                return explanation(situation, "call", rule, node, text)
    return None


def explain_written_attribute(situation, node):
    """Explain `x.shape = (3, 2)`, and `a.requires_grad = True` of a NumPy array or a list."""
    tree = situation.place.tree()
    statement = (
        statement_on(tree, situation.place.line) if tree and isinstance(situation.error, AttributeError) else None
    )
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attribute)], value=value):
            owner = situation.names.get(name)
        case _:
            return None
    if attribute == "shape" and isinstance(owner, Tensor):
        rule = _("the shape of a tensor cannot be set: reshape returns a tensor with another one")
        code = f"{name}.reshape({ast.unparse(value)})"
        if situation.evaluate(ast.parse(code, mode="eval").body) is None:
            return Explanation("shape", (operand_of(name, owner),), rule)
        fit = replace_node(situation.place, statement, f"{name} = {code}")
        return Explanation("shape", (operand_of(name, owner),), rule, (fit,) if fit else ())
    makers = {list: ("torch.tensor", _("{text} is a list, not a tensor"))}
    makers[np.ndarray] = "torch.from_numpy", _("{text} is a NumPy array, not a tensor")
    if attribute != "requires_grad" or type(owner) not in makers:
        return None
    maker, rule = makers[type(owner)]
    fit = replace_node(situation.place, statement, f"{name} = {maker}({name}); {ast.unparse(statement)}")
    return Explanation("flag", (), rule.format(text=name), (fit,) if fit else ())


def explain_attribute_of_results(situation, node):
    """Explain `x.max(1).item()`, where max returns values and indices."""
    error = situation.error
    if (
        not isinstance(error, AttributeError)
        or not isinstance(node, ast.Attribute)
        or not hasattr(Tensor, error.name or "")
    ):
        return None
    if not type(error.obj).__module__.startswith(RESULTS) or "values" not in dir(type(error.obj)):
        return None
    if error.name == "item" and error.obj[0].numel() != 1:
        return None
    text = ast.unparse(node.value)
    rule = _("{text} holds values and indices, which are two tensors").format(text=text)
    return explanation(situation, "attribute", rule, node.value, f"{text}.values")


def explain_indexed_function(situation, node):
    """Explain `torch.randn[2, 3]`."""
    if not situation.says("object is not subscriptable") or not isinstance(node, ast.Subscript):
        return None
    value, text = situation.evaluate(node.value), ast.unparse(node.value)
    if not callable(value) or isinstance(value, type) or not text.startswith(("torch.", "F.")):
        return None
    given = ast.unparse(node.slice)
    given = given[1:-1] if isinstance(node.slice, ast.Tuple) and given[:1] == "(" else given
    if isinstance(node.slice, ast.Tuple) and text.rpartition(".")[2] in TAKE_LISTS:
        given = f"[{given}]"
    rule = _("{text} is a function: call it with parentheses").format(text=text)
    return explanation(situation, "call", rule, node, f"{text}({given})")


def explain_array_that_requires_grad(situation, node):
    """Explain `np.save(path, x)` of a tensor that requires grad."""
    if not situation.says("Can't call numpy() on Tensor that requires grad") or not isinstance(node, ast.Call):
        return None
    given = [each for each in node.args if getattr(situation.look_up(each), "requires_grad", False)]
    if len(given) != 1 or len(node.args) < 2:
        return None
    text, t = ast.unparse(given[0]), situation.look_up(given[0])
    rule = _("{tensor} requires grad, but an array cannot record gradients").format(tensor=text)
    return explanation(situation, "numpy", rule, given[0], f"{text}.detach()", (operand_of(text, t),))


def explain_written_fraction(situation, node):
    """Explain `x /= 2` of an integer tensor, whose memory cannot hold fractions."""
    if not situation.says("can't be cast to the desired output type"):
        return None
    tree = situation.place.tree()
    made = statement_on(tree, situation.place.line) if tree else None
    if not isinstance(made, ast.AugAssign):
        return None
    t, text = situation.look_up(made.target), ast.unparse(made.target)
    if not isinstance(t, Tensor):
        owner = made.target.value if isinstance(made.target, ast.Subscript) else None
        t, text = (situation.look_up(owner), ast.unparse(owner)) if owner is not None else (None, text)
    if not isinstance(t, Tensor):
        return None
    given = operand_of(text, t)
    rule = _("an in-place operation keeps the dtype of {text}, {dtype}, but the result has another one").format(
        text=text, dtype=given.dtype
    )
    if isinstance(made.target, ast.Subscript):
        return Explanation("write", (given,), rule, (), _("{text} = {text}.float() first").format(text=text))
    code = ast.unparse(ast.Assign([made.target], ast.BinOp(made.target, made.op, made.value), lineno=1))
    return Explanation("write", (given,), rule, (Fit(code, ""),))
