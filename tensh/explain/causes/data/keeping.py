"""Storing values: files in missing folders, copies of tensors with a graph."""

import ast
import os
import re
from pathlib import PurePath

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import message_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _, list_names

MOST = 3  # tensors that are listed


def explain_keeping(situation):
    """Return the Explanation of the first kind that applies."""
    return explain_missing_folder(situation) or explain_copied_graph(situation)


def explain_missing_folder(situation):
    """Explain `torch.save(x, "runs/x.pt")` without a folder runs."""
    folder = find_missing_folder(situation)
    tree, line = situation.place.tree(), situation.place.line
    if not folder or tree is None:
        return None
    node, value = next(find_files(situation, folder), (None, None))
    if node is None:
        return None
    if isinstance(value, PurePath):
        owner = append_to_expression(ast.unparse(node), ".parent")
        return Explanation(
            "save", (), say_missing(folder), (Fit(f"{owner}.mkdir(parents=True, exist_ok=True)", "", line, "before"),)
        )
    code = f'"{folder}"' if isinstance(node, ast.Constant) else f"os.path.dirname({ast.unparse(node)})"
    made = Fit(f"os.makedirs({code}, exist_ok=True)", "", line, "before")
    if "os" not in situation.names:
        first = next((n.lineno for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)), tree.body[0].lineno)
        first = first if first <= line else tree.body[0].lineno
        is_alone = first == line  # as at a prompt, where earlier lines have the imports
        made = (
            made._replace(text=f"import os; {made.text}")
            if is_alone
            else made._replace(more=(Fit("import os", "", first, "before"),))
        )
    return Explanation("save", (), say_missing(folder), (made,))


def say_missing(folder):
    return _("there is no folder {folder}, and writing a file does not create one").format(folder=folder)


def find_missing_folder(situation):
    """Return the missing folder of a file to be written; None if the failure is another one."""
    error = situation.error
    found = re.search(r"Parent directory (.+) does not exist\.", message_of(error))
    if found:
        return found[1]
    name = getattr(error, "filename", None)
    if isinstance(error, FileNotFoundError) and type(name) is str and (folder := os.path.dirname(name)):
        return folder if is_written(situation) and not os.path.isdir(folder) else None
    return None


def is_written(situation):
    """Return True if the failing call opens a file for writing."""
    for node in situation.place.path():
        if isinstance(node, ast.Call):
            word = ast.unparse(node.func).rpartition(".")[2]
            modes = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            return (
                word.startswith(("save", "write", "to_"))
                or word == "open"
                and any(type(each) is str and each[:1] in ("w", "a", "x") and len(each) <= 3 for each in modes)
            )
    return False


def find_files(situation, folder):
    """Yield (code, value) of the path in the failing call."""
    calls = [node for node in situation.place.path() if isinstance(node, ast.Call)]
    arguments = [each for node in calls for each in (*node.args, *(keyword.value for keyword in node.keywords))]
    for each in arguments:
        value = each.value if isinstance(each, ast.Constant) else situation.look_up(each)
        if type(value) is str or isinstance(value, PurePath):
            if os.path.dirname(value) == folder:
                yield each, value
        elif isinstance(each, ast.JoinedStr) or value is None and isinstance(each, ast.BinOp):
            is_path = isinstance(each, ast.BinOp) and isinstance(each.op, ast.Div)
            yield each, PurePath(folder) if is_path else folder


# ── copies ───────────────────────────────────────────────────────────────────
def explain_copied_graph(situation):
    """Explain `copy.deepcopy(y)` of a computed tensor, or of a container with one."""
    path = situation.place.path()
    node = next((each for each in reversed(path) if isinstance(each, ast.Call) and each.args), None)
    if node is None or not situation.says("explicitly by the user (graph leaves) support the deepcopy protocol"):
        return None
    value, text = situation.look_up(node.args[0]), ast.unparse(node.args[0])
    if isinstance(value, Tensor):
        rule = _("deepcopy cannot copy a graph, and {text} has one").format(text=text)
        fit = replace_node(situation.place, node, append_to_expression(text, ".detach().clone()"))
        return Explanation("deepcopy", (), rule, (fit,) if fit else ())
    computed = [*find_computed(value, text)][:MOST]
    if not computed:
        return None
    rule = _("deepcopy cannot copy a graph, and {text} has one").format(text=list_names(computed))
    line, tree = situation.place.line, situation.place.tree()
    if any(f"{each}.backward" in map(ast.unparse, ast.walk(tree)) for each in computed):
        return Explanation(
            "deepcopy", (), rule, (), _("copy {text}, which has no graph").format(text=f"{computed[0]}.detach()")
        )
    code = "; ".join(f"{each} = {each}.detach()" for each in computed)
    return Explanation("deepcopy", (), rule, (Fit(code, "", line, "before"),))


def find_computed(value, text):
    """Yield the texts of the computed tensors in a value."""
    if isinstance(value, Tensor):
        if value.grad_fn is not None:
            yield text
    elif type(value) is dict:
        for key, each in value.items():
            yield from find_computed(each, f"{text}[{key!r}]")
    elif type(value) in (list, tuple):
        for number, each in enumerate(value):
            yield from find_computed(each, f"{text}[{number}]")
    elif is_module(value):
        for name, module in value.named_modules():
            owner = f"{text}.{name}" if name else text
            for key in [key for key in vars(module) if not key.startswith("_")]:
                yield from find_computed(vars(module)[key], f"{owner}.{key}")
