"""Sizes and dimensions: a tuple of them, a tensor for its shape, too few, a quotient, a scale factor."""

import ast
import re

from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, message_of, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

SIZES = re.compile(
    r"tuple of ints size|argument '(?:size|repeats)'|^repeat\(\) takes 1 positional|batch_size should be a positive int"
)


def explain_fraction(situation):
    """Explain `torch.rand(n, n)` where n is 3.0, and `torch.rand(2.5)`."""
    node = next((each for each in reversed(situation.place.path()) if isinstance(each, ast.Call)), None)
    if node is None or not SIZES.search(message_of(situation.error)):
        return None
    given = [*node.args, *(each.value for each in node.keywords if each.arg in ("size", "batch_size"))]
    found = {each: value for each in given if type(value := situation.evaluate(each)) is float}
    if not found or not all(isinstance(each, ast.Name | ast.Constant) for each in found):
        return None
    first = next(iter(found))
    rule = _("{text} is a float; expected a whole number").format(text=ast.unparse(first))
    if not all(each.is_integer() for each in found.values()):
        return Explanation("call", (), rule)
    whole = {each: str(int(n)) if isinstance(each, ast.Constant) else f"int({each.id})" for each, n in found.items()}
    written = [whole.get(each) or ast.unparse(each) for each in node.args]
    written += [f"{each.arg}={whole.get(each.value) or ast.unparse(each.value)}" for each in node.keywords]
    return explain_replacement(situation, "call", rule, node, f"{ast.unparse(node.func)}({', '.join(written)})")


def explain_quotient_for_size(situation, node):
    """Explain `DataLoader(data, batch_size=n / 2)`."""
    if not situation.says("batch_size should be a positive integer value"):
        return None
    for keyword in node.keywords:
        if (
            keyword.arg == "batch_size"
            and isinstance(keyword.value, ast.BinOp)
            and isinstance(keyword.value.op, ast.Div)
        ):
            text, whole = ast.unparse(keyword.value), ast.BinOp(keyword.value.left, ast.FloorDiv(), keyword.value.right)
            return explain_replacement(
                situation,
                "DataLoader",
                _("{text} is not a whole number").format(text=text),
                keyword.value,
                ast.unparse(whole),
            )
    return None


def explain_transpose_without_dims(situation, node):
    """Explain `x.transpose()` of a matrix."""
    is_function = ast.unparse(node.func) == "torch.transpose" and len(node.args) == 1
    if not situation.says("transpose() missing") or not isinstance(node.func, ast.Attribute):
        return None
    if node.args and not is_function:
        return None
    given = node.args[0] if is_function else node.func.value
    t, text = situation.tensor_of(given), ast.unparse(given)
    if t is None:
        return None
    rule = _("transpose swaps two given dimensions, but {text} has {dims}").format(text=text, dims=t.dim())
    return explain_replacement(
        situation,
        "transpose",
        rule,
        node,
        append_to_expression(text, ".T" if t.dim() == 2 else ".mT"),
        operands=(operand_of(text, t),),
    )


def explain_size_for_factor(situation, node):
    """Explain `F.interpolate(x, 2.0)`."""
    is_told = situation.says("argument 'size'", "must be int, not float") or situation.says(
        "upsample_", "list of [float"
    )
    if not is_told or len(node.args) != 2 or not ast.unparse(node.func).endswith("interpolate"):
        return None
    rule = _("the second argument is the new size; pass a factor as scale_factor")
    return explain_replacement(
        situation, "interpolate", rule, node.args[1], f"scale_factor={ast.unparse(node.args[1])}"
    )


