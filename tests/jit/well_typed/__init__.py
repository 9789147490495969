"""Functions and modules that PyTorch scripts, in which the types of values are not obvious."""

from tests.jit.well_typed import containers, modules, notes, numbers, optional, programs, tensors, tensors_more

FILES = (containers, modules, notes, numbers, optional, programs, tensors, tensors_more)


def make_correct(torch):
    """Return name -> function or module."""
    return {name: each for file in FILES for name, each in file.make(torch).items()}
