"""A value as HTML, which a notebook shows besides its text."""

from tensh.show.drawing.markup import text_block
from tensh.show.drawing.page import WIDE, View
from tensh.show.printed.caption import caption
from tensh.show.printed.whole import print_parts
from tensh.show.reading import describe
from tensh.show.tables import containers


def tensor_html(tensor, expression="", is_captioned=True, whole="tensh.show.full({})"):
    """Return a tensor as PyTorch prints it, with its caption; `whole` is the command that shows all of it."""
    tokens = [*print_parts(tensor)]
    if is_captioned:
        tokens += [("plain", "\n"), *caption(tensor, expression, WIDE, whole)]
    return text_block([*tokens[:-1], (tokens[-1][0], tokens[-1][1].rstrip("\n"))])


def value_html(value, expression="", is_captioned=True):
    """Return a view, a tensor or a long container of tensors as HTML; None for a value shown as text."""
    if issubclass(type(value), View):  # isinstance would query the value, too
        return value._repr_html_()
    if describe.is_tensor(value):
        if value.is_nested:  # a nested tensor, which has no single text
            return None
        return tensor_html(value, expression, is_captioned, whole="%full {}")
    if containers.is_long(value):
        return containers.Contents(value)._repr_html_()
    return None
