"""The formulas that a graph shows, with the user's names in them: evaluated in these names they are what each node sends."""

import linecache
import re

import numpy as np
import pytest

import tensh as torch
from tensh.graph.formulas import Gradient
from tensh.graph.provenance import record_places
from tensh.graph.steps import steps
from tensh.graph.walk import Graph
from tensh.nn import functional as F
from tests.support.textbook import WORDS, evaluate, fit, onehot

BEGIN = """
x = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
w = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
b = torch.randn(4, dtype=torch.float64, requires_grad=True)
t = torch.tensor([0, 1, 2, 3, 0, 1])
z = F.linear(x, w, b)
"""
LAYERS = {
    "linear": "net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4)).double()",
    "batch norm": "net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU()).double()",
    "layer norm": "net = nn.Sequential(nn.LayerNorm(3), nn.Linear(3, 4, bias=False), nn.GELU()).double()",
    "group norm": "net = nn.Sequential(nn.Linear(3, 4), nn.GroupNorm(2, 4), nn.ELU(0.7)).double()",
    "slopes": "net = nn.Sequential(nn.Linear(3, 4), nn.PReLU(4), nn.Softplus(2.0), nn.LogSoftmax(1)).double()",
    "rms norm": "net = nn.Sequential(nn.Linear(3, 4), nn.RMSNorm(4), nn.SiLU(), nn.LeakyReLU(0.2)).double()",
}  # fmt: skip
"""Models from [6, 3] to [6, 4], whose layers are named by their paths."""
PROGRAMS = {
    "cross_entropy": "loss = F.cross_entropy(z, t)",
    "summed cross_entropy": "loss = F.cross_entropy(z, t, reduction='sum') / 2",
    "keywords": "loss = F.cross_entropy(target=t, input=z) * 3",
    "softmax": "p = torch.softmax(z, dim=1)\nloss = (p * z).sum()",
    "log_softmax": "p = z.log_softmax(1)\nloss = p.square().mean()",
    **{
        f"{name} in a model": f"{made}\np = net(x)\nloss = nn.MSELoss(reduction='sum')(p, torch.ones(6, 4).double())"
        for name, made in LAYERS.items()
    },
    "criterion": "criterion = nn.CrossEntropyLoss(label_smoothing=0.1)\nloss = criterion(z, t)",
    "squares": "loss = F.mse_loss(z, torch.ones(6, 4).double())",
    "tanh": "h = torch.tanh(z)\nloss = (h ** 3).mean(1).sum()",
    "quotient": "q = z / (1 + z ** 2)\nloss = q.sum()",
    "product": "m = x @ w.T\ny = m + b\nloss = (y * m).sum()",
    "norm": "n = F.layer_norm(z, (4,), b)\nloss = (n * z).sum()",
    "variance": "v = z.var(1)\nloss = v.sum()",
    "deviation": "v = z.std(dim=0, keepdim=True)\nloss = (v * z).sum()",
    "maximum": "v = torch.maximum(z, b)\nloss = v.exp().sum()",
    "silu": "s = F.silu(z)\nloss = s.sum()",
    "normalize": "u = F.normalize(z, dim=1)\nloss = (u * b).sum()",
    "logsumexp": "l = torch.logsumexp(z, 1, keepdim=True)\nloss = l.sum()",
    "kl": "p = F.log_softmax(z, 1)\nloss = F.kl_div(p, torch.full((6, 4), 0.25).double(), reduction='batchmean')",
    "number in front": "h = 0.5 * z\nloss = (3 * (2 + h).exp()).sum()",
    "number in front of a call": "loss = 0.1 * z.pow(2).sum()",
    "name in front": "rate = 0.3\nh = rate * z\nloss = (h * h).sum()",
    "number divided": "h = 1 + z ** 2\nq = 2 / h\nloss = q.sum()",
    "name divided": "rate = 0.3\nh = 1 + z ** 2\nq = rate / h\nloss = q.sum()",
    "number to a power": "h = 2 ** z\nloss = (1 - h).sum()",
    "negative number in front": "h = -0.5 * z.tanh()\nloss = h.sum()",
    "attention": "a = F.scaled_dot_product_attention(z, z * 2, z * 3)\nloss = (a * z).sum()",
}  # fmt: skip


