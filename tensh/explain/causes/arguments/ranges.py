"""Numbers out of their range: a negative rate, a part in percent, bounds the other way round, groups that do not divide."""

import ast
import math
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, message_of, operand_of
from tensh.explain.source.rewriting import set_keyword
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

MOST_GROUPS = 1024
QUANTILE = re.compile(r"quantile\(\) q must be in the range \[0, 1\] but got ([\d.]+)")


def keyword_value(node, name):
    return next((each.value for each in node.keywords if each.arg == name), None)


def set_in_call(situation, operation, rule, node, name, value):
    """Return the Explanation of a call with an argument more, or with another value for it."""
    return explain_replacement(situation, operation, rule, node, set_keyword(ast.unparse(node), name, value))


def explain_negative_rate(situation, node):
    """Explain `SGD(params, lr=-0.1)`."""
    value = keyword_value(node, "lr")
    if not situation.says("Invalid learning rate: -") or not isinstance(value, ast.UnaryOp):
        return None
    rule = _("a step descends the gradient; to ascend, use maximize=True")
    return explain_replacement(situation, "optimizer", rule, value, ast.unparse(value.operand))


def explain_momentum_for_nesterov(situation, node):
    """Explain `SGD(params, lr=0.1, nesterov=True)`."""
    if not situation.says("Nesterov momentum requires a momentum"):
        return None
    rule = _("nesterov is a form of momentum, but no momentum is given")
    return set_in_call(situation, "optimizer", rule, node, "momentum", "0.9")


def explain_one_of_two_betas(situation, node):
    """Explain `Adam(params, betas=0.9)`."""
    value = keyword_value(node, "betas")
    if value is None or not situation.says("'float' object is not subscriptable"):
        return None
    rule = _("betas are two numbers: one for the mean of the gradients, one for that of their squares")
    return explain_replacement(situation, "optimizer", rule, value, f"({ast.unparse(value)}, 0.999)")


def explain_quantile_in_percent(situation, node):
    """Explain `torch.quantile(x, 50)`."""
    found = QUANTILE.search(message_of(situation.error))
    if found is None or not 1 < float(found[1]) <= 100:
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(each, ast.Constant) and type(each.value) in (int, float) and each.value == float(found[1]):
            rule = _("a quantile is a fraction of 1: {value} of 100 is {part:g}").format(
                value=each.value, part=each.value / 100
            )
            return explain_replacement(situation, "quantile", rule, each, f"{each.value / 100:g}")
    return None


def explain_exchanged_bounds(situation, node):
    """Explain `torch.randint(10, 0, (3,))` and `torch.arange(10, 0)`."""
    name, args = ast.unparse(node.func), [*map(ast.unparse, node.args)]
    if name.endswith("randint") and situation.says("'from' to be less than 'to'") and len(args) > 2:
        rule = _("the lower bound comes first, but {low} is not below {high}").format(low=args[0], high=args[1])
        first, second, *rest = [*args, *map(ast.unparse, node.keywords)]
        return explain_replacement(situation, "randint", rule, node, f"{name}({', '.join([second, first, *rest])})")
    if name.endswith("arange") and situation.says("inconsistent with step sign") and len(args) == 2:
        rule = _("counting down from {start} to {end} needs a negative step").format(start=args[0], end=args[1])
        rest = [*args, "-1", *map(ast.unparse, node.keywords)]
        return explain_replacement(situation, "arange", rule, node, f"{name}({', '.join(rest)})")
    if name.endswith("arange") and situation.says("inconsistent with step sign") and len(args) == 3:
        rule = _("a step of {step} does not lead from {start} to {end}").format(
            step=args[2], start=args[0], end=args[1]
        )
        other = args[2].removeprefix("-") if args[2].startswith("-") else f"-{args[2]}"
        is_written = isinstance(node.args[2], ast.Constant | ast.UnaryOp)
        return explain_replacement(situation, "arange", rule, node.args[2], other) if is_written else None
    return None


def explain_count_for_arange(situation, node):
    """Explain `torch.arange(0, 1, num=5)`."""
    name, value = ast.unparse(node.func), keyword_value(node, "num")
    if value is None or not name.endswith("arange") or len(node.args) != 2:
        return None
    rule = _("arange expects the step between values; linspace expects their number")
    given = ", ".join([*map(ast.unparse, node.args), ast.unparse(value)])
    return explain_replacement(situation, "arange", rule, node, f"{name.removesuffix('arange')}linspace({given})")


def explain_more_samples_than_choices(situation, node):
    """Explain `torch.multinomial(p, 5)` of two choices."""
    if not situation.says("cannot sample n_sample > prob_dist.size(-1) samples without replacement"):
        return None
    rule = _("without replacement, each choice is drawn at most once")
    return set_in_call(situation, "multinomial", rule, node, "replacement", "True")


def explain_scores_for_weights(situation, node):
    """Explain `torch.multinomial(scores, 1)`."""
    if not situation.says("probability tensor contains either") or not ast.unparse(node.func).endswith("multinomial"):
        return None
    given = node.func.value if situation.tensor_of(node.func.value) is not None else node.args[0] if node.args else None
    t = situation.tensor_of(given) if given is not None else None
    known = situation.look_up(given) if given is not None else None
    if t is None or isinstance(known, Tensor) and not known.isfinite().all():
        return None
    text = ast.unparse(given)
    rule = _("multinomial expects non-negative weights; softmax turns scores into weights")
    code = append_to_expression(text, ".softmax(dim=-1)")
    return explain_replacement(situation, "multinomial", rule, given, code, operands=(operand_of(text, t),))


