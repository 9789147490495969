"""A graph module as a Python package."""

import re
from pathlib import Path

from tensh.engine.errors.warnings import warn
from tensh.fx.names import indent, list_customs
from tensh.serialization import save

READABLE = {"Linear", "Conv1d", "Conv2d", "Conv3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"}
"""Layers whose printed form is code that recreates the layer."""


def write_folder(module, folder, name):
    """Write ``module.py`` with a class ``name``, ``__init__.py``, ``state_dict.pt``, and files of other submodules."""
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    save(module.state_dict(), folder / "state_dict.pt")
    lines, pickled = [], []
    for child, value in module.named_children():
        made = repr(value)
        if type(value).__name__ not in READABLE:
            save(value, folder / f"{child}.pt")
            pickled.append(child)
            load = f"torch.load(r'{folder / f'{child}.pt'}', weights_only=False)"
            lines.append(f"setattr(self, '{child}', {load}) # {' '.join(made.splitlines())}")
        else:
            lines.append(f"setattr(self, '{child}', {made})")
    for path, buffer in module._buffers.items():
        if buffer is not None:
            lines.append(f"self.register_buffer('{path}', torch.empty({list(buffer.shape)}, dtype={buffer.dtype}))")
    for path, value in module._parameters.items():
        if value is not None:
            shape = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
            lines.append(f"setattr(self, '{path}', torch.nn.Parameter({shape}))")
    lines.append(f"self.load_state_dict(torch.load(r'{folder}/state_dict.pt'))")
    imports = "\n".join(custom.import_str for custom in list_customs().values())
    body = "\n".join(f"        {line}" for line in lines)
    head = f"class {name}(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    code = re.sub("(?m)^ +$", "", indent(module.code))
    text = f"\nimport torch\n{imports}\n\nfrom torch.nn import *\n{head}{body}\n{code}\n"
    (folder / "module.py").write_text(text)
    (folder / "__init__.py").write_text("from .module import *\n")
    if pickled:
        warn(f"Was not able to save the following children modules as reprs -saved as pickled files instead: {pickled}")
