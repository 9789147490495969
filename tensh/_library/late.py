"""Namespaces of operators that are registered when one of their names is first used."""

from importlib import import_module

LATE = dict.fromkeys(("_c10d_functional", "c10d_functional"), "tensh.distributed.functional_operators")
LATE["torchvision"] = "tensh._library.vision"
LATE |= dict.fromkeys(("torchaudio", "_torchaudio"), "tensh._library.audio")
"""Namespace -> the module that registers its operators."""


def load_late(space):
    """Register the operators of a namespace, if they wait for their first use."""
    if space in LATE:
        import_module(LATE[space])
