"""Methods of Keras: fit, predict and summary of models, minimize of optimizers."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

LOOP = "for x, y in loader: opt.zero_grad(); loss = loss_fn(net(x), y); loss.backward(); opt.step()"


def explain_keras(situation):
    """Explain methods and arguments of Keras: `net.fit(x, y)`, `opt.minimize(loss)`, `nn.Linear(2, 3, activation="relu")`."""
    node, error = situation.place.node(), situation.error
    if (
        isinstance(error, TypeError)
        and isinstance(node, ast.Call)
        and situation.says("unexpected keyword argument 'activation'")
    ):
        return explain_activation(situation, node)
    if not isinstance(error, AttributeError) or not isinstance(node, ast.Attribute):
        return None
    tree = situation.place.tree()
    call = next((each for each in ast.walk(tree) if isinstance(each, ast.Call) and each.func is node), None)
    given = [ast.unparse(each) for each in call.args] if call is not None else []
    net, word = ast.unparse(node.value), error.name
    if is_module(error.obj) and word in ("predict", "predict_on_batch", "predict_proba") and len(given) == 1:
        rule = _("call a model with its input to get its prediction")
        return explain_renamed(situation, rule, call, f"{net}({given[0]})")
    if is_module(error.obj) and word == "summary" and call is not None:
        rule = _("printing a model lists its layers")
        return explain_renamed(situation, rule, call, f"print({net})")
    if is_module(error.obj) and word in ("fit", "train_on_batch", "fit_generator"):
        rule = _("a torch.nn model has no {word}: you write the training loop yourself").format(word=word)
        return Explanation("model", (), rule, (), LOOP.replace("net", net if net.isidentifier() else "net"))
    if word == "minimize" and hasattr(error.obj, "param_groups") and len(given) == 1:
        rule = _("an optimizer steps along gradients, which backward() computes first")
        line = call.lineno
        more = (Fit(f"{net}.step()", "", line, "after"),)
        fit = replace_node(situation.place, call, f"{given[0]}.backward()")
        return Explanation("optimizer", (), rule, (fit._replace(more=more),) if fit else ())
    return None


def explain_renamed(situation, rule, call, code):
    fit = replace_node(situation.place, call, code)
    return Explanation("model", (), rule, (fit,) if fit else ())


def explain_activation(situation, node):
    """Explain a layer with an activation: they are two layers, one after the other."""
    value = next((each.value for each in node.keywords if each.arg == "activation"), None)
    names = {
        "relu": "ReLU",
        "sigmoid": "Sigmoid",
        "tanh": "Tanh",
        "softmax": "Softmax",
        "gelu": "GELU",
        "elu": "ELU",
        "selu": "SELU",
        "silu": "SiLU",
    }
    word = value.value if isinstance(value, ast.Constant) else None
    function = ast.unparse(node.func)
    if not isinstance(situation.evaluate(node.func), type) or word not in names:
        return None
    rest = [
        ast.unparse(each)
        for each in (*node.args, *node.keywords)
        if not (isinstance(each, ast.keyword) and each.arg == "activation")
    ]
    prefix = function.rpartition(".")[0]
    dot = f"{prefix}." if prefix else ""
    layer = f"{dot}{names[word]}({'dim=-1' * (word == 'softmax')})"
    rule = _("an activation is a separate layer that follows this one")
    inner = f"{function}({', '.join(rest)}), {layer}"
    tree = situation.place.tree()
    is_inside = any(
        isinstance(each, ast.Call) and node in each.args and ast.unparse(each.func).endswith("Sequential")
        for each in ast.walk(tree)
    )
    return explain_renamed(situation, rule, node, inner if is_inside else f"{dot}Sequential({inner})")
