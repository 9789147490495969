"""The parts of tensh that programs see as torch, and the names of modules under either name."""

import os
import sys
from functools import cache

NAME = "torch"
ROOT = os.path.dirname(os.path.dirname(__file__))
DICT = type(sys).__dict__["__dict__"]  # the dictionary of a module, even if ``vars`` would load all names
OWN = "_aten alias cli engine explain functorch graph show support switched_off tracing __main__".split()
"""Parts of tensh without a counterpart in PyTorch (functorch is a package beside torch there)."""
KEPT = tuple(
    f"tensh.{each}"
    for each in """nn.modules. nn.parameter nn.utils.rnn torch_version utils.safetensors utils.data.spawning utils.data.workers
    utils.data.serving utils.data.transport utils.data.fetch utils.data.iterating""".split()
)
"""Modules that keep their name: their classes name themselves, or worker processes need them before this finder."""
ONE_FILE = """
    _utils distributions.constraints distributions.transforms distributions.kl optim.lr_scheduler serialization
    utils.checkpoint
""".split()
"""Packages of tensh that are a single file in PyTorch."""
IN_FILE = {
    "_subclasses.absence": "_subclasses.fake_tensor", "amp.custom": "amp.autocast_mode", "amp.regions": "amp.autocast_mode",
    "amp.scaler": "amp.grad_scaler", "autograd.jacobians": "autograd.functional", "autograd.products": "autograd.functional", "autograd.multihook": "autograd.graph",
    "autograd.saving": "autograd.graph", "nn.attention.block_mask": "nn.attention.flex_attention", "nn.utils.weight_norms": "nn.utils.weight_norm", "nn.utils.spectral_norms": "nn.utils.spectral_norm", "fx.arguments": "fx._symbolic_trace", "fx.codegen": "fx.graph", "fx.tracer": "fx._symbolic_trace",
    "fx.wrapping": "fx._symbolic_trace", "nn.utils.pruning": "nn.utils.prune", "optim.adafactor": "optim", "optim.muon": "optim",
    "optim.swapping": "optim", "testing.comparing": "testing._comparison", "testing.making": "testing._creation",
    "masked.along": "masked._ops", "masked.reductions": "masked._ops", "nested.creation": "nested", "optim.hooks": "optim.optimizer", "utils.data.worker_info": "utils.data._utils.worker", "utils.swapping": "utils",
}  # fmt: skip
"""Module of tensh -> the module of PyTorch with the same contents, if its name differs."""


def own_name(module):
    """Return the name of a module in tensh: ``tensh.nn`` also if it is called ``torch.nn``; other names unchanged."""
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    return name.replace("torch", "tensh", 1) if name.startswith("torch") and file.startswith(ROOT) else name


def own_dict(module):
    """Return the dictionary of a module unchanged, even if ``vars`` would load all names."""
    return DICT.__get__(module)


def parts():
    """Return (name, module) of each loaded part of tensh that PyTorch also has."""
    return [(name, module) for name, module in sys.modules.items() if is_part(name)]


@cache
def is_part(name):
    """Return True if a module of that name is a part of tensh that PyTorch also has."""
    return name.startswith("tensh.") and not name.startswith(KEPT) and name.split(".", 2)[1] not in OWN


@cache
def name_in_torch(own):
    """Return the module of PyTorch that has the contents of a module of tensh."""
    path = own.removeprefix("tensh.")
    whole = next((each for each in ONE_FILE if path.startswith(f"{each}.")), path)
    return f"{NAME}.{IN_FILE.get(whole, whole)}"
