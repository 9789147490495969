"""Visible marks for invisible characters in the editor: the escapes that tensh uses everywhere.

prompt_toolkit has signs for control characters, but passes bidirectional overrides on to the terminal.
"""

from prompt_toolkit.layout.screen import Char

from tensh.support.escaping import visible_line


class Marks(dict):
    """Character -> its mark; prompt_toolkit's own signs take precedence."""

    def __contains__(self, character):
        return super().__contains__(character) or visible_line(character) != character

    def __missing__(self, character):
        return visible_line(character)


def draw_hidden():
    """Install the marks in prompt_toolkit."""
    if not isinstance(Char.display_mappings, Marks):
        Char.display_mappings = Marks(Char.display_mappings)
