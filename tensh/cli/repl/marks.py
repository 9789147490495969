"""Marks that the editor draws for invisible characters: the escapes that all of tensh shows for them.

prompt_toolkit itself has signs for control characters, and writes to the terminal what turns letters around.
"""

from prompt_toolkit.layout.screen import Char

from tensh.escaping import visible_line


class Marks(dict):
    """Character -> what is drawn in its place; prompt_toolkit's own signs count first."""

    def __contains__(self, character):
        return super().__contains__(character) or visible_line(character) != character

    def __missing__(self, character):
        return visible_line(character)


def draw_hidden():
    """Let the editor draw them."""
    if not isinstance(Char.display_mappings, Marks):
        Char.display_mappings = Marks(Char.display_mappings)
