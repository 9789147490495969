"""Arguments of another kind than what is wanted: a tensor for a list, a text for a number, a model for its optimizer.

Each kind is a function of the situation and of the call that failed, or that the line makes.
"""

import ast
import math
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import find_assignment, message_of, operand_of, replace_node
from tensh.explain.model import Explanation, Fit
from tensh.explain.shadow import is_module
from tensh.explain.trying import append_to_expression
from tensh.language import _

PAIRWISE = {"max": "maximum", "min": "minimum"}  # functions of Python's -> those of tensors
LEAST_PERCENT = 5  # 1.5 is no percentage, but a slip
AVERAGES = ("avg", "average", "Mean", "MEAN")  # other words for a mean
DEVICES = {"cpu": "cpu", "gpu": "cuda", "cuda": "cuda"}  # what they are called in small letters -> their names
CHOICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"'


def explain_argument(situation):
    """The Explanation by the first of these kinds."""
    node = next((each for each in reversed(situation.place.path()) if isinstance(each, ast.Call)), None)
    if node is None:
        return None
    for kind in (
        python_extreme, tensor_for_list, computed_parameter, text_for_number, model_for_optimizer, path_for_state, numbers_for_list,
        quotient_for_size, many_for_gradient, whole_numbers_for_gradient, transpose_without_dims, percent, device_by_another_name, one_number_of_padding, ragged_rows, texts_for_numbers, list_for_array, size_for_factor, step_for_count, model_for_weight, unknown_reduction, sizes_of_a_tensor, sizes_in_a_tuple, one_dim_of_two, rate_before_parameters, model_for_state, seed_for_manual_seed,
    ):  # fmt: skip
        found = kind(situation, node)
        if found is not None:
            return found
    return None


def explain_replacement(situation, operation, rule, node, new, advice=None, operands=()):
    """The Explanation with one piece of code replaced; None if it cannot be, and there is no advice."""
    fit = replace_node(situation.place, node, new) if new else None
    return (
        Explanation(operation, operands, rule, (fit,) if fit else (), None if fit else advice)
        if fit or advice
        else None
    )


def tensor_of(situation, node):
    """The tensor that an expression is, on shapes only; None of anything else."""
    value = situation.look_up(node)
    value = situation.evaluate(node) if value is None else value
    return value if isinstance(value, Tensor) else None


def python_extreme(situation, node):
    """`max(a, b)` of tensors: Python's function asks which is larger with `if`."""
    name = ast.unparse(node.func)
    if name not in PAIRWISE or len(node.args) != 2 or not situation.says("Boolean value of Tensor"):
        return None
    tensors = [tensor_of(situation, each) for each in node.args]
    if None in tensors:
        return None
    if name == "max":
        rule = _("Python's max asks once which is the larger: element by element it is torch.{function}")
    else:
        rule = _("Python's min asks once which is the smaller: element by element it is torch.{function}")
    rule = rule.format(function=PAIRWISE[name])
    given = [ast.unparse(each) for each in node.args]
    operands = tuple(operand_of(text, t) for text, t in zip(given, tensors, strict=True))
    return explain_replacement(
        situation, name, rule, node, f"torch.{PAIRWISE[name]}({', '.join(given)})", operands=operands
    )


def tensor_for_list(situation, node):
    """`SGD(w)` of one tensor."""
    if not situation.says("params argument given to the optimizer should be an iterable") or not node.args:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is one tensor: an optimizer takes a list of tensors, or what a model's parameters() gives").format(
        text=text
    )
    return explain_replacement(situation, "optimizer", rule, node.args[0], f"[{text}]")


def computed_parameter(situation, node):
    """`Adam([w])` of a tensor that was computed from one that requires grad."""
    if not situation.says("can't optimize a non-leaf Tensor"):
        return None
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    known = [(each.id, situation.names.get(each.id)) for each in names]
    name = next((name for name, value in known if isinstance(value, Tensor) and not value.is_leaf), None)
    made = find_assignment(situation.place, name) if name else None
    if not isinstance(made, ast.Assign) or made.lineno != made.end_lineno:
        return None
    code = ast.parse(ast.unparse(made.value), mode="eval").body
    calls = [each for each in ast.walk(code) if isinstance(each, ast.Call)]
    for call in calls:
        call.keywords = [each for each in call.keywords if each.arg != "requires_grad"]
    inputs = {each.id for each in ast.walk(code) if isinstance(each, ast.Name)}
    if any(getattr(situation.names.get(each), "requires_grad", False) for each in inputs):
        return None
    text = append_to_expression(ast.unparse(code), ".requires_grad_()")
    rule = _(
        "{name} was computed on line {line}, and steps of an optimizer change leaves: compute first, then require grad"
    ).format(name=name, line=made.lineno)
    return Explanation("optimizer", (), rule, (Fit(f"{ast.unparse(made.targets[0])} = {text}", "", made.lineno),))


