"""Suggestions from the history, in grey after the cursor: the rest of an entry that begins like the block."""

from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.history import History as Base


class Earlier(Base):
    """The history as prompt_toolkit reads it, newest first."""

    def __init__(self, history):
        super().__init__()
        self.kept = history

    def load_history_strings(self):
        return reversed(self.kept.entries())

    def store_string(self, string):
        self.kept.add(string)

    def append_string(self, string):
        if not string.startswith(" "):  # private entries are not even kept in memory
            super().append_string(string)

    @property
    def newest_first(self):
        return self._loaded_strings


MOST = 200  # characters of a suggestion: a longer one would push the typed line out of a small window


class Ghost(AutoSuggest):
    """Suggests the rest of a line, from the newest entry that begins with the block, or one with a matching line.

    Long lines are recalled with Up only.
    """

    def get_suggestion(self, buffer, document):
        text = document.text
        line = text.rpartition("\n")[2]
        if not line.strip():
            return None
        entries = buffer.history.newest_first
        for entry in entries:
            if entry.startswith(text) and 0 < len(found := rest(entry, text)) <= MOST:
                return Suggestion(found)
        if line is text:
            return None
        for entry in entries:
            for earlier in entry.split("\n") if line in entry else ():
                if earlier.startswith(line) and 0 < len(earlier) - len(line) <= MOST:
                    return Suggestion(earlier[len(line) :])
        return None


def rest(entry, text):
    """Return the rest of the line in which a text ends, in an entry that begins with the text."""
    return entry[len(text) :].partition("\n")[0]
