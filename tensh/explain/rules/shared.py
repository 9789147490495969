"""Helpers shared by the rules: operands as data, their names, the operation as a function."""

from tensh.explain.model import Operand
from tensh.explain.source.pieces import COMPARED
from tensh.support.language import _


def operand(argument, marked=()):
    value = argument.value
    return Operand(argument.text, tuple(value.shape), str(value.dtype).removeprefix("torch."), frozenset(marked))


def name_or_phrase(argument, otherwise=None):
    return argument.text if argument.text and len(argument.text) <= 30 else otherwise or _("it")


def is_in_place(call):
    """Return True if a call writes into its first operand, which cannot be replaced then."""
    return call.symbol.endswith("=") and call.symbol not in COMPARED.values() or call.name.endswith("_")
