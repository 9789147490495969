"""The note on one-hot vectors that an embedding takes for indices."""

import ast

from tensh.cli.session.notes.texts.shared import (
    piece,
)
from tensh.explain.causes.models.embeddings import code_of_places
from tensh.support.language import _


def note_one_hot_indices(count, place, names):
    """Return the note on one-hot vectors that an embedding takes for indices."""
    message = _("{indices} is one-hot, but an embedding expects the index of each 1: a number from 0 to {last}")
    match piece(place).path():
        case [*_outer, ast.Call(func=table, args=[given], keywords=[])]:
            text, code = ast.unparse(given), f"{ast.unparse(table)}({code_of_places(given)})"
        case _:
            text, code = _("the input"), _("pass the indices themselves, or one_hot.argmax(-1)")
    return message.format(indices=text, last=count - 1), code