def text_for_number(situation, node):
    """`lr="0.1"`."""
    if not isinstance(situation.error, TypeError) or not situation.says("'str'"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(each, ast.Constant) and type(each.value) is str and is_number(each.value):
            return explain_replacement(
                situation,
                "call",
                _("{value!r} is a text, and a number is wanted").format(value=each.value),
                each,
                each.value,
            )
    return None


def is_number(text):
    try:
        return math.isfinite(float(text)) and text == text.strip()
    except ValueError:
        return False


def model_for_optimizer(situation, node):
    """`StepLR(net)`."""
    if not situation.says("is not an Optimizer") or not node.args:
        return None
    found = [
        name
        for name, value in situation.names.items()
        if hasattr(type(value), "zero_grad") and hasattr(value, "param_groups")
    ]
    text = ast.unparse(node.args[0])
    rule = _("{text} is a {kind}: a scheduler changes the rates of an optimizer").format(
        text=text, kind=type(situation.look_up(node.args[0])).__name__
    )
    return explain_replacement(situation, "scheduler", rule, node.args[0], found[0]) if len(found) == 1 else None


def path_for_state(situation, node):
    """`load_state_dict("model.pt")`."""
    if not situation.says("Expected state_dict to be dict-like", "'str'") or not node.args:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a path: what the file holds is read by torch.load").format(text=text)
    model = situation.look_up(node.func.value) if isinstance(node.func, ast.Attribute) else None
    return (
        explain_replacement(situation, "load_state_dict", rule, node.args[0], f"torch.load({text})")
        if is_module(model)
        else None
    )


def numbers_for_list(situation, node):
    """`torch.tensor(1, 2, 3)`."""
    if not situation.says("tensor() takes 1 positional argument but") or node.keywords:
        return None
    given = ", ".join(map(ast.unparse, node.args))
    rule = _("tensor takes its values as one list")
    return explain_replacement(situation, "tensor", rule, node, f"{ast.unparse(node.func)}([{given}])")


def quotient_for_size(situation, node):
    """`DataLoader(data, batch_size=n / 2)`."""
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


def many_for_gradient(situation, node):
    """`torch.autograd.grad(y, x)` of a tensor of many numbers."""
    if not situation.says("grad can be implicitly created only for scalar outputs") or not node.args:
        return None
    t = tensor_of(situation, node.args[0])
    if t is None or not ast.unparse(node.func).endswith("grad"):
        return None
    text = ast.unparse(node.args[0])
    rule = _("a gradient is of one number, and {text} has {count}: whose derivative is meant?").format(
        text=text, count=t.numel()
    )
    return explain_replacement(
        situation, "grad", rule, node.args[0], append_to_expression(text, ".sum()"), operands=(operand_of(text, t),)
    )


def whole_numbers_for_gradient(situation, node):
    """`torch.arange(3, requires_grad=True)`."""
    wanted = [each for each in node.keywords if each.arg == "requires_grad"]
    if not situation.says("Only Tensors of floating point and complex dtype can require gradients") or not wanted:
        return None
    if any(each.arg == "dtype" for each in node.keywords) or ast.unparse(node.func).endswith("tensor"):
        return None
    rule = _("derivatives are of floating point numbers, and these are whole ones")
    return explain_replacement(situation, "tensor", rule, node, f"{ast.unparse(node)[:-1]}, dtype=torch.float32)")


def transpose_without_dims(situation, node):
    """`x.transpose()` of a matrix."""
    if not situation.says("transpose() missing") or node.args or not isinstance(node.func, ast.Attribute):
        return None
    t, text = tensor_of(situation, node.func.value), ast.unparse(node.func.value)
    if t is None:
        return None
    rule = _("transpose exchanges two dimensions that it is given, and {text} has {dims}").format(
        text=text, dims=t.dim()
    )
    return explain_replacement(
        situation,
        "transpose",
        rule,
        node,
        append_to_expression(text, ".T" if t.dim() == 2 else ".mT"),
        operands=(operand_of(text, t),),
    )


def percent(situation, node):
    """`Dropout(50)`."""
    if not situation.says("probability has to be between 0 and 1"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(each, ast.Constant) and type(each.value) in (int, float) and LEAST_PERCENT <= each.value <= 100:
            rule = _("a probability is a part of 1: {value} of 100 are {part:g}").format(
                value=each.value, part=each.value / 100
            )
            return explain_replacement(situation, "dropout", rule, each, f"{each.value / 100:g}")
    return None


def size_for_factor(situation, node):
    """`F.interpolate(x, 2.0)`."""
    if not situation.says("argument 'size'", "must be int, not float") or len(node.args) != 2:
        return None
    if not ast.unparse(node.func).endswith("interpolate"):
        return None
    rule = _("the second argument is the new size; a factor has the name scale_factor")
    return explain_replacement(
        situation, "interpolate", rule, node.args[1], f"scale_factor={ast.unparse(node.args[1])}"
    )


def step_for_count(situation, node):
    """`torch.linspace(0, 1, 0.1)`."""
    if not situation.says("linspace() received an invalid combination", ", float)") or len(node.args) != 3:
        return None
    name = ast.unparse(node.func)
    rule = _("linspace takes how many numbers there are to be; arange takes the step from one to the next")
    code = f"{name.removesuffix('linspace')}arange({', '.join(map(ast.unparse, node.args))})"
    return explain_replacement(situation, "linspace", rule, node, code)


def model_for_weight(situation, node):
    """`nn.init.zeros_(net)` of a layer."""
    if not isinstance(situation.error, AttributeError) or "init." not in ast.unparse(node.func) or not node.args:
        return None
    layer, text = situation.look_up(node.args[0]), ast.unparse(node.args[0])
    if not is_module(layer) or not isinstance(vars(layer).get("_parameters", {}).get("weight"), Tensor):
        return None
    rule = _("{text} is a layer: what is filled is one of its tensors").format(text=text)
    return explain_replacement(situation, "init", rule, node.args[0], f"{text}.weight")


def unknown_reduction(situation, node):
    """`reduction="avg"`."""
    if not situation.says("is not a valid value for reduction"):
        return None
    rule = _("reduction is 'mean', 'sum' or 'none'")
    for each in node.keywords:
        if each.arg == "reduction" and isinstance(each.value, ast.Constant) and each.value.value in AVERAGES:
            return explain_replacement(situation, "loss", rule, each.value, '"mean"')
    return Explanation("loss", (), rule)


def list_for_array(situation, node):
    """`torch.from_numpy([1, 2])`."""
    if not situation.says("expected np.ndarray (got list)") or not ast.unparse(node.func).endswith("from_numpy"):
        return None
    rule = _("from_numpy takes an array of NumPy; torch.tensor takes lists")
    return explain_replacement(situation, "tensor", rule, node.func, "torch.tensor")


def sizes_of_a_tensor(situation, node):
    """`torch.zeros_like(x.shape)`, and `torch.ones(x)` of a tensor."""
    if len(node.args) != 1 or node.keywords or not isinstance(node.func, ast.Attribute):
        return None
    name, given = ast.unparse(node.func), node.args[0]
    if situation.says("must be Tensor, not torch.Size") and name.endswith("_like"):
        rule = _("{name} takes a tensor, and {text} is a shape").format(name=name, text=ast.unparse(given))
        return explain_replacement(situation, name, rule, node.func, name.removesuffix("_like"))
    t = tensor_of(situation, given)
    if situation.says("argument 'size'", "must be tuple of ints, not Tensor") and t is not None:
        if name not in ("torch.ones", "torch.zeros", "torch.rand", "torch.randn", "torch.empty") or t.dim() < 2:
            return None
        rule = _("{name} takes sizes, and {text} is a tensor").format(name=name, text=ast.unparse(given))
        given = (operand_of(ast.unparse(given), t),)
        return explain_replacement(situation, name, rule, node.func, f"{name}_like", operands=given)
    return None


def sizes_in_a_tuple(situation, node):
    """`nn.Linear((10, 5))`, and `x.view("2, 3")`."""
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
    return explain_replacement(situation, "call", _("the sizes are arguments of their own"), node, new)


def is_text_for_sizes(situation):
    return situation.says("must be tuple of ints, not str") or situation.says("view()")


def one_dim_of_two(situation, node):
    """`x.transpose(1)` of a matrix."""
    if not situation.says("transpose() missing") or len(node.args) != 1 or not isinstance(node.func, ast.Attribute):
        return None
    t, text = tensor_of(situation, node.func.value), ast.unparse(node.func.value)
    if t is None or t.dim() != 2:
        return None
    rule = _("transpose exchanges two dimensions that it is given, and {text} has {dims}").format(text=text, dims=2)
    return explain_replacement(
        situation, "transpose", rule, node, f"{text}.transpose(0, 1)", operands=(operand_of(text, t),)
    )


def rate_before_parameters(situation, node):
    """`SGD(0.1, net.parameters())`."""
    if not situation.says("not supported between instances of 'generator'") or len(node.args) != 2:
        return None
    first, second = node.args
    if not ast.unparse(second).endswith(".parameters()"):
        return None
    rule = _("an optimizer takes what it trains first, and the rate after it")
    new = f"{ast.unparse(node.func)}({ast.unparse(second)}, {ast.unparse(first)})"
    return explain_replacement(situation, "optimizer", rule, node, new)


def model_for_state(situation, node):
    """`net.load_state_dict(other)` of a model."""
    if not situation.says("Expected state_dict to be dict-like") or len(node.args) != 1:
        return None
    text = ast.unparse(node.args[0])
    if not is_module(situation.look_up(node.args[0])):
        return None
    rule = _("{text} is a model: state_dict() gives its state").format(text=text)
    return explain_replacement(situation, "load_state_dict", rule, node.args[0], f"{text}.state_dict()")


def seed_for_manual_seed(situation, node):
    """`torch.seed(0)`."""
    if not situation.says("seed() takes no arguments") or ast.unparse(node.func) != "torch.seed":
        return None
    rule = _("torch.seed() chooses a seed by itself; manual_seed takes one")
    return explain_replacement(situation, "seed", rule, node.func, "torch.manual_seed")


def device_by_another_name(situation, node):
    """`x.to("GPU:0")`."""
    if not situation.says("device type at start of device string"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(each, ast.Constant) and type(each.value) is str:
            kind, colon, number = each.value.strip().lower().partition(":")
            name = DEVICES.get(kind)
            if name is None:
                continue
            rule = _("devices are called cpu and cuda, in small letters")
            if name == "cuda":
                return Explanation("device", (), rule, (), _("{code}, and .to(device)").format(code=CHOICE))
            return explain_replacement(situation, "device", rule, each, f'"{name}{colon}{number}"')
    return None


def one_number_of_padding(situation, node):
    """`F.pad(x, 1)`."""
    if not situation.says("argument 'pad'", "must be tuple of ints, not int") or len(node.args) < 2:
        return None
    t, number = tensor_of(situation, node.args[0]), ast.unparse(node.args[1])
    if t is None:
        return None
    rule = _("pad has two numbers for each dimension, before and after it, the last dimension first")
    fits = [
        replace_node(situation.place, node.args[1], f"({', '.join([number] * count)})") for count in (2, 4)[: t.dim()]
    ]
    return Explanation("pad", (operand_of(ast.unparse(node.args[0]), t),), rule, tuple(filter(None, fits)))


def ragged_rows(situation, node):
    """`torch.tensor([[1, 2, 3], [4, 5]])`."""
    found = re.search(r"expected sequence of length (\d+) at dim (\d+) \(got (\d+)\)", message_of(situation.error))
    if found is None:
        return None
    rule = _("all rows of a tensor have the same length, and here one has {one}, another {other}").format(
        one=found[1], other=found[3]
    )
    advice = _("fill up the shorter ones; or a tensor for each row, which nn.utils.rnn.pad_sequence fills up")
    return Explanation("tensor", (), rule, (), advice)


def texts_for_numbers(situation, node):
    """`torch.tensor(["cat", "dog"])`."""
    if not situation.says("too many dimensions 'str'") and not situation.says("invalid data type 'str'"):
        return None
    if not isinstance(node.func, ast.Attribute) or not ast.unparse(node.func).endswith("tensor"):
        return None
    rule = _("a tensor holds numbers, and these are texts")
    return Explanation(
        "tensor", (), rule, (), _("a number for each text: numbers = {name: n for n, name in enumerate(names)}")
    )
