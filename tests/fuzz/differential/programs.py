"""Random programs, drawn by hypothesis from the grammar while PyTorch runs them, so that every hole can match its tensor.

A program is a list of steps, and its text is Python that can be pasted.  Most steps are valid; about one choice in ten
is careless, so that errors occur, too.
"""

import re
from dataclasses import replace

from hypothesis import strategies

from tests.fuzz.differential.grammar import DTYPES, SECTIONS, SHAPES
from tests.fuzz.differential.steps import Program, Step, World

HOLE = re.compile(r"\{(\w+)(?::([\w ]+))?\}")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NAMES = [*LETTERS, *(letter + str(n) for n in range(2, 9) for letter in LETTERS)]
FLOATING = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")


# ── drawing ──────────────────────────────────────────────────────────────────
KINDS = {
    "float": lambda t: t.is_floating_point(),
    "complex": lambda t: t.is_complex(),
    "real": lambda t: not t.is_complex(),
    "some": lambda t: t.ndim >= 1,
    "1d": lambda t: t.ndim == 1,
    "2d": lambda t: t.ndim >= 2,
    "3d": lambda t: t.ndim == 3,
    "matrix": lambda t: t.ndim == 2,
    "requires": lambda t: t.requires_grad,
    "indices": lambda t: name_of(t.dtype) == "int64" and small(t),
    "small": lambda t: small(t),
    "dense": lambda t: t.is_contiguous(),
    "number": lambda t: name_of(t.dtype) != "bool",
    "free": lambda t: not (t.requires_grad and is_leaf(t)) and not t.retains_grad,
    "wide": lambda t: t.is_floating_point() and t.element_size() > 2,
    "filled": lambda t: t.numel() > 0,
    "finite": lambda t: bool(t.detach().isfinite().all()),
    "laid": lambda t: t.numel() > 0,
    "tame": lambda t: not t.is_complex() or bool(t.detach().isfinite().all()),
    "calm": lambda t: t.numel() < 8 or not bool(t.detach().isnan().any()),
    "definite": lambda t: not bool(t.detach().isnan().any()),
    "bounded": lambda t: not bool(t.detach().isinf().any()),
    "unexpanded": lambda t: 0 not in t.stride(),
    "exact": lambda t: not t.is_complex(),
    "kept": lambda t: not t.requires_grad,
    "stepped": lambda t: t.numel() > 0 and 1 not in t.shape,
}
"""Properties of tensors that the grammar asks for."""

# properties of careless choices, too, because PyTorch leaves the results for other tensors undefined
ALWAYS = {
    "laid",
    "tame",
    "wide",
    "calm",
    "definite",
    "bounded",
    "unexpanded",
    "stepped",
    "dense",
    "exact",
    "kept",
}

FINITE = {"finite", "calm", "definite", "bounded"}  # properties of every new tensor of finite numbers

HOLES = {}


def hole(function):
    """Fill the hole of the function's name with its result."""
    HOLES[function.__name__] = function
    return function


def small(t):
    """Return True if every dtype can hold the values of ``t``."""
    t = t.detach()  # which also works for a view that may not be used any more
    values = (t.real if t.is_complex() else t).double()
    return bool(((values >= 0) & (values <= 100)).all())


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


def is_leaf(t):
    """Return True if ``t`` is a leaf.  A view that must no longer be used is no leaf."""
    try:
        return t.is_leaf
    except RuntimeError:
        return False


class Filler:
    """The choices for one step."""

    def __init__(self, draw, world):
        self.draw, self.world, self.a, self.name, self.fresh = draw, world, None, None, []
        self.dims = []

    def number(self, low, high):
        return self.draw(strategies.integers(low, high)) if low < high else low

    def pick(self, options):
        options = list(options)
        return options[self.number(0, len(options) - 1)]

    def weighted(self, table):
        return self.pick([key for key, times in table.items() for _ in range(times)])

    def chance(self, one_in):
        return self.number(0, one_in - 1) == one_in - 1

    def wants(self):
        """Choose whether a new tensor requires grad."""
        return self.chance(3)

    @property
    def size(self):
        """The size of the dimension chosen last."""
        shape = self.a.shape
        return shape[self.dims[-1]] if self.dims and -len(shape) <= self.dims[-1] < len(shape) else 1

    def step(self, template):
        kinds = next((kinds for name, kinds in HOLE.findall(template) if name == "a"), "")
        self.name = self.suitable(kinds.split())
        self.a = self.world.tensors[self.name]
        text = HOLE.sub(lambda found: str(self.name if found[1] == "a" else HOLES[found[1]](self)), template)
        return Step(text, (), template, "{a:free" in template or not self.chance(20))

    def suitable(self, kinds):
        """The name of a tensor with these properties, often the newest; a new one if there is none."""
        tensors = self.world.tensors
        names = [n for n, t in reversed(tensors.items()) if all(KINDS[kind](t) for kind in kinds)]
        if self.chance(12):
            names = [n for n, t in tensors.items() if all(KINDS[kind](t) for kind in ALWAYS.intersection(kinds))]
        if not names:
            return self.make(kinds)
        return names[0] if self.chance(3) else self.pick(names)

    def make(self, kinds):
        """A new leaf with these properties, bound in the world."""
        named = [d for d in DTYPES if not any(k in kinds and d not in only for k, only in SUITED.items())]
        dtype = self.weighted({d: DTYPES[d] for d in named} or {"float32": 1})
        least = next((n for n, k in ((3, "3d"), (2, "2d"), (2, "matrix"), (1, "1d"), (1, "some")) if k in kinds), 0)
        most = next((n for n, k in ((3, "3d"), (2, "matrix"), (1, "1d")) if k in kinds), 4)
        shape = self.weighted({s: n for s, n in SHAPES.items() if least <= len(s) <= most})
        requires = "requires" in kinds or not self.chance(3)
        step = Step(
            self.literal(shape, dtype, requires, finite=not FINITE.isdisjoint(kinds)),
            (NAMES[len(self.world.names) - 1],),
            "leaf",
        )
        self.world.take(step)
        self.fresh.append(step)
        return step.targets[0]

    def literal(self, shape, dtype, requires=False, positive=False, finite=False):
        """The text of a new tensor."""
        wants = ", requires_grad=True" if requires and dtype in (*FLOATING, *COMPLEX) else ""
        numbers = 1
        for n in shape:
            numbers *= n
        if not numbers:
            return f"torch.zeros({list(shape)}, dtype=torch.{dtype}{wants})"
        seed = self.number(0, 20)
        values = [plain_value(n * 7 + seed * 5, dtype, positive) for n in range(numbers)]
        infinite = not positive and not finite and (self.a is None or not self.a.is_complex())
        if dtype in FLOATING and infinite and self.chance(15):
            values[self.number(0, numbers - 1)] = self.pick(["float('nan')", "float('inf')", "-float('inf')", "-0.0"])
        return f"torch.tensor({nested(values, shape)}, dtype=torch.{dtype}{wants})"

    def indices(self, shape, size):
        """The text of a tensor of positions in a dimension, some of which may be outside."""
        if 0 in shape:
            return f"torch.zeros({list(shape)}, dtype=torch.int64)"
        numbers = 1
        for n in shape:
            numbers *= n
        values = [self.number(0, max(size - 1, 0)) for _ in range(numbers)]
        if self.chance(25):
            values[0] = size + 1
        return f"torch.tensor({nested(values, shape)})"


