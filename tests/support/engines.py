"""Helpers for tests of distributions: cases that either engine evaluates, and the comparison of results.

A case is an expression with the names of an engine's ``distributions``, ``t`` for a tensor, ``p`` for a parameter whose
gradient is compared, and ``spd`` for positive definite matrices.
"""

import math
import re
import warnings
from importlib import import_module

SEED = 5
FEW = "eye ones zeros inf nan Size tensor float32 float64 cat".split()
# names that are public only in modules of distributions
HIDDEN = {
    "relaxed_bernoulli": "LogitRelaxedBernoulli",
    "relaxed_categorical": "ExpRelaxedCategorical",
    "constraint_registry": "ConstraintRegistry",
}


class Case:
    """A text, evaluated by an engine."""

    def __init__(self, engine, text, dtype="float64"):
        self.engine, self.leaves = engine, []
        self.dtype = getattr(engine, dtype)
        space = engine.distributions
        known = {name: getattr(space, name) for name in space.__all__}
        known |= {name: getattr(import_module(f"{space.__name__}.{module}"), name) for module, name in HIDDEN.items()}
        known |= {name: getattr(engine, name) for name in FEW}
        known |= {"t": self.tensor, "p": self.parameter, "constraints": space.constraints, "spd": self.spd}
        self.names = known | {"torch": engine}
        self.value = self.evaluate(text)

    def evaluate(self, text):
        return eval(text, dict(self.names))

    def tensor(self, values):
        return self.engine.tensor(values, dtype=self.dtype)

    def parameter(self, values):
        self.leaves.append(self.tensor(values).requires_grad_())
        return self.leaves[-1]

    def spd(self, n, *batch):
        """Positive definite matrices, all different."""
        a = self.engine.arange(math.prod(batch) * n * n, dtype=self.dtype).reshape(*batch, n, n).mul(1.7).sin()
        return a @ a.mT + 0.5 * self.engine.eye(n, dtype=self.dtype)


def plain(value):
    """A result of either engine as Python's values."""
    if hasattr(value, "tolist"):
        graph, value = graph_of(value.grad_fn), value.detach()
        return (str(value.dtype).rpartition(".")[2], tuple(value.shape), value.flatten().tolist(), graph)
    if isinstance(value, tuple | list) and not hasattr(value, "numel"):
        return [plain(each) for each in value]
    return value if isinstance(value, bool | int | float | type(None)) else tidy(value)


def graph_of(node, known=None):
    """The names of the nodes behind a node as nested calls; one that occurs again is its number."""
    known = {} if known is None else known
    if node is None:
        return None
    if node in known:
        return known[node]
    known[node] = len(known)
    inputs = ", ".join(str(graph_of(each, known)) for each, _ in node.next_functions)
    return f"{type(node).__name__}({inputs})"


def tidy(text):
    """A text without the engine's name, and with single spaces."""
    text = " ".join(str(text).replace("tensh.", "torch.").split())
    return re.sub(r"torch\.Size\(\[([\d, ]*)\]\)", r"(\1)", text).replace(",)", ")")


def outcome(function, *arguments):
    """Return the result of a call, or its failure."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return plain(function(*arguments))
    except Exception as error:  # any error: the other engine must fail in the same way
        return type(error).__name__, tidy(error)


def close(ours, theirs, tolerance):
    if isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        tolerance = 1e-5 if theirs[:1] == ("float32",) else tolerance
        return len(ours) == len(theirs) and all(close(a, b, tolerance) for a, b in zip(ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, float | int):
        same = ours == theirs or (math.isnan(ours) and math.isnan(theirs))
        return same or math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)
    return ours == theirs


def agree(ours, theirs, what, tolerance=1e-9):
    assert close(ours, theirs, tolerance), f"{what}\ntensh: {ours}\ntorch: {theirs}"


def seeded(case, question):
    case.engine.manual_seed(SEED)
    return case.evaluate(question)


def agree_on(question, cases, text, tolerance=1e-9):
    """Assert that both engines give the same answer from the same seed."""
    agree(*(outcome(seeded, case, question) for case in cases), f"{question} for {text}", tolerance)
