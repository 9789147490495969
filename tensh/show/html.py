"""A value as HTML: what a notebook shows beside its text."""

from tensh.show import containers, describe
from tensh.show.caption import caption
from tensh.show.markup import text_block
from tensh.show.page import WIDE, View
from tensh.show.whole import print_parts


def tensor_html(tensor, expression="", is_captioned=True, whole="tensh.show.full({})"):
    """A tensor as PyTorch prints it, with the line of facts under it; `whole` is how to see more of it."""
    tokens = [*print_parts(tensor)]
    if is_captioned:
        tokens += [("plain", "\n"), *caption(tensor, expression, WIDE, whole)]
    return text_block([*tokens[:-1], (tokens[-1][0], tokens[-1][1].rstrip("\n"))])


def value_html(value, expression="", is_captioned=True):
    """A value as HTML: a view, a tensor, or a long container of tensors; None for a value that is shown as text."""
    if issubclass(type(value), View):  # isinstance would ask the value, too
        return value._repr_html_()
    if describe.is_tensor(value):
        if value.is_nested:  # several tensors, which have no one text of elements
            return None
        return tensor_html(value, expression, is_captioned, whole="%full {}")
    if containers.is_long(value):
        return containers.Contents(value)._repr_html_()
    return None
