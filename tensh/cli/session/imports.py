"""`import torch` inside a session gives tensh, and `import safetensors` the reader and writer that know its tensors.

A program that says `import tensh` sees nothing of it, and no package named torch is on the disk.
"""

from tensh.alias import torch_is_tensh
from tensh.alias.finder import MEANT, Finder, Loader
from tensh.alias.parts import NAME

__all__ = ["MEANT", "NAME", "Finder", "Loader", "torch_is_tensh"]
