"""Functions and modules that PyTorch refuses to script because of the types in them, of the kind that a learner writes."""

from tests.jit.ill_typed import (
    calls,
    classes,
    interfaces,
    members,
    modules,
    names,
    notes,
    operators,
    python,
    results,
    sequences,
    variables,
)

FILES = (calls, classes, interfaces, members, modules, names, notes, operators, python, results, sequences, variables)


def make_wrong(torch):
    """Return name -> function or module."""
    return {name: each for file in FILES for name, each in file.make(torch).items()}
