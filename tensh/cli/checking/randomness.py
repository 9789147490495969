"""Cells that depend on unseeded random numbers."""

import ast
import re
import sys
import types

from tensh.cli.session.sources.source import parse_statements
from tensh.support.language import _

SEEDED = {  # generator -> code that seeds it
    "torch": re.compile(r"\bmanual_seed(?:_all)?\(|\bset_rng_state\("),
    "numpy": re.compile(r"\b(?:np|numpy)\.random\.(?:seed|set_state)\("),
    "random": re.compile(r"(?<![.\w])random\.(?:seed|setstate)\("),
}
WAYS = {"torch": "torch.manual_seed", "numpy": "numpy.random.seed", "random": "random.seed"}
UNINITIALISED = re.compile(
    r"\b(?:torch|np|numpy)\.empty(?:_like|_strided)?\(|\.new_empty\(|\btorch\.(?:Float)?Tensor\(\d"
)
CALLS = re.compile(
    r"(?<![\w.])((?:\w+\.)*(?:rand\w*|normal_?|uniform_?|bernoulli_?|multinomial|poisson|dropout\w*|shuffle|choice\w*|sample|"
    r"gauss|exponential_?|random_|Dropout|Linear|Conv\dd|Embedding|LSTM|GRU|RNN|\w+normal_|\w+uniform_))\("
)


class Randomness:
    """Watches the random number generators while cells run one after another."""

    def __init__(self, engine, namespace, seeded=False):
        self.engine = engine
        self.namespace = namespace
        self.seeded = {*SEEDED} if seeded else set()
        self.names = {}  # names whose values depend on chance -> why
        self.first = None  # the label of the first cell
        self.before = None  # the states of the generators; those after one cell are those before the next

    def begin(self, label):
        """Record the state of the generators before the first cell runs."""
        self.first = self.first or label
        if self.before is None:
            self.before = self.states()

    def end(self, label, code):
        """Return why the output of the cell depends on chance, "" if it does not."""
        after = self.states()
        drawn = [name for name, state in after.items() if state != self.before.get(name, state)]
        self.before = after
        self.seeded |= {name for name, pattern in SEEDED.items() if pattern.search(code)}
        used, made = names_in(code)
        unseeded = [name for name in drawn if name not in self.seeded]
        reason = next((self.names[name] for name in sorted(used) if name in self.names), "")
        if unseeded:
            call = CALLS.search(code)
            where = label if label == self.first else f"{self.first[:-1]}..{label[1:]}"
            reason = _("{call} without {way} in {where}").format(
                call=call[1] if call else _("random numbers"), way=WAYS[unseeded[0]], where=where
            )
        elif UNINITIALISED.search(code):
            reason = _("uninitialised memory, in {label}").format(label=label)
        for name in made:
            self.names.pop(name, None)
        if reason:
            self.names |= dict.fromkeys(filter(self.is_data, used | made), reason)
        return reason

    def is_data(self, name):
        value = self.namespace.get(name, sys)
        return not isinstance(value, types.ModuleType | types.BuiltinFunctionType | type)

    def states(self):
        """Return the state of each generator that has been imported."""
        found = {}
        if self.engine in sys.modules:
            found["torch"] = sys.modules[self.engine].get_rng_state().numpy().tobytes()
        if "numpy.random" in sys.modules:
            state = sys.modules["numpy.random"].get_state(legacy=False)["state"]
            found["numpy"] = state["key"].tobytes(), state["pos"]
        if "random" in sys.modules:
            found["random"] = sys.modules["random"].getstate()
        return found


def names_in(code):
    """Return (names that code reads before it assigns them, names that it assigns)."""
    used, made = set(), set()
    try:
        for statement in parse_statements(code, "<cell>"):
            nodes = [*ast.walk(statement)]
            loaded = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
            used |= loaded - made
            made |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
            made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    except (SyntaxError, ValueError):
        pass  # such code does not run either
    return used, made
