"""torch._tensor_str: printed tensors and parts of them, with which classes of libraries print."""

from tensh.engine.methods.printing.format import (  # noqa: F401 (libraries import the first from here)
    _str_intern,
    append_attributes,
    append_elements,
    text,
)
from tensh.engine.methods.printing.options import get_printoptions, options, printoptions, set_printoptions

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]

PRINT_OPTS = options


def _tensor_str(self, indent):
    """Return the elements of a tensor as printed, in brackets that start in column ``indent``."""
    parts = []
    append_elements(parts, self.array, self.dtype.category, indent)
    return "".join([piece for _, piece in parts])


def _add_suffixes(tensor_str, suffixes, indent, force_newline):
    """Return a text followed by attributes and a closing bracket; lines break as in a printed tensor."""
    parts = [("number", tensor_str)]
    append_attributes(parts, suffixes, indent, force_newline)
    return "".join([piece for _, piece in parts]) + ")"


def _str(self, *, tensor_contents=None):
    """Return the printed form of a tensor, with ``tensor_contents`` in place of its elements if given."""
    return text(self, tensor_contents=tensor_contents)
