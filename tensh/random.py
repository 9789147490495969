"""torch.random: the seed and the state of the default generator."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.engine.operators.random.composites.drawing import (
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    thread_safe_generator,
)
from tensh.engine.random.generator import default_generator  # noqa: F401

__all__ = [
    "set_rng_state",
    "get_rng_state",
    "manual_seed",
    "seed",
    "initial_seed",
    "fork_rng",
    "thread_safe_generator",
]

for _name in __all__:
    globals()[_name].__module__ = "torch.random"

__getattr__ = unsupported_lookup("torch.random")
