"""Constructing tensors: numbers without a list, ragged rows, texts, lists for arrays, integers that require grad."""

import ast
import re

from tensh.explain.causes.arguments.settings import is_number
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, message_of, operand_of
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _


def explain_numbers_for_list(situation, node):
    """Explain `torch.tensor(1, 2, 3)`."""
    if not situation.says("tensor() takes 1 positional argument but") or node.keywords:
        return None
    given = ", ".join(map(ast.unparse, node.args))
    rule = _("torch.tensor takes its values as a single list")
    return explain_replacement(situation, "tensor", rule, node, f"{ast.unparse(node.func)}([{given}])")


def explain_number_for_sizes(situation, node):
    """Explain `torch.Tensor(3.5)`, whose class takes sizes or a list."""
    if not situation.says("new(): data must be a sequence (got float)") or not ast.unparse(node.func).endswith(
        "Tensor"
    ):
        return None
    rule = _("{name} expects sizes or a list; torch.tensor makes a tensor of a number").format(
        name=ast.unparse(node.func)
    )
    return explain_replacement(situation, "tensor", rule, node.func, "torch.tensor")


def explain_gradient_through_numpy(situation, node):
    """Explain `np.exp(w)` of a tensor that requires grad."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=word)):
            pass
        case _:
            return None
    if not situation.says("Can't call numpy() on Tensor that requires grad") or node.keywords:
        return None
    values = [situation.tensor_of(each) for each in node.args]
    code = f"torch.{word}({', '.join(map(ast.unparse, node.args))})"
    if None in values or situation.evaluate(ast.parse(code, mode="eval").body) is None:
        return None
    rule = _("an array cannot record gradients: torch.{word} does what np.{word} does, and records it").format(
        word=word
    )
    operands = tuple(operand_of(ast.unparse(each), t) for each, t in zip(node.args, values, strict=True))
    return explain_replacement(situation, "numpy", rule, node, code, operands=operands)


def explain_generator_for_list(situation, node):
    """Explain `torch.tensor(n for n in numbers)`."""
    if not situation.says("Could not infer dtype of generator") or len(node.args) != 1:
        return None
    if not isinstance(node.args[0], ast.GeneratorExp):
        return None
    made = ast.unparse(ast.ListComp(node.args[0].elt, node.args[0].generators))
    rule = _("torch.tensor takes its values as a single list")
    code = f"{ast.unparse(node.func)}({', '.join([made, *map(ast.unparse, node.keywords)])})"
    return explain_replacement(situation, "tensor", rule, node, code)


def explain_dict_for_list(situation, node):
    """Explain `torch.tensor({"a": 1})`."""
    if not situation.says("Could not infer dtype of dict") or len(node.args) != 1:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a dict: a tensor can hold its values, but not its keys").format(text=text)
    return explain_replacement(
        situation, "tensor", rule, node.args[0], f"list({append_to_expression(text, '.values()')})"
    )


def explain_tensor_for_sequences(situation, node):
    """Explain `pad_sequence(x)` of one sequence."""
    if not ast.unparse(node.func).endswith("pad_sequence") or not node.args:
        return None
    t, text = situation.tensor_of(node.args[0]), ast.unparse(node.args[0])
    if t is None or t.dim() != 1 or not situation.says("invalid slice"):
        return None
    rule = _("pad_sequence expects a list of tensors, but {text} is one tensor").format(text=text)
    return explain_replacement(situation, "sequences", rule, node.args[0], f"[{text}]", operands=(operand_of(text, t),))


def explain_drawn_integers(situation, node):
    """Explain `torch.randn(3, dtype=torch.int64)`."""
    word = ast.unparse(node.func).rpartition(".")[2]
    if word not in ("rand", "randn") or not situation.says("not implemented for"):
        return None
    if not any(each.arg == "dtype" for each in node.keywords) or not node.args:
        return None
    sizes = ast.unparse(node.args[0] if len(node.args) == 1 else ast.Tuple(node.args))
    sizes = f"({sizes},)" if isinstance(node.args[0], ast.Constant) and len(node.args) == 1 else sizes
    rule = _("{name} draws fractions; whole numbers are drawn by randint").format(name=word)
    return Explanation("random", (), rule, (), f"torch.randint(0, 10, {sizes})")


def explain_integers_for_gradient(situation, node):
    """Explain `torch.arange(3, requires_grad=True)`."""
    wanted = [each for each in node.keywords if each.arg == "requires_grad"]
    if not situation.says("Only Tensors of floating point and complex dtype can require gradients") or not wanted:
        return None
    if any(each.arg == "dtype" for each in node.keywords) or ast.unparse(node.func).endswith("tensor"):
        return None
    rule = _("only floating point numbers have derivatives, but these are whole numbers")
    return explain_replacement(situation, "tensor", rule, node, f"{ast.unparse(node)[:-1]}, dtype=torch.float32)")


def explain_step_for_count(situation, node):
    """Explain `torch.linspace(0, 1, 0.1)`."""
    if not situation.says("linspace() received an invalid combination", ", float)") or len(node.args) != 3:
        return None
    name = ast.unparse(node.func)
    rule = _("linspace expects the number of values; arange expects the step between them")
    code = f"{name.removesuffix('linspace')}arange({', '.join(map(ast.unparse, node.args))})"
    return explain_replacement(situation, "linspace", rule, node, code)


def explain_list_for_array(situation, node):
    """Explain `torch.from_numpy([1, 2])`."""
    if not situation.says("expected np.ndarray (got list)") or not ast.unparse(node.func).endswith("from_numpy"):
        return None
    rule = _("from_numpy expects a NumPy array; torch.tensor accepts lists")
    return explain_replacement(situation, "tensor", rule, node.func, "torch.tensor")


def explain_reversed_array(situation, node):
    """Explain `torch.from_numpy(a[::-1])`."""
    if not situation.says("At least one stride in the given numpy array is negative") or len(node.args) != 1:
        return None
    text = append_to_expression(ast.unparse(node.args[0]), ".copy()")
    rule = _("a reversed array has negative strides; a copy does not")
    return explain_replacement(situation, "from_numpy", rule, node.args[0], text)


def explain_ragged_rows(situation, node):
    """Explain `torch.tensor([[1, 2, 3], [4, 5]])`."""
    found = re.search(r"expected sequence of length (\d+) at dim (\d+) \(got (\d+)\)", message_of(situation.error))
    if found is None:
        return None
    rule = _("all rows of a tensor must have the same length, but here one has {one} and another {other}").format(
        one=found[1], other=found[3]
    )
    advice = _("pad the shorter ones, or make a tensor of each row for nn.utils.rnn.pad_sequence")
    return Explanation("tensor", (), rule, (), advice)


def explain_texts_for_numbers(situation, node):
    """Explain `torch.tensor(["cat", "dog"])`."""
    if not situation.says("too many dimensions 'str'") and not situation.says("invalid data type 'str'"):
        return None
    if not isinstance(node.func, ast.Attribute) or not ast.unparse(node.func).endswith("tensor"):
        return None
    rule = _("a tensor holds numbers, but these are strings")
    values = situation.look_up(node.args[0]) if node.args else None
    made = node.args and ast.unparse(node.args[0])
    is_split = bool(made) and isinstance(node.args[0], ast.Call) and ast.unparse(node.args[0].func).endswith(".split")
    if type(values) is list and values and all(type(each) is str and is_number(each.strip()) for each in values):
        return explain_replacement(situation, "tensor", rule, node.args[0], f"[float(each) for each in {made}]")
    if is_split and len(node.args) == 1:
        text = situation.look_up(node.args[0].func.value)
        mark = node.args[0].args and situation.evaluate(node.args[0].args[0]) or None
        parts = text.split(mark) if type(text) is str and (mark is None or type(mark) is str) else []
        if parts and all(is_number(each.strip()) for each in parts):
            return explain_replacement(situation, "tensor", rule, node.args[0], f"[float(each) for each in {made}]")
    return Explanation(
        "tensor", (), rule, (), _("use a number for each string: numbers = {name: n for n, name in enumerate(names)}")
    )


def explain_text_for_tensor(situation, node):
    """Explain `embedding(["a", "b"])`, and `model("hello")`."""
    if not isinstance(situation.error, TypeError) or not situation.says("must be Tensor, not"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        value = situation.look_up(each)
        value = situation.evaluate(each) if value is None else value
        texts = value if type(value) in (list, tuple) else [value]
        if texts and all(type(text) is str for text in texts):
            text = ast.unparse(each)
            if isinstance(each, ast.Constant) and is_number(value):
                rule = _("{text} is a string, but a tensor holds numbers").format(text=text)
                return explain_replacement(situation, "tensor", rule, each, f"torch.tensor({float(value)})")
            rule = (
                _("{text} is a string, but a tensor holds numbers")
                if type(value) is str
                else _("{text} is a {kind} of strings, but a tensor holds numbers")
            )
            return Explanation(
                "tensor", (), rule.format(text=text, kind=type(value).__name__), (),
                _("use a number for each string: numbers = {name: n for n, name in enumerate(names)}"),
            )  # fmt: skip
    return None


def explain_list_for_parameter(situation, node):
    """Explain `nn.Parameter([1.0, 2.0])`, and `nn.Parameter(torch.tensor([1, 2]))`."""
    if ast.unparse(node.func).rpartition(".")[2] != "Parameter" or len(node.args) != 1 or node.keywords:
        return None
    (given,) = node.args
    if situation.says("'list' object has no attribute 'detach'") and is_list(situation, given):
        text = ast.unparse(given)
        rule = _("{text} is a list, not a tensor").format(text=text)
        numbers = situation.evaluate(ast.parse(f"torch.tensor({text})", mode="eval").body)
        cast = "" if numbers is not None and numbers.is_floating_point() else ".float()"
        return explain_replacement(situation, "parameter", rule, given, f"torch.tensor({text}){cast}")
    t = situation.tensor_of(given)
    if t is None or not situation.says("can require gradients") or t.is_floating_point():
        return None
    rule = _("only floating point numbers have derivatives, but these are whole numbers")
    return explain_replacement(
        situation, "parameter", rule, given, append_to_expression(ast.unparse(given), ".float()")
    )


def explain_function_of_numpy(situation, node):
    """Explain `np.mean(x)` of a tensor, whose own method takes other arguments."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=word), args=[given], keywords=[]):
            pass
        case _:
            return None
    if not situation.says("unexpected keyword argument") and not situation.says("invalid combination of arguments"):
        return None
    t, code = situation.tensor_of(given), f"torch.{word}({ast.unparse(given)})"
    if t is None or situation.evaluate(ast.parse(code, mode="eval").body) is None:
        return None
    rule = _("np.{word} calls {text} with NumPy's arguments; for a tensor, use torch.{word}")
    rule = rule.format(word=word, text=ast.unparse(given))
    return explain_replacement(situation, "call", rule, node, code, operands=(operand_of(ast.unparse(given), t),))


