"""Settings in the wrong form: a number as text, a percentage, another word for a mean, a device in capitals, a seed."""

import ast
import math
import re

from tensh.explain.model import Explanation
from tensh.explain.search.edits import DTYPES
from tensh.explain.situation import explain_replacement, message_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.rewriting import set_keyword
from tensh.support.language import _, list_names

LEAST_PERCENT = 5  # smaller numbers are slips, not percentages
UNBOUNDED = ("inf", "nan", "infinity")
AVERAGES = ("avg", "average", "Mean", "MEAN")  # other words for "mean"
DEVICES = {"cpu": "cpu", "gpu": "cuda", "cuda": "cuda"}  # lower-case name -> device
CHOICES = re.compile(r"(?:should|must) be one of (.+)")
DEVICE = re.compile(r"at start of device string: (.+)|Invalid device string: '(.+)'")
CHOICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"'


def explain_list_for_number(situation, node):
    """Explain `lr=[0.1]`, a list with the number as its only element."""
    if (
        not isinstance(situation.error, TypeError)
        or not situation.says("'list'")
        or not situation.says("not supported")
    ):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        value = situation.look_up(each)
        if isinstance(each, ast.List) and len(each.elts) == 1 and isinstance(each.elts[0], ast.Constant):
            value = [each.elts[0].value]
        if type(value) is list and len(value) == 1 and type(value[0]) in (int, float):
            text = ast.unparse(each)
            new = ast.unparse(each.elts[0]) if isinstance(each, ast.List) else f"{text}[0]"
            rule = _("{text} is a list; expected a number").format(text=text)
            return explain_replacement(situation, "call", rule, each, new)
    return None


def explain_text_for_number(situation, node):
    """Explain `lr="0.1"`."""
    is_told = (
        situation.says("'str'")
        or situation.says("!str!")
        or situation.says("but got str")
        or situation.says("of type str")
        or situation.says("not str")
        or situation.says("=str")
    )
    is_told = isinstance(situation.error, TypeError) and is_told or situation.says("should be a positive integer value")
    if not is_told or situation.says("must be Tensor"):  # a number would be no tensor, either
        return None
    calls = [node, *([node.func] if isinstance(node.func, ast.Call) else [])]  # `nn.LeakyReLU("0.1")(x)`
    given = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    for each in given:
        value = situation.look_up(each) if isinstance(each, ast.Name) else getattr(each, "value", None)
        if type(value) is str and (isinstance(each, ast.Name) and is_number(value) or value.strip("+-") in UNBOUNDED):
            text = ast.unparse(each).replace("'", '"')
            rule = _("{text} is a string; expected a number").format(text=text)
            kind = "int" if re.fullmatch(r"[+-]?\d+", value) else "float"
            return explain_replacement(situation, "call", rule, each, f"{kind}({text})")
        if isinstance(each, ast.Constant) and type(each.value) is str and is_number(each.value):
            return explain_replacement(
                situation,
                "call",
                _("{value!r} is a string; expected a number").format(value=each.value),
                each,
                each.value,
            )
    return None


def is_number(text):
    try:
        return math.isfinite(float(text)) and text == text.strip()
    except ValueError:
        return False


def explain_function_behind_input(situation, node):
    """Explain `jacobian(x, f)`."""
    if not situation.says("The inputs given to", "must be either a Tensor or a tuple of Tensors", "'function'"):
        return None
    if len(node.args) < 2:
        return None
    first, second, *rest = map(ast.unparse, [*node.args, *node.keywords])
    rule = _("{name} expects the function first, then its input").format(name=ast.unparse(node.func).rpartition(".")[2])
    code = f"{ast.unparse(node.func)}({', '.join([second, first, *rest])})"
    return explain_replacement(situation, "call", rule, node, code)


def explain_gradient_of_several(situation, node):
    """Explain `torch.func.grad(f)(x)` of a function that returns several numbers."""
    if not situation.says("to return a scalar", "Maybe you wanted to use the vjp or jacrev"):
        return None
    made = node.func if isinstance(node.func, ast.Call) else None
    if made is None or not ast.unparse(made.func).endswith("grad"):
        return None
    rule = _("grad is for functions that return one number: jacrev returns the derivative of each of several")
    return explain_replacement(
        situation, "grad", rule, made.func, ast.unparse(made.func).removesuffix("grad") + "jacrev"
    )


def explain_size_for_kernel(situation, node):
    """Explain `F.conv2d(x, 3)`."""
    found = re.search(
        r"conv(\d)d\(\) received an invalid combination of arguments - got \(Tensor, int", message_of(situation.error)
    )
    x = situation.tensor_of(node.args[0]) if found and len(node.args) > 1 else None
    if x is None:
        return None
    dims = int(found[1])
    channels = x.shape[-dims - 1] if x.dim() > dims else 1
    rule = _("conv{dims}d expects its kernels as a tensor; a layer makes them from a size").format(dims=dims)
    code = f"nn.Conv{dims}d({channels}, out_channels, {ast.unparse(node.args[1])})({ast.unparse(node.args[0])})"
    return Explanation("convolution", (), rule, (), code)


def explain_unsorted_lengths(situation, node):
    """Explain `pack_padded_sequence(x, lengths)` of lengths that are not sorted."""
    if not situation.says("must be sorted in decreasing order when `enforce_sorted` is True"):
        return None
    rule = _("the longest sequence must come first, unless the order does not matter")
    code = set_keyword(ast.unparse(node), "enforce_sorted", "False")
    return explain_replacement(situation, "sequences", rule, node, code)