def explain_uneven_groups(situation, node):
    """Explain `nn.Conv2d(3, 4, 3, groups=2)`."""
    if not situation.says("channels must be divisible by groups"):
        return None
    sizes = [situation.evaluate(each) for each in node.args[:2]]
    value = keyword_value(node, "groups")
    if value is None or not all(type(each) is int and each > 0 for each in sizes) or len(sizes) < 2:
        return None
    common = math.gcd(*sizes)
    possible = [n for n in range(1, common + 1) if common % n == 0]
    rule = _(
        "each group gets an equal share of {first} input and {second} output channels; numbers that divide both: {names}"
    )
    rule = rule.format(first=sizes[0], second=sizes[1], names=", ".join(map(str, possible[-8:])))
    asked = situation.evaluate(value)
    best = min(possible, key=lambda n: abs(n - asked)) if type(asked) is int else possible[-1]
    return explain_replacement(situation, "convolution", rule, value, str(best))


def explain_uneven_norm_groups(situation, node):
    """Explain `nn.GroupNorm(3, 8)`."""
    found = re.search(r"num_channels \((\d+)\) must be divisible by num_groups \((\d+)\)", message_of(situation.error))
    value = (keyword_value(node, "num_groups") or (node.args[0] if node.args else None)) if found else None
    if value is None:
        return None
    count, asked = map(int, found.groups())
    possible = [n for n in range(1, min(count, MOST_GROUPS) + 1) if count % n == 0]
    rule = _("each group gets an equal share of {count} channels; numbers that divide {count}: {names}").format(
        count=count, names=", ".join(map(str, possible[-8:]))
    )
    return explain_replacement(situation, "GroupNorm", rule, value, str(min(possible, key=lambda n: abs(n - asked))))


def explain_same_padding_with_stride(situation, node):
    """Explain `nn.Conv2d(1, 4, 3, stride=2, padding="same")`."""
    value = keyword_value(node, "padding")
    kernel = keyword_value(node, "kernel_size") or (node.args[2] if len(node.args) > 2 else None)
    size = situation.evaluate(kernel) if kernel is not None else None
    if not situation.says("padding='same' is not supported for strided convolutions") or value is None:
        return None
    rule = _("a stride changes the size: give padding as a number; half the kernel size results in size / stride")
    number = str(size // 2) if type(size) is int else None
    return explain_replacement(situation, "convolution", rule, value, number, _("padding=kernel_size // 2"))


def explain_padding_beyond_half(situation, node):
    """Explain `F.max_pool2d(x, 2, padding=2)`."""
    value = keyword_value(node, "padding")
    found = re.search(
        r"at most half of effective kernel size, but got pad=\d+, kernel_size=(\d+)", message_of(situation.error)
    )
    if found is None or value is None:
        return None
    rule = _("at most half of a window may lie outside: the largest padding is {most}").format(most=int(found[1]) // 2)
    return explain_replacement(situation, "pooling", rule, value, str(int(found[1]) // 2))


def explain_ignore_index_of_none(situation, node):
    """Explain `F.cross_entropy(x, y, ignore_index=None)`."""
    if not situation.says("argument 'ignore_index'", "must be int, not NoneType"):
        return None
    kept = [ast.unparse(each) for each in node.keywords if each.arg != "ignore_index"]
    rule = _("to ignore no class, omit the argument")
    code = f"{ast.unparse(node.func)}({', '.join([*map(ast.unparse, node.args), *kept])})"
    return explain_replacement(situation, "loss", rule, node, code)


def explain_none_among_numbers(situation, node):
    """Explain `torch.tensor([1.0, None])`."""
    if not situation.says("Could not infer dtype of NoneType") or not node.args:
        return None
    if isinstance(node.args[0], ast.Name) and situation.names.get(node.args[0].id, node) is None:
        return None
    found = [each for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant) and each.value is None]
    rule = _("a tensor holds numbers: use nan for a missing one")
    if len(found) == 1:
        return explain_replacement(situation, "tensor", rule, found[0], 'float("nan")')
    return Explanation("tensor", (), rule, (), _('float("nan") in place of None'))


def explain_mode_of_numpy(situation, node):
    """Explain `F.pad(x, (1, 1), mode="edge")`."""
    value = keyword_value(node, "mode")
    if not situation.says("Unrecognised padding mode") or not isinstance(value, ast.Constant):
        return None
    rule = _("mode must be 'constant', 'reflect', 'replicate' or 'circular'")
    meant = {
        "edge": "replicate",
        "wrap": "circular",
        "zeros": "constant",
        "zero": "constant",
        "symmetric": "reflect",
        "same": "constant",
    }
    meant = meant.get(value.value)
    if meant is None:
        return Explanation("pad", (), rule)
    return explain_replacement(situation, "pad", rule, value, f'"{meant}"')


KINDS = (
    explain_negative_rate,
    explain_momentum_for_nesterov,
    explain_one_of_two_betas,
    explain_quantile_in_percent,
    explain_exchanged_bounds,
    explain_count_for_arange,
    explain_more_samples_than_choices,
    explain_scores_for_weights,
    explain_uneven_groups,
    explain_uneven_norm_groups,
    explain_same_padding_with_stride,
    explain_padding_beyond_half,
    explain_ignore_index_of_none,
    explain_none_among_numbers,
    explain_mode_of_numpy,
)
