"""Text of unknown origin made visible: what a terminal would obey, or nobody would see, becomes Python's escape for it.

Names in files, messages of exceptions, lines of code and paths can hold anything: a sequence that sets the title of the
window or the clipboard, a control that turns the order of letters around, letters of no width. All that tensh shows goes
through here on its way out; what a program prints itself does not.
"""

# Letters by Python's account that leave no mark: joiners, fillers. The selectors of variants after emoji are shown, as
# Python's `repr` shows them; those of ideographs, which can carry any text unseen, are not.
UNSEEN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0] + [*range(0xE0100, 0xE01F0)]
)
NOT_IN_A_WORD = frozenset(" !\"#$&'()*;<>?[\\]^`{|}~")  # what a shell may read as something else
KEPT = 2**16  # characters below are looked up once


class Escapes(dict):
    """Code of a character -> what is shown for it, found when it is first asked for; some are shown as they are."""

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
        from json import dumps  # 2 ms that only a character like this costs

        return dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


TEXT, LINE, JSON = Escapes("\n\t"), Escapes(), JsonEscapes("\n\t\r")


def is_seen(character):
    """True if a character is a letter, a sign or a space: everything but controls, formats and what stands for nothing."""
    if character.isprintable():
        return ord(character) not in UNSEEN
    import unicodedata

    return unicodedata.category(character) == "Zs"


def visible(text):
    """A text of lines with escapes for what is not to be seen.

    >>> from tensh.escaping import visible
    >>> visible("a\\x1b[2Jb\\u202e")
    'a\\\\x1b[2Jb\\\\u202e'
    """
    return text if text.isascii() and text.isprintable() else text.translate(TEXT)


def visible_line(text):
    """A text as one line: ends of lines and tabs are escaped, too.

    >>> from tensh.escaping import visible_line
    >>> visible_line("a\\nb")
    'a\\\\nb'
    """
    return text if text.isascii() and text.isprintable() else text.translate(LINE)


def shell_word(name):
    """A name as one word of a shell, for commands that are to be copied: `a b` is quoted, and so is all that a shell obeys.

    >>> from tensh.escaping import shell_word
    >>> print(shell_word("lesson.tsh"), shell_word("a; ls"))
    lesson.tsh 'a; ls'
    """
    if visible_line(name) != name:
        return "$'" + "".join(map(escape_in_word, name)) + "'"
    if name and not set(name) & NOT_IN_A_WORD:
        return name
    return "'" + name.replace("'", "'\\''") + "'"


def escape_in_word(character):
    """A character as a shell reads it between `$'` and `'`."""
    if "\udc80" <= character <= "\udcff":  # a byte that is not a character
        return f"\\x{ord(character) - 0xDC00:02x}"
    return f"\\{character}" if character in "\\'" else visible_line(character)


def dumps(value, **options):
    """JSON with all characters but those that are not to be seen, which have JSON's own escapes: it reads back the same.

    >>> from tensh.escaping import dumps
    >>> dumps(["é", "\\x9b"])
    '["é", "\\\\u009b"]'
    """
    import json

    return json.dumps(value, ensure_ascii=False, **options).translate(JSON)
