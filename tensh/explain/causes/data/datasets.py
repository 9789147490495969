"""Datasets that say a wrong length, or have no samples."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation
from tensh.explain.source.statements import class_of
from tensh.support.language import _


def explain_dataset(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation((explain_dataset_without_samples, explain_length_beyond_data), situation)


def explain_dataset_without_samples(situation):
    """Explain a Dataset without `__getitem__`."""
    tree = situation.place.tree()
    if not situation.says("Subclasses of Dataset should implement __getitem__") or tree is None:
        return None
    for each in ast.walk(tree):
        if isinstance(each, ast.ClassDef) and is_dataset(each) and find_method(each, "__getitem__") is None:
            rule = _("{name} has no __getitem__, which returns the sample with a given index").format(name=each.name)
            advice = _("define __getitem__(self, index) in {name}, and return the sample").format(name=each.name)
            return Explanation("__getitem__", (), rule, (), advice)
    return None


def is_dataset(definition):
    return any(ast.unparse(base).rpartition(".")[2] == "Dataset" for base in definition.bases)


def find_method(definition, name):
    found = (each for each in definition.body if isinstance(each, ast.FunctionDef) and each.name == name)
    return next(found, None)


def explain_length_beyond_data(situation):
    """Explain `return self.x[index]` of a dataset whose `__len__` says more than there is."""
    scope, path = situation.place.scope(), situation.place.path()
    if not isinstance(situation.error, IndexError) or getattr(scope, "name", None) != "__getitem__" or not path:
        return None
    node = path[-1]
    owner = situation.names.get("self")
    definition = class_of(situation.place, type(owner).__name__)
    length = find_method(definition, "__len__") if definition else None
    match length.body if length else ():
        case [ast.Return(value=value) as last]:
            pass
        case _:
            return None
    if not isinstance(node, ast.Subscript) or not ast.unparse(node.value).startswith("self."):
        return None
    data, text = situation.look_up(node.value), ast.unparse(node.value)
    count = situation.evaluate(value)
    has_length = isinstance(data, Tensor) and data.dim() or type(data) in (list, tuple)
    if not has_length or type(count) is not int or count <= len(data):
        return None
    rule = _("__len__ (line {line}) returns {count}, but {text} has {rows} samples").format(
        line=length.lineno, count=count, text=text, rows=len(data)
    )
    return Explanation("__len__", (), rule, (Fit(f"return len({text})", "", last.lineno),))
