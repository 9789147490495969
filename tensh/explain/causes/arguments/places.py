"""Arguments in the wrong place: several values for one, a missing dimension, a shape or a tensor for a size."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, message_of, operand_of
from tensh.support.language import _

TWICE = re.compile(r"got multiple values for argument '(\w+)'")
DIM = re.compile(r"argument 'dim' \(position (\d+)\) must be int, not Tensor")
ENDINGS = ("parameters()", "named_parameters()")


def explain_several_for_one(situation, node):
    """Explain `SGD(a.parameters(), b.parameters(), lr=0.1)`, `DataLoader(x, y, batch_size=4)`, `MultiStepLR(opt, 10, 20)`."""
    found = TWICE.search(message_of(situation.error))
    if found is None or not isinstance(situation.error, TypeError):
        return None
    texts, function = [*map(ast.unparse, node.args)], ast.unparse(node.func)
    named = [ast.unparse(each) for each in node.keywords]
    if len(texts) > 1 and all(text.endswith(ENDINGS) for text in texts):
        rule = _("an optimizer expects all parameters in a single list")
        return rewrite(situation, node, rule, [join_parameters(texts)], named)
    tensors = [situation.tensor_of(each) for each in node.args]
    if function.endswith("DataLoader") and len(texts) > 1 and None not in tensors:
        prefix = function.removesuffix("DataLoader")
        rule = _("a DataLoader expects a single dataset: a TensorDataset combines several tensors")
        return rewrite(situation, node, rule, [f"{prefix}TensorDataset({', '.join(texts)})"], named)
    numbers = [each for each in node.args if type(situation.evaluate(each)) is int]
    if function.endswith("MultiStepLR") and len(numbers) == len(texts) - 1:
        rule = _("the steps at which the learning rate changes must be in a list")
        return rewrite(situation, node, rule, [texts[0], f"[{', '.join(texts[1:])}]"], named)
    if len(tensors) - tensors.count(None) > 1:  # as in `torch.cat(a, b, dim=0)`, for which a search finds the list
        return None
    rule = _("{name} is given twice: by name and by position").format(name=found[1])
    return Explanation("call", (), rule)


def rewrite(situation, node, rule, given, named):
    code = f"{ast.unparse(node.func)}({', '.join([*given, *named])})"
    return explain_replacement(situation, "call", rule, node, code)


def join_parameters(texts):
    """One list of what several models' parameters() give."""
    return f"[{', '.join(f'*{text}' for text in texts)}]"


def explain_parameters_of_several(situation, node):
    """Explain `SGD([a.parameters(), b.parameters()])`."""
    given = node.args[0] if node.args else None
    if not situation.says("optimizer can only optimize Tensors") or not isinstance(given, ast.List):
        return None
    texts = [*map(ast.unparse, given.elts)]
    if len(texts) < 2 or not all(text.endswith(ENDINGS[0]) for text in texts):
        return None
    rule = _("parameters() yields the parameters one by one: a star puts each of them into the list")
    return explain_replacement(situation, "optimizer", rule, given, join_parameters(texts))


def explain_milestones_without_list(situation, node):
    """Explain `MultiStepLR(opt, 10)`."""
    if not situation.says("'int' object is not iterable") or not ast.unparse(node.func).endswith("MultiStepLR"):
        return None
    number = (
        node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "milestones"), None)
    )
    if number is None:
        return None
    rule = _("the steps at which the learning rate changes must be in a list")
    return explain_replacement(situation, "scheduler", rule, number, f"[{ast.unparse(number)}]")


def explain_missing_dim(situation, node):
    """Explain `torch.index_select(x, idx)`: the dimension stands before the indices."""
    if DIM.search(message_of(situation.error)) is None:
        return None
    at = next((n for n, each in enumerate(node.args) if is_indices(situation.tensor_of(each))), None)
    if at is None:
        return None
    texts, named = [*map(ast.unparse, node.args)], [ast.unparse(each) for each in node.keywords]
    index, name = texts[at], ast.unparse(node.func)
    rule = _("{name} expects the dimension before {text}").format(name=name.rpartition(".")[2], text=index)
    code = f"{name}({', '.join([*texts[:at], '0', *texts[at:], *named])})"
    if situation.evaluate(ast.parse(code, mode="eval").body) is None and at == 1 and name == "torch.gather":
        rule = _("gather expects an index for each element of its result; to pick rows, index the tensor")
        code = f"{texts[0]}[{index}]"
    if situation.evaluate(ast.parse(code, mode="eval").body) is None:
        return None
    t = situation.tensor_of(node.args[at])
    return explain_replacement(situation, name, rule, node, code, operands=(operand_of(index, t),))


