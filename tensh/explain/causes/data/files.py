"""Files that are opened as text, are of another kind than expected, or do not exist."""

import ast
import os

from tensh.explain.model import Explanation
from tensh.explain.situation import first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

MOST_FILES = 2000  # files visited of a folder that is searched


def explain_file(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    node = next((each for each in reversed(path) if isinstance(each, ast.Call)), None)
    if node is None:
        return None
    return first_explanation(
        (
            explain_text_for_bytes,
            explain_array_for_load,
            explain_path_for_model,
            explain_state_for_model,
            explain_misspelt_file,
        ),
        situation,
        node,
    )


def explain_text_for_bytes(situation, node):
    """Explain `open(path, "w")`, and then `torch.save(state, f)`; `open(path)`, and then `torch.load(f)`."""
    is_written = situation.says("write() argument must be str, not bytes")
    name = ast.unparse(node.func).rpartition(".")[2]
    if not is_written and not (name == "load" and isinstance(situation.error, UnicodeDecodeError | TypeError)):
        return None
    tree, given = situation.place.tree(), {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    for call, target in find_opened(tree):
        if target in given:
            mode = "wb" if is_written else "rb"
            if len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
                fit = replace_node(situation.place, call.args[1], f'"{mode}"') if call.args[1].value != mode else None
            else:
                fit = (
                    replace_node(situation.place, call, f'open({ast.unparse(call.args[0])}, "{mode}")')
                    if call.args
                    else None
                )
            rule = _("{function} expects a binary file, but line {line} opens it as text")
            rule = rule.format(function=ast.unparse(node.func), line=call.lineno)
            return Explanation("file", (), rule, (fit,)) if fit else None
    return None


def find_opened(tree):
    """Yield (the call of open, the name that it gives the file to) of a program."""
    for each in ast.walk(tree) if tree else ():
        match each:
            case ast.With(items=items):
                for item in items:
                    match item:
                        case ast.withitem(
                            context_expr=ast.Call(func=ast.Name(id="open")) as call, optional_vars=ast.Name(id=name)
                        ):
                            yield call, name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="open")) as call):
                yield call, name


def explain_array_for_load(situation, node):
    """Explain `torch.load("x.npy")`."""
    if ast.unparse(node.func) != "torch.load" or not node.args or type(situation.error).__name__ != "UnpicklingError":
        return None
    file = situation.evaluate(node.args[0])
    if type(file) is not str or not file.endswith((".npy", ".npz")):
        return None
    text = ast.unparse(node.args[0])
    code = f"torch.from_numpy(np.load({text}))" if file.endswith(".npy") else f"np.load({text})"
    rule = _("a file with this extension holds a NumPy array: read it with np.load")
    fit = replace_node(situation.place, node, code)
    return Explanation("load", (), rule, (fit,) if fit else ())


def explain_path_for_model(situation, node):
    """Explain `net.load("model.pt")` and `net.save_weights("model.pt")`, which models do not have."""
    error = situation.error
    if not isinstance(error, AttributeError) or error.name not in (
        "load",
        "load_weights",
        "save_weights",
        "load_model",
    ):
        return None
    tree, path = situation.place.tree(), situation.place.path()
    call = next((each for each in ast.walk(tree) if isinstance(each, ast.Call) and each.func is path[-1]), None)
    call = node if call is None else call
    if not is_module(error.obj) or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    net, file = ast.unparse(call.func.value), ast.unparse(call.args[0])
    if error.name.startswith("load"):
        code = f"{net}.load_state_dict(torch.load({file}))"
    else:
        code = f"torch.save({net}.state_dict(), {file})"
    rule = _("save the state of a model with torch.save, and read it with torch.load")
    fit = replace_node(situation.place, call, code)
    return Explanation("file", (), rule, (fit,) if fit else ())


def explain_state_for_model(situation, node):
    """Explain `torch.load(path).eval()`, where the file holds the state of a model."""
    error = situation.error
    if not isinstance(error, AttributeError) or type(error.obj).__name__ not in ("OrderedDict", "dict"):
        return None
    path = situation.place.path()
    owner = path[-1].value if path and isinstance(path[-1], ast.Attribute) else None
    is_loaded = isinstance(owner, ast.Call) and ast.unparse(owner.func) == "torch.load"
    made = situation.find_assignment(owner.id) if isinstance(owner, ast.Name) else None
    is_loaded = (
        is_loaded or isinstance(getattr(made, "value", None), ast.Call) and ast.unparse(made.value.func) == "torch.load"
    )
    from tensh.nn import Module

    if not is_loaded or not hasattr(Module, error.name or ""):
        return None
    rule = _("the file holds the state of a model, not the model")
    advice = _("create the model first, then call net.load_state_dict(...) with what was read")
    return Explanation("load", (), rule, (), advice)


def explain_misspelt_file(situation, node):
    """Explain `torch.load("modle.pt")`, where the folder has model.pt, or the same name with another ending."""
    from tensh.support.spelling import close

    file = getattr(situation.error, "filename", None)
    if not isinstance(situation.error, FileNotFoundError) or type(file) is not str:
        return None
    folder, name = os.path.split(file)
    try:
        names = sorted(each for each in os.listdir(folder or ".") if os.path.exists(os.path.join(folder, each)))
    except OSError:
        return None
    if not name or len(names) > MOST_FILES:
        return None
    stem = os.path.splitext(name)[0]
    same = [each for each in names if os.path.splitext(each)[0] == stem]
    meant = same[0] if len(same) == 1 else close(name, names)
    if meant is None:
        return None
    tree = situation.place.tree()
    texts = [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and each.value == file] if tree else []
    rule = _("there is no {name} in the folder, but there is {meant}").format(name=name, meant=meant)
    fits = ()
    if len(texts) == 1:
        fit = replace_node(situation.place, texts[0], repr(os.path.join(folder, meant)).replace("'", '"'))
        fits = (fit,) if fit else ()
    return Explanation("file", (), rule, fits)
