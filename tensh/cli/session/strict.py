"""`--strict`: drawing unseeded random numbers is an error, reported on the line of the first draw."""

import contextlib
import functools
import importlib
import sys

from tensh.support.language import _

SEEDS = {  # generator -> functions that seed it, and an example
    "torch": (("manual_seed", "set_rng_state"), "torch.manual_seed(0)"),
    "numpy.random": (("seed", "set_state"), "numpy.random.seed(0)"),
    "random": (("seed", "setstate"), "random.seed(0)"),
}


class Unseeded(RuntimeError):
    """Raised when a program draws random numbers that differ in every run."""

    def __init__(self, way):
        super().__init__(
            _("unseeded random numbers differ in every run: {way} makes them reproducible (--strict)").format(way=way)
        )


def refuse_unseeded(name):
    """Return the error for a draw from a global generator."""
    return Unseeded(_("{seeds} before them").format(seeds=SEEDS[name][1]))


class Strict(contextlib.ExitStack):
    """A context in which unseeded draws fail: tensh's at once, others' in `find_unseeded_draw` afterwards."""

    def __init__(self, session):
        super().__init__()
        self.session = session
        self.engine = session.engine
        self.before = {}  # unseeded generator -> its state

    def __enter__(self):
        for name in SEEDS:
            if name != "torch" or self.engine == "torch":
                self.watch(name)
        if self.engine == "tensh":
            self.refuse(importlib.import_module("tensh.engine.random.generator"))
        self.session.find_unseeded_draw = self.find_unseeded_draw
        return self

    def replace(self, owner, name, function):
        """Replace a function until the context ends."""
        self.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, function)

    def refuse(self, module):
        """Make the first draw after automatic seeding raise."""
        kind, by_chance = module.Generator, set()
        touch, seed, looked_at = kind._touch, kind.seed, kind._seed_state.__code__

        def refusing(generator):
            if generator.first_seed in by_chance and sys._getframe(1).f_code is not looked_at:
                raise refuse_unseeded("torch")
            touch(generator)

        def seeded_by_chance(generator):
            by_chance.add(seed(generator))
            return generator.first_seed

        self.replace(kind, "_touch", refusing)
        self.replace(kind, "seed", seeded_by_chance)
        module.default_generator.seed()

    # ── other generators ─────────────────────────────────────────────────────────

    def watch(self, name):
        """Record the state of a generator until it is seeded."""
        module = importlib.import_module(name)
        self.before[name] = state(name)
        for each in SEEDS[name][0]:
            self.replace(module, each, self.noticing(name, getattr(module, each)))
        if name == "numpy.random":
            self.replace(module, "default_rng", require_seed(module.default_rng))

    def noticing(self, name, function):
        @functools.wraps(function)
        def seeded(*given, **named):
            if any(each is not None for each in [*given, *named.values()]):
                self.before.pop(name, None)
            return function(*given, **named)

        return seeded

    def find_unseeded_draw(self):
        """Return the error of the statement that has just run if it drew from an unseeded generator, else None."""
        for name, before in self.before.items():
            self.before[name] = state(name)
            if self.before[name] != before:
                return refuse_unseeded(name)
        return None


def require_seed(default_rng):
    """Wrap NumPy's default_rng to require a seed."""

    @functools.wraps(default_rng)
    def seeded(seed=None):
        if seed is None:
            raise Unseeded(_("a seed, as in numpy.random.default_rng(0),"))
        return default_rng(seed)

    return seeded


def state(name):
    """Return the state of a generator."""
    module = sys.modules[name]
    if name == "torch":
        return module.get_rng_state().numpy().tobytes()
    if name == "random":
        return module.getstate()
    found = module.get_state(legacy=False)["state"]
    return found["key"].tobytes(), found["pos"]
