"""The finder by which ``import torch`` gives tensh, under the name that programs comparing tensh with PyTorch use."""

from tensh.alias.finder import Finder

__all__ = ["Finder"]
