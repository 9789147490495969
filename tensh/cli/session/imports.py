"""The finder by which ``import torch`` gives tensh, under the name by which programs that compare tensh with PyTorch ask for it."""

from tensh.alias.finder import Finder

__all__ = ["Finder"]
