"""Small programs whose results reach their leaves along many paths, for comparing `%why` with backward."""

import numpy as np

import tensh
from tensh.graph.provenance import record_places
from tensh.graph.walk import Graph
from tensh.graph.why import explain

UNARY = "torch.tanh({}) torch.exp(-{}*{}) {}.sin() -{} {}**2 torch.sigmoid({}) {}.sum() {}.mean(0) {}[0]".split()
BINARY = "{}+{} {}*{} {}-{} {}/({}**2+1) torch.maximum({},{})".split()
NEEDS_ROWS = ("[0]", "mean(0)")

normal = np.random.default_rng(3).normal
LEAVES = {name: np.asarray(normal(size=shape)) for name, shape in {"x": (2, 3), "w": (1, 3), "s": ()}.items()}


def chain_program(choose):
    """Lines that compute new names from the leaves, and a scalar y from three of them; ``choose`` takes one of a list."""
    names, lines = [*LEAVES], []
    for number in range(choose(range(2, 9))):
        form = choose(UNARY + BINARY * 2)
        one = choose(names)
        operands = [one] * 2 if form in UNARY else [choose(names) for _ in range(2)]
        if form.endswith(NEEDS_ROWS):
            operands = [choose(["x", "w"])]
        lines.append(f"t{number} = " + form.format(*operands))
        names.append(f"t{number}")
    used = [choose(names[len(LEAVES) :]) for _ in range(3)]
    return [*lines, "y = " + " + ".join(f"{name}.sum()" for name in used)]


def check_paths(lines, leaves):
    """The contributions of the paths add up to the gradient of each leaf, which is returned: name -> array or None."""
    scope = {"torch": tensh, **leaves}
    with record_places():
        exec("\n".join(lines), scope)
    graph = Graph(scope["y"], scope)
    scope["y"].backward(retain_graph=True)
    for leaf in leaves.values():
        if leaf.grad is None:
            assert leaf.node not in graph.numbers
            continue
        found = explain(graph, graph.numbers[leaf.node])
        np.testing.assert_allclose(found.gradient, leaf.grad.array, rtol=1e-10, atol=1e-12)
        total = sum(path.contribution for path in found.paths)
        np.testing.assert_allclose(total, leaf.grad.array, rtol=1e-10, atol=1e-12)
        for path in found.paths:
            if all(step.factor is not None for step in path.steps) and not found.is_by_use:
                np.testing.assert_allclose(np.prod([s.factor for s in path.steps]), path.contribution, rtol=1e-10)
    return {name: None if leaf.grad is None else leaf.grad.array for name, leaf in leaves.items()}
