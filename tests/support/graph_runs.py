"""A program with a recorded graph, run on one library."""

import ast
import re

import numpy as np

from tests.support.graph_programs import FUNCTIONS

NO_GRADIENT = {"i", "m", "q"}


SINGLE = re.compile(r"\bf\b|float\(|float32|complex64|half|bfloat16")  # names of lower precision in a program


def values():
    """The leaves as NumPy arrays: the same for every program."""
    normal = np.random.default_rng(5).normal
    shapes = {
        "s": (), "t": (), "u": (3,), "v": (3,), "x": (2, 3), "y": (2, 3), "p": (2, 3), "q": (2, 3), "f": (2, 3),
        "A": (3, 4), "B": (2, 3, 4), "C": (2, 4, 5), "S": (3, 3), "P": (3, 3), "E": (0, 3),
        "image": (1, 2, 5, 5), "kernel": (2, 2, 3, 3), "bias": (2,),
    }  # fmt: skip
    leaves = {name: np.asarray(normal(size=shape)) for name, shape in shapes.items()}
    leaves |= {name: normal(size=(2, 3)) + 1j * normal(size=(2, 3)) for name in "cd"} | {"e": np.array(0.5 - 2j)}
    leaves["p"] = abs(leaves["p"]) + 0.5
    leaves["P"] = leaves["P"] @ leaves["P"].T + 2 * np.eye(3)
    leaves["f"] = leaves["f"].astype(np.float32)
    return leaves | {"i": np.array([2, 0, 2]), "m": np.array([[True, False, True], [False, False, True]])}


LEAVES = values()


class Run:
    """One program on one library."""

    def __init__(self, program, torch):
        self.torch = torch
        leaves = {name: torch.from_numpy(array.copy()) for name, array in LEAVES.items()}
        self.leaves = {name: leaf.requires_grad_() for name, leaf in leaves.items() if name not in NO_GRADIENT}
        self.names = {id(leaf): name for name, leaf in self.leaves.items()}
        scope = {"torch": torch, "grad": self.gradient, **leaves}
        exec(FUNCTIONS, scope)
        *first, last = ast.parse(program).body
        exec(compile(ast.Module(first, []), "program", "exec"), scope)
        self.out = eval(compile(ast.Expression(last.value), "program", "eval"), scope)

    def gradient(self, y, x):
        return self.torch.autograd.grad(y, x, self.weights(y), create_graph=True)[0]

    def weights(self, y, seed=0):
        """A gradient for ``y``: numbers that differ."""
        array = np.asarray(np.random.default_rng(seed).uniform(0.5, 1.5, tuple(y.shape)))
        return self.torch.from_numpy(array).to(y.dtype)

    def tree(self, t):
        """The graph behind a tensor as text: a line for every node, or its number if it has occurred before, and output."""
        lines, seen = [], {}

        def walk(node, output, depth):
            if node is None:
                lines.append(f"{'  ' * depth}None {output}")
                return
            name = node.name()
            if name == "torch::autograd::AccumulateGrad":
                name = f"leaf {self.names.get(id(node.variable))}"
            lines.append(f"{'  ' * depth}{name} {output}" + (f" again {seen[node]}" if node in seen else ""))
            if node not in seen:
                seen[node] = len(seen)
                for child, number in node.next_functions:
                    walk(child, number, depth + 1)

        walk(t.grad_fn, t.output_nr, 0)
        return "\n".join(lines)

    def gradients(self, tensors, seed):
        """The recorded gradient of the sum of all tensors with respect to every leaf; or PyTorch's error."""
        tensors = [t for t in tensors if t is not None and t.requires_grad]
        if not tensors:
            return dict.fromkeys(self.leaves)
        weights = [self.weights(t, seed) for t in tensors]
        leaves = list(self.leaves.values())
        try:
            found = self.torch.autograd.grad(tensors, leaves, weights, create_graph=True, allow_unused=True)
        except RuntimeError as error:
            return str(error)
        return dict(zip(self.leaves, found, strict=True))