def explain_percentage(situation, node):
    """Explain `Dropout(50)`."""
    if not situation.says("probability has to be between 0 and 1"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(each, ast.Constant) and type(each.value) in (int, float) and LEAST_PERCENT <= each.value <= 100:
            rule = _("a probability is a fraction of 1: {value} of 100 is {part:g}").format(
                value=each.value, part=each.value / 100
            )
            return explain_replacement(situation, "dropout", rule, each, f"{each.value / 100:g}")
    return None


def explain_unknown_choice(situation, node):
    """Explain `padding="vald"`, where the message names the choices."""
    found = CHOICES.search(message_of(situation.error))
    choices = re.findall(r"'(\w+)'", found[1]) if found else []
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        meant = nearest(each, choices)
        if meant:
            rule = _("{text} is not one of {choices}").format(
                text=ast.unparse(each), choices=list_names(sorted(choices))
            )
            return explain_replacement(situation, "call", rule, each, f'"{meant}"')
    return None


def nearest(node, choices):
    """Return the choice that a text misspells; None if there is none."""
    from tensh.support.spelling import close

    word = node.value if isinstance(node, ast.Constant) else None
    return close(word, choices) if type(word) is str and word not in choices else None


def explain_unknown_reduction(situation, node):
    """Explain `reduction="avg"`."""
    if not situation.says("is not a valid value for reduction"):
        return None
    names = ("mean", "sum", "none")
    rule = _("reduction must be 'mean', 'sum' or 'none'")
    value = message_of(situation.error).partition(" is not a valid value")[0]
    is_divergence = type(situation.look_up(node.func)).__name__ == "KLDivLoss" or "kl_div" in ast.unparse(node.func)
    if is_divergence or value.lower() == "batchmean":
        rule = _("reduction of a divergence must be 'batchmean', 'mean', 'sum' or 'none'")
    if re.sub(r"[\W_]", "", value.lower()) == "batchmean":
        found = [
            each for each in ast.walk(situation.place.tree()) if isinstance(each, ast.Constant) and each.value == value
        ]
        if len(found) == 1:
            return explain_replacement(situation, "loss", rule, found[0], '"batchmean"')
    for each in node.keywords:
        if each.arg == "reduction" and isinstance(each.value, ast.Constant) and each.value.value in AVERAGES:
            return explain_replacement(situation, "loss", rule, each.value, '"mean"')
        meant = nearest(each.value, names)
        if each.arg == "reduction" and meant:
            return explain_replacement(situation, "loss", rule, each.value, f'"{meant}"')
    return Explanation("loss", (), rule)


def explain_seed_for_manual_seed(situation, node):
    """Explain `torch.seed(0)`."""
    name = ast.unparse(node.func)
    is_told = situation.says("seed() takes no arguments") or situation.says("seed() takes 0 positional arguments")
    if not is_told or name not in ("torch.seed", "torch.random.seed"):
        return None
    rule = _("torch.seed() chooses a seed itself; use manual_seed to set one")
    return explain_replacement(situation, "seed", rule, node.func, "torch.manual_seed")


def explain_device_by_another_name(situation, node):
    """Explain `x.to("GPU:0")`, also with the text on an earlier line."""
    found = DEVICE.search(message_of(situation.error))
    given, tree = found and (found[1] or found[2]), situation.place.tree()
    texts = [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and each.value == given] if given else []
    if len(texts) != 1:
        return None
    (text,), kind = texts, given.partition(":")[0].strip()
    name = "cpu" if stands_for_rest(text, tree) else name_device(given)
    if name is None:
        return None
    is_spelt = kind.lower() in DEVICES
    rule = _("the devices are cpu and cuda, in lower case") if is_spelt else _("{kind} is not a device: {name} is")
    if name == "cuda":
        fit = replace_node(situation.place, text, '"cpu"')
        advice = _("{code}, and .to(device)").format(code=CHOICE)
        return Explanation("device", (), rule.format(kind=kind, name=name), (fit,) if fit else (), advice)
    return explain_replacement(situation, "device", rule.format(kind=kind, name=name), text, f'"{name}"')


def stands_for_rest(text, tree):
    """Return True if a text is the device of a fallback: `"cuda" if ... else "gpu"`."""
    choices = [each for each in ast.walk(tree) if isinstance(each, ast.IfExp) and each.orelse is text]
    return any("is_available" in ast.unparse(each.test) for each in choices)


def name_device(given):
    """Return the device that a text misspells; None if there is none."""
    from tensh.support.spelling import close

    kind, colon, number = given.strip().lower().partition(":")
    word = kind.rstrip("0123456789_- ")
    name = DEVICES.get(word) or DEVICES.get(close(word, [*DEVICES]))
    return name if name != "cpu" else f"cpu{colon}{number}"


def explain_dtype_of_numpy(situation, node):
    """Explain `torch.zeros(3, dtype=np.float32)`."""
    if not situation.says("must be torch.dtype, not"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(each, ast.Attribute) and ast.unparse(each.value) in ("np", "numpy") and each.attr in DTYPES:
            rule = _("{text} is a NumPy dtype; the torch dtype is torch.{name}")
            rule = rule.format(text=ast.unparse(each), name=each.attr)
            return explain_replacement(situation, "dtype", rule, each, f"torch.{each.attr}")
    return None


KINDS = (
    explain_list_for_number,
    explain_text_for_number,
    explain_size_for_kernel,
    explain_function_behind_input,
    explain_gradient_of_several,
    explain_unsorted_lengths,
    explain_percentage,
    explain_unknown_reduction,
    explain_unknown_choice,
    explain_dtype_of_numpy,
    explain_device_by_another_name,
    explain_seed_for_manual_seed,
)
