"""Python values around tensors: unpacked shapes, arguments of save, overwritten methods."""

import ast
import inspect
import io

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_value(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (explain_unpacked_shape, explain_exchanged_save, explain_overwritten_method, explain_mode_of_data),
        situation,
        situation.place.node(),
    )


def explain_unpacked_shape(situation, node):
    """Explain `b, n = x.shape` of a tensor that has three dimensions."""
    if not situation.says("values to unpack"):
        return None
    tree, line = situation.place.tree(), situation.place.line
    for each in ast.walk(tree) if tree else ():
        match each:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Attribute(attr="shape", value=owner) as value
            ) if each.lineno == line:
                shape, text = getattr(situation.look_up(owner), "shape", None), ast.unparse(owner)
                if shape is None:
                    return None
                rule = _("{text} has {count} dimensions, {shape}, for {names} names").format(
                    text=text, count=len(shape), shape=[*shape], names=len(targets)
                )
                more = ", ".join([*map(ast.unparse, targets), "*_"])
                fits = (Fit(f"{more} = {ast.unparse(value)}", "", line),) if len(shape) > len(targets) else ()
                return Explanation("shape", (), rule, fits, None if fits else _("use a name for each dimension"))
    return None


def explain_exchanged_save(situation, node):
    """Explain `torch.save("m.pt", net)`."""
    if not situation.says("expected 'f' to be string") or not isinstance(node, ast.Call) or len(node.args) != 2:
        return None
    first, second = map(ast.unparse, node.args)
    value = situation.look_up(node.args[0])
    is_file = type(value) is str or isinstance(value, io.IOBase) or isinstance(node.args[0], ast.Constant)
    if not is_file:
        return None
    fit = replace_node(situation.place, node, f"{ast.unparse(node.func)}({second}, {first})")
    return Explanation("save", (), _("save expects the object first, then the file"), (fit,) if fit else ())


def explain_overwritten_method(situation, node):
    """Explain `net.eval = True`, followed by `net.eval()`."""
    if not situation.says("object is not callable") or not isinstance(node, ast.Call):
        return None
    tree = situation.place.tree()
    owner = situation.look_up(node.func.value) if isinstance(node.func, ast.Attribute) else None
    if not is_module(owner):
        return None
    hidden = [name for name in vars(owner) if callable(inspect.getattr_static(type(owner), name, None))]
    # eval() calls train(), which may be the overwritten one
    texts = [f"{ast.unparse(node.func.value)}.{name}" for name in hidden]
    for each in ast.walk(tree):
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and ast.unparse(each.targets[0]) in texts:
            rule = _("`{code}` on line {line} replaced the method with a value").format(
                code=ast.unparse(each), line=each.lineno
            )
            given = "False" if isinstance(each.value, ast.Constant) and each.value.value is False else ""
            given = given if ast.unparse(each.targets[0]).endswith(".train") else ""
            code = f"{ast.unparse(each.targets[0])}({given})"
            fits = (Fit(code, "", each.lineno),) if isinstance(each.value, ast.Constant) else ()
            return Explanation(
                "call", (), rule, fits, None if fits else _("call the method on line {line}: {text}()").format(line=each.lineno, text=texts[0])
            )  # fmt: skip
    return None


def explain_mode_of_data(situation, node):
    """Explain `net.train(x)`, which switches a mode and computes nothing."""
    if not situation.says("training mode is expected to be boolean") or not isinstance(node, ast.Call):
        return None
    if not isinstance(node.func, ast.Attribute) or not is_module(situation.look_up(node.func.value)):
        return None
    owner = ast.unparse(node.func.value)
    if any(isinstance(each, ast.Constant) for each in (*node.args, *(each.value for each in node.keywords))):
        mode = "eval" if "eval" in ast.unparse(node) else "train"
        rule = _("a model has two modes, train() for training and eval() for using it")
        fit = replace_node(situation.place, node, f"{owner}.{mode}()")
        return Explanation("train", (), rule, (fit,) if fit else ())
    rule = _("{text} switches the mode of the model; pass data to the model itself").format(text=f"{owner}.train()")
    fit = replace_node(situation.place, node.func, owner)
    is_tensor = len(node.args) == 1 and isinstance(situation.tensor_of(node.args[0]), Tensor)
    return Explanation("train", (), rule, (fit,) if fit and is_tensor else ())
