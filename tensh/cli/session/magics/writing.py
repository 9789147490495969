"""The argument of a command as Python writes it: `x y`, `net.0.weight`, `y --view tape`.

Everything here takes a text and gives a text; nothing is looked up.
"""

import ast
import re

# Patterns are compiled at their first use, not at every start.
STRING = r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
ELEMENT = r"(?<![\w.])[^\W\d]\w*(?:\.\w+|\[[^\]]*\])*\.\d+(?:\.\w+|\[[^\]]*\])*"  # net.0.weight
NUMBER = r"\.(\d+)(?=\.|\[|$)"
OPTION = r"(?:^|[ \t]+)--(?P<name>[A-Za-z][\w-]*)(?:=(?P<given>\S+)|[ \t]+(?P<next>(?!-)\S+))?"
LONGEST_NAME = 30  # of an expression that a picture repeats


def as_python(text, switches=()):
    """The arguments of a call: with a comma between, options as named arguments, elements in brackets.

    `switches` are the options that no value follows, such as `--values`.
    """
    text = write_elements(write_options(text, switches))
    return text if parse_arguments(text) else add_commas(text)


def parse_arguments(text):
    """The syntax tree of a call with these arguments, None if they are not arguments."""
    try:
        return ast.parse(f"_({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def write_elements(text):
    """`net.0.weight`, as names of parameters are shown, as the Python that leads there: `net[0].weight`."""
    return change_outside_strings(
        text, lambda piece: re.sub(ELEMENT, lambda match: re.sub(NUMBER, lambda part: f"[{part[1]}]", match[0]), piece)
    )


def change_outside_strings(text, change):
    """The text with its pieces between strings changed."""
    pieces, begin = [], 0
    for match in re.finditer(STRING, text):
        pieces += [change(text[begin : match.start()]), match[0]]
        begin = match.end()
    return "".join([*pieces, change(text[begin:])])


def write_options(text, switches):
    """`y --view tape --values`, as on the command line, as `y, view='tape', values=True`."""
    named = []

    def take(match):
        name = match["name"].replace("-", "_")
        if name in switches:
            named.append(f"{name}=True")
            return f" {match['next']}" if match["next"] else ""
        named.append(f"{name}={literal(match['given'] or match['next'] or 'True')}")
        return ""

    rest = re.sub(OPTION, take, text).strip()
    if not named:
        return text
    rest = rest if not rest or parse_arguments(rest) else add_commas(rest)
    return ", ".join([*filter(None, [rest.rstrip(", ")]), *named])


def write_name_argument(named, texts):
    """The argument that tells a function what its others are called, as a dict: "name" of one, "names" of two, or none."""
    if named == "name" and len(texts) == 1 and len(texts[0]) <= LONGEST_NAME:
        return {"name": texts[0]}
    return {"names": tuple(texts)} if named == "names" and len(texts) == 2 else {}


def add_names(text, named):
    """Arguments with that one among them, unless somebody has given it."""
    call = parse_arguments(text)
    if call is None or any(each.arg == named for each in call.keywords):
        return text
    return ", ".join(
        [
            text,
            *(f"{name}={told!r}" for name, told in write_name_argument(named, [*map(ast.unparse, call.args)]).items()),
        ]
    )


def literal(word):
    """A word of the command line as Python: a number, True, a text in quotes as it is, any other word as a text."""
    try:
        ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return repr(word)
    return word


def add_commas(text):
    """The text with a comma in each space outside of brackets and strings; no character moves."""
    depth, quote, found = 0, "", []
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += (character in "([{") - (character in ")]}")
        found.append("," if character == " " and not depth and not quote else character)
    return re.sub(r",(,+)", lambda match: "," + " " * len(match[1]), "".join(found))