SUITED = {
    "float": FLOATING,
    "complex": COMPLEX,
    "wide": ("float32", "float64"),
    "requires": (*FLOATING, *COMPLEX),
    "indices": ("int64",),
    "real": (*FLOATING, "int64", "int32", "uint8", "int16", "int8"),
    "small": ("bool", "uint8"),
}


def plain_value(n, dtype, positive):
    """The ``n``-th value of a new tensor: a number that every dtype of its kind holds."""
    number = n % 17 - 8
    if dtype == "bool":
        return n % 3 == 0
    if dtype == "uint8" or dtype == "int64" and positive:
        return n % 7
    if "int" in dtype:
        return number // 2
    if dtype in COMPLEX:
        return complex(number / 4, (n * 3 % 11 - 5) / 2)
    return (abs(number) + 1 if positive else number) / 4


def nested(values, shape):
    """The values as the text of nested lists."""
    if not shape:
        return str(values[0])
    if len(shape) == 1:
        return f"[{', '.join(map(str, values))}]"
    part = len(values) // shape[0]
    return f"[{', '.join(nested(values[i * part : (i + 1) * part], shape[1:]) for i in range(shape[0]))}]"


# ── programs ─────────────────────────────────────────────────────────────────
@strategies.composite
def programs(draw, oracle, most=12):
    """A program of 1 to ``most`` steps on one to three leaves."""
    world, steps = World(oracle), []
    start = Filler(draw, world)
    for _ in range(start.number(1, 3)):
        start.make([])
    steps += start.fresh
    for _ in range(start.number(1, most)):
        filler = Filler(draw, world)
        lines = filler.pick([lines for weight, lines in SECTIONS.values() for _ in range(weight)])
        step = filler.step(filler.pick(lines))
        steps += [*filler.fresh, taken(world, step)]
    return Program((*steps, *ending(world)))


def taken(world, step):
    """The step after PyTorch has run it, with names for its new tensors, marked if it fails."""
    known = list(world.tensors.values())
    try:
        value = world.take(step)
    except Exception:  # every kind of failure is an outcome
        return replace(step, fails=True)
    new = NAMES[len(world.names) - 1 :]
    if isinstance(value, world.module.Tensor) and not any(value is t for t in known):
        step = replace(step, targets=(new[0],))
    elif isinstance(value, (tuple, list)) and 2 <= len(value) <= 3 and isinstance(value[0], world.module.Tensor):
        step = replace(step, targets=tuple(new[: len(value)]))
    world.bind(step.targets, value)
    return step


def ending(world):
    """Steps that compute first and second gradients of all results."""
    tensors = {n: t for n, t in world.tensors.items() if t.requires_grad and t.numel()}
    leaves = [n for n, t in tensors.items() if is_leaf(t)]
    computed = [n for n in tensors if n not in leaves]
    if not leaves or not computed:
        return []
    terms = " + ".join(
        f"({n}.abs().double() * {1 + i / 4}).sum()"
        if tensors[n].is_complex()
        else f"({n}.double() * {1 + i / 4}).sum()"
        for i, n in enumerate(computed)
    )
    grads = [f"g{n}" for n in range(len(leaves))]
    wanted = f"[{', '.join(leaves)}]"
    steps = [
        Step(f"torch.autograd.grad({terms}, {wanted}, create_graph=True, allow_unused=True)", tuple(grads), "first")
    ]
    steps = [taken_as(world, steps[0])]
    recorded = [
        g for g in grads if isinstance(world.names.get(g), world.module.Tensor) and world.names[g].requires_grad
    ]
    if recorded:
        second = " + ".join(f"{g}.abs().double().square().sum()" for g in recorded)
        steps.append(taken_as(world, Step(f"torch.autograd.grad({second}, {wanted}, allow_unused=True)", (), "second")))
    return steps


def taken_as(world, step):
    try:
        world.take(step)
    except Exception:
        return replace(step, fails=True)
    return step