def is_indices(t):
    return isinstance(t, Tensor) and not t.is_floating_point()


def explain_tensor_for_count(situation, node):
    """Explain `torch.randperm(x)`, `generate_square_subsequent_mask(x)`: a number that a tensor has."""
    name, t = ast.unparse(node.func), situation.tensor_of(node.args[0]) if node.args else None
    if t is None or t.dim() == 0 or not isinstance(situation.error, TypeError):
        return None
    text = ast.unparse(node.args[0])
    if name.endswith("randperm"):
        rule = _("randperm expects the number of elements, but {text} is a tensor").format(text=text)
        return explain_replacement(
            situation, "randperm", rule, node.args[0], f"len({text})", operands=(operand_of(text, t),)
        )
    if name.endswith("generate_square_subsequent_mask") and t.dim() > 1:
        rule = _("{name} expects the number of steps, but {text} is a tensor").format(
            name=name.rpartition(".")[2], text=text
        )
        code = f"{text}.size({1 if t.dim() == 3 or not t.is_floating_point() else 0})"
        return explain_replacement(situation, "mask", rule, node.args[0], code, operands=(operand_of(text, t),))
    return None


def explain_size_for_matrix(situation, node):
    """Explain `torch.eye((3, 3))` and `torch.tril(6)`."""
    name = ast.unparse(node.func)
    if name == "torch.eye" and situation.says("argument 'n'", "must be int, not") and len(node.args) == 1:
        sizes = node.args[0].elts if isinstance(node.args[0], ast.Tuple | ast.List) else ()
        if len(sizes) == 2:
            rule = _("pass the sizes as separate arguments")
            return explain_replacement(situation, "eye", rule, node.args[0], ", ".join(map(ast.unparse, sizes)))
    if name in ("torch.tril", "torch.triu") and situation.says("must be Tensor, not int"):
        text = ast.unparse(node.args[0])
        rule = _("{name} expects a matrix, but {text} is a number").format(name=name, text=text)
        return explain_replacement(situation, name, rule, node.args[0], f"torch.ones({text}, {text})")
    return None


def explain_result_for_function(situation, node):
    """Explain `jacobian(f(x), x)`, where the function itself is wanted; `torch.autograd.grad(f, x)`, where its result is."""
    name = ast.unparse(node.func)
    if name.endswith((".jacobian", ".hessian", ".jvp", ".vjp")) and situation.says("'Tensor' object is not callable"):
        match node.args[0] if node.args else None:
            case ast.Call(func=function, args=[_]):
                text = ast.unparse(function)
                rule = _("{name} calls the function itself: pass {text}, not its result")
                rule = rule.format(name=name.rpartition(".")[2], text=text)
                return explain_replacement(situation, "call", rule, node.args[0], text)
    if name.endswith("autograd.grad") and situation.says("'function' object is not iterable") and len(node.args) > 1:
        function, given = map(ast.unparse, node.args[:2])
        inner = f"({function})" if isinstance(node.args[0], ast.Lambda) else function
        rule = _("grad expects a computed tensor, but {text} is a function").format(text=function)
        return explain_replacement(situation, "grad", rule, node.args[0], f"{inner}({given})")
    return None


def explain_loss_for_closure(situation, node):
    """Explain `opt.step(loss)`, `opt.step(0.1)`, `opt.step(lr=0.1)`."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "step":
        return None
    owner, given = situation.look_up(node.func.value), [*node.args, *(each.value for each in node.keywords)]
    if len(given) != 1 or not hasattr(owner, "param_groups"):
        return None
    if situation.says("'Tensor' object is not callable"):
        rule = _("step takes no loss: backward() has stored the gradients in the parameters")
    elif situation.says("object is not callable") or situation.says("unexpected keyword argument 'lr'"):
        rule = _("step takes no learning rate: the optimizer was made with one")
    else:
        return None
    return explain_replacement(situation, "step", rule, node, f"{ast.unparse(node.func)}()")


def explain_factor_for_function(situation, node):
    """Explain `LambdaLR(opt, 0.9)`."""
    if not situation.says("'float' object is not callable") or not ast.unparse(node.func).endswith("LambdaLR"):
        return None
    if len(node.args) < 2:
        return None
    text = ast.unparse(node.args[1])
    rule = _("LambdaLR expects a function that maps the epoch number to a factor")
    return explain_replacement(situation, "scheduler", rule, node.args[1], f"lambda epoch: {text} ** epoch")


KINDS = (
    explain_several_for_one,
    explain_parameters_of_several,
    explain_milestones_without_list,
    explain_missing_dim,
    explain_tensor_for_count,
    explain_size_for_matrix,
    explain_result_for_function,
    explain_loss_for_closure,
    explain_factor_for_function,
)
