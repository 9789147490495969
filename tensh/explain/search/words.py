"""Words and signs of other languages, and of Python 2, in lines that Python does not read.

``WORDS`` translates one piece of a line, ``BLOCKS`` the lines that begin and end a block, which are translated together.
"""

import ast
import re

from tensh.explain.search.blocks import indent_of
from tensh.support.language import _

LONGEST = 300  # characters of a line that is searched
LONGEST_NOTED = 60  # characters of a line that a note repeats
EQUAL = "=="
NOTHING = re.compile(r"\s*(?:end|\})\s*;?\s*$")
"""A line that ends a block elsewhere."""


def translate_words(text):
    """Yield (new line, reason): the line with one piece in Python's words."""
    begun = translate_block_line(text)
    is_of_python = begun == f"{text.rstrip()}:" or NOTHING.match(text)  # a colon alone is left out in Python, too
    if begun != text and not is_of_python:
        yield begun, describe_misspelling(text, begun)
    for pattern, new in WORDS:
        changed = re.sub(pattern, new, text)
        if changed != text and not (new == EQUAL and is_comparison(changed)):
            line = changed.replace("  ", " ") if new in (" and ", " or ") else changed
            yield line, describe_misspelling(text, changed)


def translate_block_line(text):
    """Return a line that begins or ends a block of another language as Python writes it; other lines as they are."""
    if NOTHING.match(text):
        return f"{indent_of(text)}# {text.strip()}"
    for pattern, new in BLOCKS if len(text) <= LONGEST else ():
        changed = re.sub(pattern, new, text)
        if changed != text:
            return changed
    return text


def is_comparison(text):
    """Return True for a comparison that stands alone, which has no effect."""
    try:
        (statement,) = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return False
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Compare)


def describe_misspelling(text, changed):
    """Return the note on what Python writes in place of a misspelt piece."""
    before, after = (re.sub(r"\s+", " ", each.strip()) for each in (text, changed))
    return (
        _("Python writes `{after}` for `{before}`").format(after=after, before=before)
        if len(after) < LONGEST_NOTED
        else _("Python uses another keyword for that")
    )


def end_of(last):
    """Write the number after the last one of a range, which Python leaves out."""
    return str(int(last) + 1) if last.isdecimal() else f"{last} + 1"


def loop_over_range(match):
    """Write `for i = 1:3` as a loop over a range that includes the last number."""
    start = "" if match["first"] == "0" else f"{match['first']}, "
    return f"{match['indent']}for {match['name']} in range({start}{end_of(match['last'])}):"


def counting_loop(match):
    """Write `for (i = 0; i < 3; i++)` as a loop over a range."""
    start = "" if match["first"] == "0" else f"{match['first']}, "
    end = match["last"] if match["sign"] == "<" else end_of(match["last"])
    return f"{match['indent']}for {match['name']} in range({start}{end}):"


def range_of_numbers(match):
    return f"torch.arange({match[1]}, {end_of(match[2])})"


def rows_of_matrix(match):
    """Write `[1 2; 3 4]` as a tensor."""
    rows = [", ".join(re.split(r"[\s,]+", row.strip())) for row in match[1].split(";") if row.strip()]
    return f"torch.tensor([{', '.join(f'[{row}]' for row in rows)}])"


def anonymous_function(match):
    """Write `x -> x^2` and `function(x) { x }` as a lambda."""
    body = re.sub(r"^return\s+", "", match["body"].strip().rstrip("; "))
    return f"{match['name']} = lambda {match['given'].strip()}: {body.replace('^', '**')}"


def function_or_element(match):
    """Write `f(x) = x + 1` as a lambda, and `A(1, 2) = 5` as an element that is written."""
    given = re.findall(r"[^\W\d]\w*", match["given"])
    if given and all(re.search(rf"\b{name}\b", match["body"]) for name in given):
        return anonymous_function(match)
    return f"{match['name']}[{match['given']}] = {match['body']}"


def piped_call(match):
    """Write `x |> f` and `x %>% f(2)` as calls."""
    more = f", {match['more']}" if match["more"] else ""
    return f"{match['before']}{match['function']}({match['value']}{more})"


NAME, NUMBERS = r"[^\W\d]\w*", r"(?P<first>\w+):(?P<last>\w+)"
DEFINED = rf"(?P<name>(?<![^\s]){NAME})"
BLOCKS = (
    (rf"^(?P<indent>\s*)for\s*\(?\s*(?P<name>\w+) (?:=|in) {NUMBERS}\s*\)?\s*(?:\{{|do)?\s*$", loop_over_range),
    (r"^(?P<indent>\s*)for\s*\(\s*(?:\w+ )?(?P<name>\w+)\s*=\s*(?P<first>\w+);\s*(?P=name)\s*(?P<sign><=?)\s*(?P<last>[\w.]+);\s*"
     r"(?:(?P=name)\+\+|\+\+(?P=name))\s*\)\s*\{?\s*$", counting_loop),
    (r"^(\s*)(?:for|foreach)\s*\((?:(?:let|const|var|auto) )?(\w+) (?:in|of) (.+)\)\s*\{\s*$", r"\1for \2 in \3:"),
    (r"^(\s*)\}?\s*(?:else|else then)\s*\{\s*$", r"\1else:"),
    (r"^(\s*)\}?\s*(?:else if|elseif|elsif)\s*(.+?)\s*(?:\{|then)?\s*$", r"\1elif \2:"),
    (r"^(\s*)function (\w+\(.*\))\s*\{?\s*$", r"\1def \2:"),
    (r"^(\s*(?:if|while|def|class|for)\b.*?)\s*(?:\{|\bthen|\bdo)\s*$", r"\1:"),
    (r"^(\s*)(if|while|for)\b([^:]*\S)$", r"\1\2\3:"),
    (r"^(\s*else)\s*$", r"\1:"),
)  # fmt: skip
"""The lines that begin a block in MATLAB, Julia, R, Lua, C and JavaScript, and Python's."""