def explain_lists_for_dataset(situation, node):
    """Explain `TensorDataset(xs, ys)` of lists of numbers."""
    if not situation.says("'list' object has no attribute 'size'") or node.keywords:
        return None
    if not ast.unparse(node.func).endswith("TensorDataset"):
        return None
    given = [
        f"torch.tensor({ast.unparse(each)})" if is_list(situation, each) else ast.unparse(each) for each in node.args
    ]
    rule = _("a TensorDataset holds tensors, but this is a list")
    return explain_replacement(situation, "dataset", rule, node, f"{ast.unparse(node.func)}({', '.join(given)})")


def is_list(situation, node):
    """Return True for a list of numbers, or of such lists."""
    value = situation.look_up(node)
    value = situation.evaluate(node) if value is None else value
    while type(value) is list and value and type(value[0]) is list:
        value = value[0]
    return type(value) is list and all(type(each) in (int, float, bool) for each in value)


KINDS = (
    explain_numbers_for_list,
    explain_number_for_sizes,
    explain_generator_for_list,
    explain_dict_for_list,
    explain_tensor_for_sequences,
    explain_drawn_integers,
    explain_gradient_through_numpy,
    explain_ragged_rows,
    explain_reversed_array,
    explain_texts_for_numbers,
    explain_text_for_tensor,
    explain_list_for_parameter,
    explain_list_for_array,
    explain_lists_for_dataset,
    explain_function_of_numpy,
    explain_integers_for_gradient,
    explain_step_for_count,
)
