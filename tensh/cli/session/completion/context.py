"""The syntactic context of the cursor: the string, brackets and expression it is in or behind."""

import re
from itertools import pairwise
from typing import NamedTuple

QUOTES = ('"""', "'''", '"', "'")
PAIRS = {")": "(", "]": "[", "}": "{"}
F_PREFIX = re.compile(r"(?<!\w)(?:[fF][rR]?|[rR][fF])\Z")
BRACE = re.compile(r"\{\{|\}\}|[{}]")
GIVEN = re.compile(r"\s*(\w+)\s*=(?!=)\s*")


class Place(NamedTuple):
    """The context at the end of a text: the open brackets, outermost first, and the open string."""

    text: str
    brackets: tuple[int, ...]  # positions
    string: int | None  # position of the string's text, after its quotes
    comment: bool

    @property
    def word(self):
        """The identifier characters before the cursor."""
        return self.text[word_start(self.text, len(self.text)) :]

    @property
    def before(self):
        """The text before the word."""
        return self.text[: len(self.text) - len(self.word)]

    @property
    def is_attribute(self):
        """True if the word follows a dot."""
        return self.before.rstrip().endswith(".")

    @property
    def owner(self):
        """The source of the expression before the dot; None if there is none."""
        owner = primary(self.before.rstrip().removesuffix(".").rstrip())
        return None if not owner or owner.isdigit() else owner  # `1.` is a number


class Call(NamedTuple):
    """The call around the cursor: the source of its function and arguments, the last one unfinished."""

    function: str
    arguments: list[str]

    @property
    def keyword(self):
        """The keyword whose value is being written; None for a positional argument."""
        match = GIVEN.match(self.arguments[-1])
        return match[1] if match else None

    @property
    def value(self):
        """The unfinished argument without its keyword."""
        return GIVEN.sub("", self.arguments[-1], count=1) if self.keyword else self.arguments[-1].lstrip()

    @property
    def positional(self):
        """The finished positional arguments."""
        return [each for each in self.arguments[:-1] if not GIVEN.match(each)]

    @property
    def named(self):
        """The keywords of the finished arguments."""
        return {match[1] for match in map(GIVEN.match, self.arguments[:-1]) if match}


def place(text, commas=None):
    """Return the Place at the end of a text; add the positions of commas outside brackets and strings to the list."""
    brackets, string, comment, position = [], None, False, 0
    quote = ""
    while position < len(text):
        here = text[position]
        if string is not None:
            if here == "\\":
                position += 2
                continue
            if text.startswith(quote, position) or (here == "\n" and len(quote) == 1):
                position += len(quote)
                string = None
                continue
        elif comment:
            comment = here != "\n"
        elif here == "#":
            comment = True
        elif here in "'\"":
            quote = next(each for each in QUOTES if text.startswith(each, position))
            position += len(quote)
            string = position
            continue
        elif here in "([{":
            brackets.append(position)
        elif here in PAIRS and brackets:
            brackets.pop()
        elif here == "," and not brackets and commas is not None:
            commas.append(position)
        position += 1
    return Place(text, tuple(brackets), string, comment)


def code_in_string(here):
    """Return the code in the open braces of an f-string at the end of a Place; None in other strings, and in a format."""
    if not F_PREFIX.search(here.text[: here.string].rstrip("'\"")):
        return None
    begin = None
    for match in BRACE.finditer(here.text, here.string):
        if len(match[0]) == 1:  # a doubled brace is a literal one
            begin = match.end() if match[0] == "{" else None
    if begin is None:
        return None
    code = here.text[begin:]
    inner = place(code)
    return None if ":" in code and not inner.brackets and inner.string is None else code


def primary(text):
    """Return the expression at the end of a text: names, attributes, calls, indices, literals; "" if there is none."""
    end = len(text)
    position = end
    while position > 0:
        here = text[position - 1]
        if here in PAIRS:
            position = find_opening(text, position - 1)
            if position is None:
                return ""
            if not (position and (text[position - 1].isalnum() or text[position - 1] in "_)]'\"")):
                break
        elif here in "'\"":
            position = text.rfind(here, 0, position - 1)
            if position < 0:
                return ""
            break
        elif is_letter(here):
            position = word_start(text, position)
            if not text.endswith(".", 0, position):
                break
        elif here == ".":
            position -= 1
        else:
            break
    return text[position:end]


def is_letter(character):
    """Return True if a character can be part of an identifier."""
    return character.isalnum() or character == "_"


def word_start(text, end):
    """Return the start of the word that ends at `end`."""
    while end and is_letter(text[end - 1]):
        end -= 1
    return end


def find_opening(text, closing):
    """Return the position of the bracket that matches the one at `closing`; None if there is none."""
    depth = 0
    for position in range(closing, -1, -1):
        depth += (text[position] in ")]}") - (text[position] in "([{")
        if depth == 0:
            return position
    return None


def call(place):
    """Return the Call of the innermost open bracket; None if it is not a call."""
    if not place.brackets or place.text[place.brackets[-1]] != "(":
        return None
    opened = place.brackets[-1]
    function = primary(place.text[:opened])
    return Call(function, split_arguments(place.text[opened + 1 :])) if function else None


def find_indexed_source(place):
    """Return the source of the value being indexed; None if the innermost open bracket is not an index."""
    if not place.brackets or place.text[place.brackets[-1]] != "[":
        return None
    return primary(place.text[: place.brackets[-1]]) or None


def split_arguments(text):
    """Split arguments at commas outside brackets and strings."""
    commas = []
    place(text, commas)
    return [text[begin + 1 : end] for begin, end in pairwise([-1, *commas, len(text)])]