WORDS = (
    (r"&&", " and "), (r"\|\|", " or "), (r"(?<!\w)!(?=[\w(])", "not "), (r"\belse ?if\b", "elif"), (r"(\w+)\+\+", r"\1 += 1"), (r"(\w+)--", r"\1 -= 1"),
    (r"([=!]=)=", r"\1"), (r"<>|~=", "!="), (r"^(\s*\w+)\s*:=\s*", r"\1 = "),
    (r"^(\s*)(?:let|var|const|local)\s+(?=\w)", r"\1"), (rf"^(\s*)(?:auto|int|float|double|bool|string|String)\s+(?={NAME}\s*=)", r"\1"),
    (rf"^(?P<indent>\s*){DEFINED}\s*=\s*\(?(?P<given>[\w, ]*?)\)?\s*[-=]>\s*(?P<body>[^{{].*)$", lambda m: m["indent"] + anonymous_function(m)),
    (rf"^(?P<indent>\s*){DEFINED}\s*(?:=|<-)\s*function\s*\((?P<given>[\w, ]*)\)\s*\{{?(?P<body>[^{{}}]+)\}}?\s*;?\s*$", lambda m: m["indent"] + anonymous_function(m)),
    (r"^(\s*)function (\w+)\(([\w, ]*)\)\s*\{\s*(.+?);?\s*\}\s*$", r"\1def \2(\3): \4"),
    (rf"^(?P<indent>\s*){DEFINED}\((?P<given>[\w, +-]+)\) = (?P<body>[^=].*)$", lambda m: m["indent"] + function_or_element(m)),
    (r"(?<![=<>!:])= +=(?!=)", EQUAL), (r"(?<![=<>!:])=(?!=)", EQUAL), (r"\.(\d+)\b", r"[\1]"), (r"^(\s*)(print|exec)\s+(.+)$", r"\1\2(\3)"),
    (r"`([^`]*)\$(\{[^`]*)`", r'f"\1\2"'), (r"^(\s*)print\s+`([^`$]+)`", r"\1print(repr(\2))"), (r"`([^`$]+)`", r"repr(\1)"), (r"(?<![\w.])(\d+)[lL]\b", r"\1"),
    (r"^(\s*except \w+), (\w+):", r"\1 as \2:"), (r"^(\s*raise \w+), (.+)$", r"\1(\2)"),
    (r"\bfunction\b", "def"), (r"\bnew\s+", ""), (r"\b(lambda [\w, ]+);", r"\1:"), (r";\s*$", ""), (r"%\*%", "@"), (r"%/%", "//"), (r"%%", "%"),
    (r"^(?P<before>\s*(?:\w+ (?:=|<-) )?)(?P<value>.+?) (?:\|>|%>%) (?P<function>[\w.]+)(?:\((?P<more>.*)\))?$", piped_call),
    (r"(?<=\w)::(?=\w)|(?<=\w)->(?=\w)|(?<=[\w\])])\$(?=[^\W\d])", "."), (r"(?<=\w)\.\(", "("), (r"(?<=[\"'\w)]) \.\. (?=[\"'\w(])", " + "), (rf"\bis\.null\(({NAME})\)", r"\1 is None"),
    (r"\s*//(.*)$", r"  #\1"), (r"\s+%\s+([^\d\s(].*)$", r"  # \1"),
    (r"(?<== )(-?\d+):(-?\w+)\s*$", range_of_numbers), (r"\brange\(([-\w ]+):([-\w ]+)\)", r"range(\1, \2)"), (r"\b(\w+)\(:\)", r"\1.flatten()"), (r"\b(\w+)\(([-\w ,]*:[-\w ,:]*)\)", r"\1[\2]"),
    (r"(?<== )(\w+) \\ (\w+)\s*$", r"torch.linalg.solve(\1, \2)"), (r"\[([-\d. ]+)\]", lambda match: f"[{', '.join(match[1].split())}]"), (r"\[([-\w., ;]+;[-\w., ;]+)\]", rows_of_matrix),
    (r"(?<== )(.+?) \? (.+?) : (.+)$", r"\2 if \1 else \3"), (r"^(\s*)if (\(.+?\)) (.+?) else (.+)$", r"\1\3 if \2 else \4"), (r"\{\s*$", ":"), (r"^(\s*)\}\s*$", ""),
    (r"^(\s*)from (\S+) import ([\w.]+)\.(\w+)", r"\1from \2.\3 import \4"), (r"\b0+([1-9]\d*)\b", r"\1"), (r"\b(\d+)([^\W\d]\w*)", r"\1 * \2"),
    (r"::\s*$", ":"), (r"^(\s*import [\w.]+) (\w+)\s*$", r"\1 as \2"), (r"^(\s*from \w+) (\w+ import )", r"\1.\2"),
    (r"([{,]\s*(?:\"[^\"]*\"|'[^']*'))\s*=(?!=)", r"\1:"), (r"\b(lambda [\w, ]*): return ", r"\1: "), (r"(?<=[\w\])])\.?'(?=\s*(?:$|[)\]*+\-/@,]))", ".T"), (r"\.([*/])", r"\1"), (r"\.\^", "**"),
)  # fmt: skip
"""Pieces of lines in other languages, and Python's, the most certain first."""
