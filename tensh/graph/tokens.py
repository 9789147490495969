"""Graphs as text: (kind, text) pairs, with kinds that a theme colours."""

from unicodedata import combining, east_asian_width

import numpy as np

from tensh.support.language import _

FEW = 4  # maximum number of elements of a vector shown on a line


def shape(node):
    return "[" + ", ".join(map(str, node.shape)) + "]" if node.shape is not None else _("several")


def number(value):
    """Format a number with four digits: ``6``, ``0.5``, ``3.142e-07``, ``1+2j``."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, complex | np.complexfloating):
        return f"{value.real:.4g}{value.imag:+.4g}j"
    return f"{value:.4g}"


def values(array):
    """Describe an array briefly: its elements if there are few, otherwise its norm."""
    if array is None:
        return ""
    array = np.asarray(array)
    if array.dtype.kind == "V":  # bfloat16
        array = array.astype(np.float32)
    if array.ndim == 0:
        return number(array[()])
    if array.ndim == 1 and array.size <= FEW:
        return "[" + ", ".join(map(number, array)) + "]"
    return _("norm {norm}").format(norm=number(np.linalg.norm(array.astype(np.result_type(array, np.float32)).ravel())))


def shorten(text, width):
    """Shorten a text to at most ``width`` characters."""
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."


def cut(text, columns):
    """Shorten a text to at most some terminal columns."""
    if width(text) <= columns:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > columns - 3:
            break
        kept += character
    return kept + "..."


def width(text):
    """Return the number of terminal columns of a text: wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text, columns):
    """Pad a text with spaces to a number of terminal columns."""
    return text + " " * max(columns - width(text), 0)


LONGEST = 60  # maximum length of a title in a picture


def card(node, shown, formulas):
    """Return the few lines of a node's box in a picture; ``formulas`` are those of its gradients."""
    rows = [shorten(node.title, LONGEST)]
    if node.kind == "operation":
        rows.append(node.name)
    facts = f"{shape(node)} {node.dtype or ''}".strip()
    if shown and shown.values and node.value is not None:
        facts += f"  {values(node.value)}"
    rows.append(facts)
    if shown and shown.grads and node.grad is not None:
        rows.append(_("grad {values}").format(values=values(node.grad)))
    return [*rows, *(shorten(_("gets {formula}").format(formula=formula), LONGEST) for formula in formulas)]


def group(text):
    """Return an expression as part of another: in brackets unless it is a name."""
    return text if all(c.isalnum() or c in "_.[]'\"" for c in text) else f"({text})"