def run(program, name):
    """The names that a program leaves behind."""
    torch.manual_seed(3)
    namespace = {"torch": torch, "F": F, "nn": torch.nn}
    filename = f"<program {name}>"
    text = BEGIN + program + "\n"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    with record_places():
        exec(compile(text, filename, "exec"), namespace)
    return namespace


def plain(text):
    """A printed formula in a form that can be evaluated."""
    for shown, meant in (("²", "**2"), ("³", "**3"), ("≥", ">="), ("≤", "<="), ("≠", "!="), ("π", "pi")):
        text = text.replace(shown, meant)
    return re.sub(r", summed to \[.*\]$", "", text)


def resolve_paths(formula, namespace):
    """Return (the formula with identifiers for paths such as ``net.0.weight``, path -> value of parameters and results)."""
    if "net" not in namespace:
        return formula, {}
    values = {f"net.{name}": p for name, p in namespace["net"].named_parameters()}
    h = namespace.get("v", namespace["x"])
    for name, layer in namespace["net"].named_children():
        h = values[f"net.{name}"] = layer(h)
    text, *parts = (
        re.sub(r"\bnet(?:\.(?!T\b)\w+)+", lambda found: found[0].replace(".", "_"), each)
        for each in (formula.text, *formula.parts)
    )
    return Gradient(text, tuple(parts)), {path.replace(".", "_"): value.detach() for path, value in values.items()}


def value_of(formula, namespace, result, g):
    values = {
        k: v.detach() if isinstance(v, torch.Tensor) else v for k, v in namespace.items() if not k.startswith("__")
    }
    values |= {"g": g, "onehot": lambda target: onehot(target, 4, -100), "F": F, "torch": torch}
    values["y"] = values.get("y", result)
    for part in formula.parts:
        target, _, text = plain(part).partition(" = ")
        values[target] = evaluate(text, values)
    return evaluate(plain(formula.text), values)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_node_sends_is_its_formula_in_the_names_of_the_program(name):
    namespace = run(PROGRAMS[name], name)
    graph = Graph(namespace["loss"], namespace)
    checked = 0
    for step in steps(graph):
        node = graph[step.node]
        for sent in step.sent:
            assert isinstance(sent.formula, Gradient), f"{node.title} to {graph[sent.operand].short}"
            g = torch.tensor(step.arrived)
            formula, paths = resolve_paths(sent.formula, namespace)
            if namespace_has(formula, namespace | paths):
                g = (
                    g
                    if node.dtype is None or g.ndim == len(graph[sent.operand].shape)
                    else keep_dims(g, graph[sent.operand].shape)
                )
                found = value_of(formula, namespace | paths, node.value, g)
                found = fit(found, torch.empty(graph[sent.operand].shape))
                assert np.allclose(found.numpy(), sent.gradient), f"{node.title}: {sent.formula.line}"
                checked += 1
    assert checked


def keep_dims(g, shape):
    """The gradient of a reduction, as wide as its operand."""
    return g.reshape(*g.shape, *[1] * (len(shape) - g.ndim)) if g.shape == shape[: g.ndim] else g


def namespace_has(formula, namespace):
    """Return True if all names of a formula are those of the program, or words."""
    names = set(re.findall(r"(?<![\w.'])[a-zA-Z_]\w*", plain(formula.line)))
    parts = {name for part in formula.parts for name in part.partition(" = ")[0].split(", ")}
    return all(
        n in namespace or n in WORDS or n in parts or n in {"g", "onehot", "y"} or hasattr(torch, n) for n in names
    )


def test_the_input_of_a_layer_has_its_name_where_the_node_has_saved_it():
    namespace = run(
        "net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())\nv = torch.ones(5, 3)\nloss = net(v).sum()", "layers"
    )
    shown = [(graph_title, sent.formula.text) for graph_title, sent in sent_by(namespace)]
    assert shown == [
        ("net(v).sum()", "1"),
        ("net.1 (Tanh)", "g * (1 - net.1²)"),
        ("net.0 (Linear)", "g, summed to [2]"),
        ("net.0 (Linear)", "g.T @ v"),
    ]


def sent_by(namespace):
    """Return (title of a node, its gradients) of a backward pass."""
    graph = Graph(namespace["loss"], namespace)
    return [(graph[step.node].label, sent) for step in steps(graph) for sent in step.sent]
