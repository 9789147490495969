"""Tensors whose dimensions have a known meaning: sequences returned by recurrent layers."""

import ast

from tensh.explain.situation import look_up
from tensh.explain.source.statements import find_assignment, place_of
from tensh.explain.trials.trusted import is_module

RECURRENT = ("RNN", "LSTM", "GRU")
STEPS = frozenset("relu tanh sigmoid gelu dropout layer_norm detach contiguous float double transpose permute".split())
"""Functions and methods that map sequences to sequences."""


def is_sequence(text, place, names):
    """Return True if code is the sequence returned by a recurrent layer."""
    return bool(text) and gives_steps(ast.parse(text, mode="eval").body, place, names)


def gives_steps(node, place, names):
    match node:
        case ast.Name(id=name):
            made = find_assignment(place, name)
            return isinstance(made, ast.Assign) and gives_steps(made.value, place_of(place, made), names)
        case ast.Subscript(value=inner, slice=ast.Constant(value=0)):
            return gives_steps(inner, place, names)
        case ast.Call(func=function, args=args):
            kind = type(look_up(function, names)).__name__
            if kind in RECURRENT:
                return True
            word = function.attr if isinstance(function, ast.Attribute) else ""
            inner = [function.value, *args[:1]] if word in STEPS else args[:1] if keeps_steps(function, names) else []
            return any(gives_steps(each, place, names) for each in inner)
    return False


def keeps_steps(function, names):
    """Return True if a function is a layer that changes only the features of a sequence."""
    layer = look_up(function, names)
    return is_module(layer) and type(layer).__name__ not in ("Flatten", "Unflatten", "Sequential")
