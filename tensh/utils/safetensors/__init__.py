"""Files of the safetensors format: tensors and texts, and nothing that could run.

The names and modules are those of the package ``safetensors``: in a program that tensh runs, ``from safetensors.torch
import save_file`` gives these, because that package works on PyTorch's own storages.  The format is described at
https://github.com/huggingface/safetensors: eight bytes for the length of a header, the header as JSON, the bytes of the
tensors one after the other.
"""

import importlib

WHERE = {"SafetensorError": "format", "safe_open": "opening", "_safe_open_handle": "opening", "deserialize": "opening"}
WHERE |= dict.fromkeys(("TensorSpec", "serialize", "serialize_file"), "specs")
__all__ = ["SafetensorError", "TensorSpec", "deserialize", "safe_open", "serialize", "serialize_file"]
__version__ = "0.8.0"  # the version of the package whose interface this is


def __getattr__(name):
    if name in ("torch", "numpy"):
        return importlib.import_module(f"{__name__}.{name}")
    if name not in WHERE:
        raise AttributeError(f"module 'safetensors' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{WHERE[name]}"), name)
    return value


def __dir__():
    return sorted([*__all__, "numpy", "torch"])
