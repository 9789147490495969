"""Rewriting the argument of a command as Python: `x y`, `net.0.weight`, `y --view tape`.

Pure functions of text; no name is looked up.
"""

import ast
import re

from tensh.cli.session.sources.elements import write_elements

# Patterns are compiled at their first use, to save time at start-up.
OPTION = r"(?:^|[ \t]+)--(?P<name>[A-Za-z][\w-]*)(?:=(?P<given>\S+)|[ \t]+(?P<next>(?!-(?!\d))\S+))?"
OPERATORS = frozenset("and or not in is if else for lambda await".split())
LONGEST_NAME = 30  # characters of an expression repeated in a picture


def as_python(text, switches=()):
    """Rewrite an argument as that of a call: add commas, turn options into keywords, and element paths into indices.

    `switches` are options without a value, such as `--values`.
    """
    text = part_at_brackets(write_elements(write_options(text, switches)))
    return text if parse_arguments(text) else add_commas(text)


def parse_arguments(text):
    """Return the syntax tree of a call with these arguments; None if they are not valid."""
    try:
        return ast.parse(f"_({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def write_options(text, switches):
    """Rewrite command line options as keywords: `y --view tape --values` as `y, view='tape', values=True`."""
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
    """Return the keyword that names the other arguments, as a dict: "name" for one, "names" for two, or {}."""
    if named == "name" and len(texts) == 1 and len(texts[0]) <= LONGEST_NAME:
        return {"name": texts[0]}
    return {"names": tuple(texts)} if named == "names" and len(texts) == 2 else {}


def add_names(text, named):
    """Add the keyword that names the arguments, unless it is given."""
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
    """Return a command line word as Python: a literal as it is, a tuple in brackets, any other word quoted."""
    try:
        found = ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return repr(word)
    return f"({word})" if isinstance(found, tuple) else word


def add_commas(text):
    """Put a comma in place of each space outside of brackets and strings, keeping all positions.

    Where that gives no list of arguments, as for `x y + 1`, only spaces between operands are replaced.
    """
    spaces = [*find_spaces(text)]
    every = replace_spaces(text, spaces)
    return every if parse_arguments(every) else replace_spaces(text, [at for at in spaces if parts_operands(text, at)])


def part_at_brackets(text):
    """Put a comma in place of each space between an operand and a bracket, which else would be a call or an index:
    `model (2, 3)`, `[1, 2] [3, 4]`."""
    spaces = [at for at in find_spaces(text) if text[at:].lstrip()[:1] in tuple("([{") and parts_operands(text, at)]
    parted = replace_spaces(text, spaces)
    return parted if parse_arguments(parted) else text


def find_spaces(text):
    """Yield the positions of the spaces outside of brackets and strings."""
    depth, quote = 0, ""
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += (character in "([{") - (character in ")]}")
        if character == " " and not depth and not quote:
            yield at


def replace_spaces(text, places):
    """Put a comma in place of the spaces at some places, of which neighbours count once."""
    chosen = {at for at in places if at - 1 not in places}
    return "".join("," if at in chosen else character for at, character in enumerate(text))


def parts_operands(text, at):
    """Return True if the space at a place lies between two operands, not beside an operator such as `+` or `and`."""
    before, after = re.search(r"\w*\W?$", text[:at].rstrip())[0], re.match(r"\w*\W?", text[at:].lstrip())[0]
    ends = before[-1:].isalnum() or before[-1:] in tuple("_)]}'\"")
    begins = after[:1].isalnum() or after[:1] in tuple("_([{'\"~")
    return ends and begins and before not in OPERATORS and after.rstrip() not in OPERATORS - {"lambda"}