def is_written_shape(node):
    """Return True for integers written as a shape: `(2, 3)`, `[4]`, `5`."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return bool(parts) and all(isinstance(each, ast.Constant) and type(each.value) is int for each in parts)


def explain_sizes_of_tensor(situation, node):
    """Explain `torch.zeros_like(x.shape)`, and `torch.ones(x)` of a tensor."""
    if len(node.args) != 1 or node.keywords or not isinstance(node.func, ast.Attribute):
        return None
    name, given = ast.unparse(node.func), node.args[0]
    if name.endswith("_like") and (situation.says("must be Tensor, not torch.Size") or is_written_shape(given)):
        rule = _("{name} expects a tensor, but {text} is a shape").format(name=name, text=ast.unparse(given))
        return explain_replacement(situation, name, rule, node.func, name.removesuffix("_like"))
    t = situation.tensor_of(given)
    if situation.says("argument 'size'", "must be tuple of ints, not Tensor") and t is not None:
        if name not in ("torch.ones", "torch.zeros", "torch.rand", "torch.randn", "torch.empty") or t.dim() < 2:
            return None
        rule = _("{name} expects sizes, but {text} is a tensor").format(name=name, text=ast.unparse(given))
        given = (operand_of(ast.unparse(given), t),)
        return explain_replacement(situation, name, rule, node.func, f"{name}_like", operands=given)
    return None


def explain_sizes_in_tuple(situation, node):
    """Explain `nn.Linear((10, 5))`, and `x.view("2, 3")`."""
    if len(node.args) != 1 or node.keywords or not isinstance(situation.error, TypeError):
        return None
    match node.args[0]:
        case ast.Tuple(elts=sizes) | ast.List(elts=sizes) if situation.says("missing", "required positional argument"):
            code = ", ".join(map(ast.unparse, sizes))
        case ast.Constant(value=str(text)) if re.fullmatch(r"[-\d, ]+", text) and is_text_for_sizes(situation):
            code = text
        case _:
            return None
    new = f"{ast.unparse(node.func)}({code})"
    if situation.evaluate(ast.parse(new, mode="eval").body) is None:
        return None
    return explain_replacement(situation, "call", _("pass the sizes as separate arguments"), node, new)


def explain_one_dim_of_two(situation, node):
    """Explain `x.transpose(1)` of a matrix."""
    if not situation.says("transpose() missing") or len(node.args) != 1 or not isinstance(node.func, ast.Attribute):
        return None
    t, text = situation.tensor_of(node.func.value), ast.unparse(node.func.value)
    if t is None or t.dim() != 2:
        return None
    rule = _("transpose swaps two given dimensions, but {text} has {dims}").format(text=text, dims=2)
    return explain_replacement(
        situation, "transpose", rule, node, f"{text}.transpose(0, 1)", operands=(operand_of(text, t),)
    )


def explain_one_number_of_padding(situation, node):
    """Explain `F.pad(x, 1)`."""
    if not situation.says("argument 'pad'", "must be tuple of ints, not int") or len(node.args) < 2:
        return None
    t, number = situation.tensor_of(node.args[0]), ast.unparse(node.args[1])
    if t is None:
        return None
    rule = _("pad has two numbers for each dimension, before and after, starting with the last dimension")
    fits = [
        replace_node(situation.place, node.args[1], f"({', '.join([number] * count)})") for count in (2, 4)[: t.dim()]
    ]
    return Explanation("pad", (operand_of(ast.unparse(node.args[0]), t),), rule, tuple(filter(None, fits)))


def explain_range_of_standard(situation, node):
    """Explain `torch.rand(0, 1, (3, 4))`, as NumPy's `uniform` and `normal` take their arguments."""
    function = ast.unparse(node.func)
    match node.args:
        case [ast.Constant(value=0), ast.Constant(value=1), (ast.Tuple() | ast.List() | ast.Name()) as size]:
            pass
        case _:
            return None
    word = function.rpartition(".")[2]
    if word not in ("rand", "randn") or not isinstance(situation.error, TypeError):
        return None
    rule = (
        _("rand always draws from 0 to 1, and accepts only sizes")
        if word == "rand"
        else _("randn always draws with mean 0 and standard deviation 1, and accepts only sizes")
    )
    return explain_replacement(situation, word, rule, node, f"{function}({ast.unparse(size)})")


def explain_shape_for_range(situation, node):
    """Explain `torch.arange(12, (3, 4))`."""
    if not situation.says("arange() received an invalid combination") or len(node.args) < 2:
        return None
    *numbers, shape = node.args
    sizes = situation.evaluate(shape)
    if type(sizes) not in (tuple, list) or not all(type(each) is int for each in sizes):
        return None
    code = f"{ast.unparse(node.func)}({', '.join(map(ast.unparse, numbers))}).reshape({ast.unparse(shape)})"
    if situation.evaluate(ast.parse(code, mode="eval").body) is None:
        return None
    return explain_replacement(
        situation, "arange", _("arange returns one dimension; reshape makes several"), node, code
    )


def explain_shape_for_features(situation, node):
    """Explain `nn.Linear((28, 28), 10)`, of images that are flattened."""
    if not isinstance(situation.error, TypeError) or not ast.unparse(node.func).endswith("Linear"):
        return None
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Tuple | ast.List) or not is_written_shape(first) or len(node.args) < 2:
        return None
    product = " * ".join(map(ast.unparse, first.elts))
    rule = _("a Linear layer expects vectors of features: {shape} has {product}").format(
        shape=ast.unparse(first), product=product
    )
    return explain_replacement(situation, "Linear", rule, first, product)


def is_text_for_sizes(situation):
    return situation.says("must be tuple of ints, not str") or situation.says("view()")


def explain_value_for_filled(situation, node):
    """Explain `torch.ones(x.shape, 5.0)` and `torch.zeros((2, 3), 7)`."""
    function = ast.unparse(node.func)
    if function not in ("torch.ones", "torch.zeros", "torch.empty") or len(node.args) != 2:
        return None
    if not situation.says("takes 1 positional argument but 2 were given"):
        return None
    size, value = map(situation.evaluate, node.args)
    if not isinstance(size, tuple | list) or type(value) is not float:
        return None
    rule = _("{name} has no argument for a value: full does").format(name=function)
    new = f"torch.full({', '.join(map(ast.unparse, [*node.args, *node.keywords]))})"
    return explain_replacement(situation, function, rule, node, new)


KINDS = (
    explain_quotient_for_size,
    explain_transpose_without_dims,
    explain_one_dim_of_two,
    explain_one_number_of_padding,
    explain_size_for_factor,
    explain_sizes_of_tensor,
    explain_sizes_in_tuple,
    explain_range_of_standard,
    explain_shape_for_range,
    explain_shape_for_features,
    explain_value_for_filled,
)
