"""Making unknown text visible: characters that a terminal obeys or that are invisible become Python escapes.

File names, exception messages, lines of code and paths can contain anything: a sequence that sets the window title or
the clipboard, a control that reverses the direction of text, characters without width. All that tensh shows passes
through here; what a program prints itself does not.
"""

# Letters according to Python that are invisible: joiners, fillers. Variation selectors after emoji are kept, as in
# Python's `repr`; those of ideographs, which can hide arbitrary text, are not.
UNSEEN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0] + [*range(0xE0100, 0xE01F0)]
)
NOT_IN_A_WORD = frozenset(" !\"#$&'()*;<>?[\\]^`{|}~")  # characters that a shell may interpret
KEPT = 2**16  # characters below are looked up once


class Escapes(dict):
    """Code point -> its visible form, filled on demand; some are shown unchanged."""

    def __init__(self, allowed=""):
        super().__init__()
        self.allowed = allowed

    def __missing__(self, code):
        character = chr(code)
        found = character if character in self.allowed or is_seen(character) else self.escape(character)
        if code < KEPT:
            self[code] = found
        return found

    def escape(self, character):
        """Python's escape: `\\x1b`, `\\u202e`."""
        return character.encode("unicode_escape").decode()


class JsonEscapes(Escapes):
    """Escape the text of a JSON document without changing what it means."""

    def escape(self, character):
        from json import dumps  # 2 ms, only for a character like this

        return dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


TEXT, LINE, JSON = Escapes("\n\t"), Escapes(), JsonEscapes("\n\t\r")


def is_seen(character):
    """Return True if a character is visible or a space: not a control, format or surrogate character."""
    if character.isprintable():
        return ord(character) not in UNSEEN
    import unicodedata

    return unicodedata.category(character) == "Zs"


def visible(text):
    """Escape the invisible characters of a text, keeping its lines.

    >>> from tensh.support.escaping import visible
    >>> visible("a\\x1b[2Jb\\u202e")
    'a\\\\x1b[2Jb\\\\u202e'
    """
    return text if text.isascii() and text.isprintable() else text.translate(TEXT)


def visible_line(text):
    """Escape a text to one line: line ends and tabs are escaped, too.

    >>> from tensh.support.escaping import visible_line
    >>> visible_line("a\\nb")
    'a\\\\nb'
    """
    return text if text.isascii() and text.isprintable() else text.translate(LINE)


def shell_word(name):
    """Quote a name as one word for commands to be copied; `a b` gets quotes, as does all that a shell interprets.

    >>> from tensh.support.escaping import shell_word
    >>> print(shell_word("lesson.tsh"), shell_word("a; ls"))
    lesson.tsh 'a; ls'
    """
    if visible_line(name) != name:
        return "$'" + "".join(map(escape_in_word, name)) + "'"
    if name and not set(name) & NOT_IN_A_WORD:
        return name
    return "'" + name.replace("'", "'\\''") + "'"


def escape_in_word(character):
    """Escape a character for a shell's `$'...'`."""
    if "\udc80" <= character <= "\udcff":  # a byte that is not a character
        return f"\\x{ord(character) - 0xDC00:02x}"
    return f"\\{character}" if character in "\\'" else visible_line(character)


def dumps(value, **options):
    """Write JSON with invisible characters in JSON's own escapes, which reads back unchanged.

    >>> from tensh.support.escaping import dumps
    >>> dumps(["é", "\\x9b"])
    '["é", "\\\\u009b"]'
    """
    import json

    return json.dumps(value, ensure_ascii=False, **options).translate(JSON)
