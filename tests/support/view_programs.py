"""Random programs of views, writes and arithmetic, as data that two modules run.

A program is a list of steps; a step names an entry of VIEWS, WRITES or SUMS and its tensors, numbered modulo the number of
tensors so far. ``run`` yields the visible state of all tensors after every step, and at the end the first and
second gradients of the leaves.
"""

import random
import warnings

import numpy as np

SHAPES = [(), (1,), (3,), (2, 3), (2, 2), (1, 4), (4, 1), (2, 3, 2), (2, 1, 3)]

VIEWS = [
    lambda t, d: t.view(-1), lambda t, d: t.reshape(1, -1), lambda t, d: t.t(), lambda t, d: t.transpose(d, 0),
    lambda t, d: t.unsqueeze(d), lambda t, d: t.squeeze(), lambda t, d: t.squeeze(d), lambda t, d: t[...],
    lambda t, d: t.flatten(), lambda t, d: t.expand(2, *t.shape), lambda t, d: t.ravel(), lambda t, d: t.mT,
    lambda t, d: t.detach(), lambda t, d: t[None], lambda t, d: t.movedim(d, -1), lambda t, d: t.select(d, 0),
    lambda t, d: t[0], lambda t, d: t[:, 1:], lambda t, d: t[1:], lambda t, d: t[::2], lambda t, d: t[-1:],
    lambda t, d: t.narrow(d, 0, 1), lambda t, d: t.diagonal(), lambda t, d: t.unfold(d, 1, 1),
    lambda t, d: t.chunk(2, d)[0], lambda t, d: t.split(1, d)[-1], lambda t, d: t.unbind(d)[0], lambda t, d: t[:, 0],
    lambda t, d: t[0, 0], lambda t, d: t[..., 0], lambda t, d: t[:, None], lambda t, d: t.tensor_split(2, d)[0],
    lambda t, d: t.contiguous(), lambda t, d: t[:], lambda t, d: t.permute(tuple(range(t.ndim))[::-1]),
]  # fmt: skip

WRITES = [
    lambda m, a, b: a.mul_(2.0), lambda m, a, b: a.add_(b), lambda m, a, b: a.mul_(b), lambda m, a, b: a.zero_(),
    lambda m, a, b: a.fill_(3.0), lambda m, a, b: a.copy_(b), lambda m, a, b: a.neg_(), lambda m, a, b: a.sub_(1.0),
    lambda m, a, b: a.__setitem__(0, 5.0), lambda m, a, b: a.__setitem__(0, b),
    lambda m, a, b: a.__setitem__(slice(1, None), b), lambda m, a, b: a.__setitem__(..., b),
    lambda m, a, b: a.__setitem__(m.tensor([0]), 2.0), lambda m, a, b: a.__setitem__(a > 0, 1.0),
    lambda m, a, b: a.__setitem__((slice(None), 0), b), lambda m, a, b: a.index_fill_(0, m.tensor([0]), 7.0),
    lambda m, a, b: a.index_add_(0, m.tensor([0, 0]), m.ones(2, *a.shape[1:], dtype=m.float64)),
    lambda m, a, b: a.select(0, 0).mul_(3.0), lambda m, a, b: a[0].add_(1.0),
    lambda m, a, b: a.scatter_(0, m.zeros(a.shape, dtype=m.int64), 4.0), lambda m, a, b: a.t().mul_(2.0),
    lambda m, a, b: a.view(-1).mul_(2.0),
]  # fmt: skip

SUMS = [
    lambda m, a, b: a * 2.0, lambda m, a, b: a * b, lambda m, a, b: a + b, lambda m, a, b: a * a, lambda m, a, b: a.clone(),
    lambda m, a, b: a.sum(), lambda m, a, b: a.t_(), lambda m, a, b: a.unsqueeze_(0), lambda m, a, b: a.squeeze_(), lambda m, a, b: m.cat([a, a]), lambda m, a, b: m.stack([a, b]),
]  # fmt: skip


def program(seed, steps=8):
    """A random program."""
    rng = random.Random(seed)
    made = [("new", rng.choice(SHAPES), rng.random() < 0.6, rng.randrange(100)) for _ in range(rng.randint(1, 3))]
    for _ in range(steps):
        kind = rng.choices(("view", "write", "sum", "no_grad"), (45, 35, 15, 5))[0]
        made.append((kind, rng.randrange(10**4), rng.randrange(10**4), rng.randrange(10**4), rng.randint(-2, 1)))
    return made


class World:
    """The run of a program on one module."""

    def __init__(self, m):
        self.m, self.tensors, self.leaves = m, [], []

    def step(self, kind, *given):
        if kind == "new":
            shape, wants, seed = given
            t = self.m.tensor(np.random.RandomState(seed).randint(-4, 5, shape).astype(np.float64))
            if wants:
                self.leaves.append(t.requires_grad_())
            return self.keep(t)
        first, second, which, dim = given
        a, b = (self.tensors[i % len(self.tensors)] for i in (first, second))
        if kind == "write" and np.may_share_memory(*(t.detach().numpy() for t in (a, b))):
            return None  # PyTorch reads elements that it has just written, or refuses
        if kind == "no_grad":
            with self.m.no_grad():
                return self.step("view" if which % 2 else "write", first, second, which, dim)
        if kind == "view":
            return self.keep(VIEWS[which % len(VIEWS)](a, dim))
        return self.keep(
            (WRITES if kind == "write" else SUMS)[which % len(WRITES if kind == "write" else SUMS)](self.m, a, b)
        )

    def keep(self, t):
        if t is not None and all(t is not known for known in self.tensors):
            self.tensors.append(t)

    def seen(self):
        """Return the visible state of all tensors."""
        return [facts(t) for t in self.tensors]

    def gradients(self):
        """First and second gradients, or their errors."""
        m, total = self.m, 0.0
        try:
            for number, t in enumerate(self.tensors):
                if t.requires_grad:
                    total = total + (t * (number + 1.0)).sum()
            if not self.leaves or not isinstance(total, m.Tensor):
                return None
            first = m.autograd.grad(total, self.leaves, create_graph=True, allow_unused=True)
            recorded = [g for g in first if g is not None and g.requires_grad]
            second = (
                m.autograd.grad(sum((g * g).sum() for g in recorded), self.leaves, allow_unused=True)
                if recorded
                else ()
            )
            return [[None if g is None else g.detach().tolist() for g in gs] for gs in (first, second)]
        except RuntimeError as error:
            return str(error)[:70]


def facts(t):
    """Shape, strides, values and history of a tensor."""
    try:
        history = graph(t.grad_fn)
    except RuntimeError as error:
        history = str(error)
    steps = None
    if t.numel() and t._is_view():
        steps = [step for step, n in zip(t.stride(), t.shape, strict=True) if n != 1]
    return [tuple(t.shape), steps, t.detach().tolist(), t.requires_grad, t._version, t._is_view(), history]


def graph(node, depth=6):
    """The recorded graph behind a node, as text."""
    if node is None or not depth:
        return str(node and "...")
    inputs = [f"{graph(n, depth - 1)}:{i}" for n, i in node.next_functions]
    return f"{node.name()}({', '.join(inputs)})"


def run(m, steps):
    """Yield the visible state after every step, then the gradients."""
    world = World(m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in steps:
            try:
                world.step(*step)
                failure = None
            except (RuntimeError, IndexError, ValueError, TypeError) as error:
                failure = [type(error).__name__, str(error)]
            yield failure, world.seen()
        yield None, world.gradients()
