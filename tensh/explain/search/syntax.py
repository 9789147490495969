"""Repairing syntax errors by small edits: the first edit with which the whole source parses is offered."""

import keyword
import re
import unicodedata

from tensh.explain.model import Explanation, Fit
from tensh.explain.search.blocks import explain_block, is_read
from tensh.explain.search.words import LONGEST, translate_block_line, translate_words
from tensh.support.language import _
from tensh.support.spelling import distance

TYPOGRAPHIC = str.maketrans({
    "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "–": "-", "—": "-", "−": "-", "×": "*", "·": "*", "÷": "/",
    "≤": "<=", "≥": ">=", "≠": "!=", "∈": "in", "∉": "not in", "¬": "not ", "→": "->", "【": "[", "】": "]", "《": "(", "》": ")", "「": '"', "」": '"', "。": ".", "、": ",", "…": "...", "\N{NO-BREAK SPACE}": " ", "\N{ZERO WIDTH SPACE}": None,
    "\N{ZERO WIDTH NO-BREAK SPACE}": None, "\N{IDEOGRAPHIC SPACE}": " ",
})  # fmt: skip
"""Typographic characters and those of other keyboards, and their ASCII forms; others are normalised by NFKC."""

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "「": '"', "」": '"', "‘": "'", "’": "'", "‚": "'"})
CLOSING = {"(": ")", "[": "]", "{": "}"}
LISTED = re.compile(r"\s*(?:from [\w.]+ import |return |for [\w ]+ in |[\w ]+ = )")
"""The beginnings of statements in which names stand side by side."""

PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|In \[\d+\]:) ?")
RESULT = re.compile(r"(?:Out\[\d+\]:|tensor\()")
"""The beginning of a line that a session showed."""

COMMAND = re.compile(
    r"(?:;\s*|^\s+)%(who|why|graph|step|modes|heat|hist|plot|image|full|grads|summary|time|timeit|prun|trace|memory|cmp|run|debug|undo"
    r"|set|seed|help|predict|save|load|export|watch)\b"
)
WORD = re.compile(r"(?<![^\s])[^\W\d](?:[^\s()\[\]{}?]*\w)?(?!\S)")
"""A word between spaces, such as a file name, that may be meant as a string."""

LAST_SIGN = re.compile(r"(\*\*|//|[=!<>]=|[-+*/%@&|^<>=.~]|\b(?:and|or|not|in|is|as|if))\s*(?:#.*)?$")
"""A sign or a word at the end of a line that something must follow."""

MOST_LINES = 8  # lines repaired together


FORMS = {
    "for": "for x in xs: ...", "while": "while x > 0: ...", "if": "if x > 0: ...", "def": "def f(x): ...", "class": "class Net(nn.Module): ...",
    "with": "with torch.no_grad(): ...", "import": "import math", "from": "from torch import nn", "from torch import": "from torch import nn",
    "del": "del x", "lambda": "lambda x: x + 1", "assert": "assert x > 0", "global": "global x", "async": "async def f(): ...",
    "await": "await f()", "elif": "elif x > 0: ...",
}  # fmt: skip
"""Words of Python alone on a line, and statements that begin with them."""


def repair(source, line):
    """Return the Explanation of a syntax error that one edit near the given line repairs; None if there is none."""
    lines = source.split("\n")
    # not a matter of spelling: a return outside of a function, or a line that is a command
    if is_read(lines):
        return None
    found = write_every_line_in_ascii(lines, line) or drop_every_prompt(lines, line) or translate_blocks(lines, line)
    if found is not None:
        return found
    command = COMMAND.search(lines[line - 1]) if 1 <= line <= len(lines) else None
    if command is not None:
        rule = _("%{name} is a command: it must be on a line of its own, outside of blocks").format(name=command[1])
        return Explanation("syntax", (), rule)
    for number in dict.fromkeys((line, line - 1)):
        if 1 <= number <= len(lines) and 0 < len(lines[number - 1].strip()) <= LONGEST:
            indent = re.match(r"\s*", lines[number - 1])[0]
            for text, reason in candidates(lines[number - 1], lines, number):
                if text not in (lines[number - 1], "") and is_read(
                    [*lines[: number - 1], text, *lines[number:]], is_open=True
                ):
                    is_moved = re.match(r"\s*", text)[0] != indent  # then the new place is shown
                    shown = text if is_moved else text.removeprefix(indent)
                    return Explanation("syntax", (), reason, (Fit(shown.rstrip(), "", number),))
    sign = LAST_SIGN.search(lines[line - 1]) if 1 <= line <= len(lines) else None
    if sign and is_read([*lines[: line - 1], complete(lines[line - 1], sign), *lines[line:]]):
        return Explanation("syntax", (), _("something must follow {sign}").format(sign=sign[1]))
    if 1 <= line <= len(lines) and (found := explain_block(lines, line) or explain_assigned_value(lines[line - 1])):
        return found
    form = FORMS.get(lines[line - 1].strip().rstrip(":")) if 1 <= line <= len(lines) else None
    if form is not None:
        return Explanation("syntax", (), _("the statement is not complete"), (), form)
    return None


def write_every_line_in_ascii(lines, line):
    """Return the Explanation if several lines contain characters of another keyboard; None for one line, or too many."""
    first, fits = mend_every_line(lines, line, convert_to_ascii)
    if not fits:
        return None
    character = next(c for c in lines[first - 1] if ord(c) > 127 and convert_to_ascii(c) != c)
    reason = _("{character} is not allowed in Python code: use ASCII characters")
    return Explanation("syntax", (), reason.format(character=name_of(character)), fits)


def drop_every_prompt(lines, line):
    """Return the Explanation if several lines begin with the prompt of a session; None for one line."""
    prompts = sum(PROMPT.match(each) is not None for each in lines)
    _first, fits = mend_every_line(lines, line, write_as_code) if prompts else (line, ())
    reason = _("the prompt is no part of the code")
    if prompts > MOST_LINES:
        return Explanation("syntax", (), reason, (), _("paste the lines at the prompt of tensh, which drops it"))
    return Explanation("syntax", (), reason, fits) if fits else None


def translate_blocks(lines, line):
    """Return the Explanation of a block that ends with `end` or a brace, as in other languages; None if there is none."""
    _first, fits = mend_every_line(lines, line, translate_block_line)
    rule = _("a block begins with a colon, and ends where its indentation does")
    return Explanation("syntax", (), rule, fits) if fits else None


def write_as_code(text):
    """Return a line of a session without its prompt, or as a comment if the session showed it."""
    return f"# {text}" if RESULT.match(text) else PROMPT.sub("", text)


def mend_every_line(lines, line, mend):
    """Return (the first line that is changed, Fits) where that makes several lines Python; no Fits for one, or too many."""
    changed = {number: text for number, each in enumerate(lines, 1) if (text := mend(each)) not in (each, "")}
    if not 2 <= len(changed) <= MOST_LINES or not is_read([changed.get(n, each) for n, each in enumerate(lines, 1)]):
        return line, ()
    first = line if line in changed else min(changed)
    one, *more = (
        Fit(changed[number].removeprefix(re.match(r"\s*", lines[number - 1])[0]).rstrip(), "", number)
        for number in (first, *(each for each in changed if each != first))
    )
    return first, (one._replace(more=tuple(more)),)


def complete(text, sign):
    """Return a line with a name after the sign at its end."""
    return f"{text[: sign.end(1)]}{'' if sign[1] == '.' else ' '}x"


def explain_assigned_value(text):
    """Explain `True = 1` and `5 = x`."""
    found = re.match(r"\s*(None|True|False|\d[\d.]*)\s*=", text)
    if found is None:
        return None
    rule = _("{text} is a value, and only a name can stand to the left of =").format(text=found[1])
    return Explanation("syntax", (), rule)


def candidates(text, lines, number):
    """Yield (new line, reason), most certain first; ``lines`` are all of the source, and ``number`` is that of ``text``."""
    above = lines[number - 2] if number > 1 else ""
    yield from drop_prompt(text)
    yield from write_in_ascii(text)
    yield from translate_words(text)
    yield from spell_keywords(text)
    yield from begin_block(text)
    yield from mend_formatted(text)
    yield from mend_brackets(text)
    yield from exchange_brackets(text)
    yield from colons_within(text)
    yield from bracket_operations(text)
    if above.rstrip().endswith(":"):
        yield "    " + text, _("the lines of a block must be indented")
    if number < len(lines) and re.search(r"[\w\])\"']\s*$", text):
        yield text.rstrip() + ",", _("a comma is missing at the end of the line")
    yield from close_quotes(text)
    if text[:1] in " \t" and above.strip():
        yield re.match(r"\s*", above)[0] + text.strip(), _("the lines of a block must begin in the same column")
    yield from separate_elements(text)
    yield from quote_words(text)


def drop_prompt(text):
    """Yield the line without the prompt of a session that was copied with it."""
    typed = PROMPT.sub("", text)
    if typed != text:
        yield typed, _("the prompt is no part of the code")


def write_in_ascii(text):
    """Yield the line with typographic quotes, then all look-alike characters, in ASCII."""
    reason = _("{character} is not allowed in Python code: use ASCII characters")
    quoted, plain = text.translate(QUOTES), convert_to_ascii(text)
    if quoted != text:
        yield quoted, reason.format(character=name_of(next(c for c in text if ord(c) in QUOTES)))
    if plain != text:
        found = next(c for c in text if ord(c) > 127 and convert_to_ascii(c) != c)
        yield plain, reason.format(character=name_of(found))


def spell_keywords(text):
    """Yield the line with a word replaced by a keyword that is spelt nearly so."""
    for match in re.finditer(r"[A-Za-z_]+", text):
        for word in keyword.kwlist:
            is_other = word[0].isupper() and keyword.iskeyword(match[0])  # a value for a word of a statement
            if word.isalpha() and not is_other and 0 < distance(match[0], word) <= 1 + (len(word) > 4):
                reason = _("{text} is not a Python keyword here: use {word}").format(text=match[0], word=word)
                yield text[: match.start()] + word + text[match.end() :], reason


def begin_block(text):
    """Yield the first line of a block with a colon at its end, or with the arguments of a function."""
    if named := re.match(r"(\s*def \w+)\s*:", text):
        line = f"{named[1]}():{text[named.end() :]}"
        yield line, _("a function has its arguments in brackets, also where it has none")
    begins = re.match(r"\s*(if|elif|else|for|while|def|class|with|try|except|finally)\b", text)
    if begins and not text.rstrip().endswith(":"):
        yield text.rstrip() + ":", _("a line that begins a block ends with a colon")


def bracket_operations(text):
    """Yield the line with brackets around a sum or product whose method is called: `x + 1.exp()`."""
    for match in re.finditer(r"[\w.]+ [-+*/@] \d+(?=\.[a-z_]\w*\()", text):
        line = f"{text[: match.start()]}({match[0]}){text[match.end() :]}"
        yield line, _("a method of a sum or product needs brackets around it")


def separate_elements(text):
    """Yield the line with a comma between two elements within brackets, then between two names of a statement."""
    gaps = [*re.finditer(r"(?<=[\w\])\"']) (?=[\w\[(\"'])", text)]
    for gap in gaps:
        if is_within_brackets(text, gap.start()):
            line = text[: gap.start()] + ", " + text[gap.end() :]
            yield line, _("a comma is missing between two of the elements")
    for gap in gaps if re.match(LISTED, text) else ():
        yield text[: gap.start()] + ", " + text[gap.end() :], _("a comma is missing between two names")


def quote_words(text):
    """Yield the line with a word that stands between spaces as a string."""
    for match in WORD.finditer(text):
        if keyword.iskeyword(match[0].rstrip(":")) or ".." in match[0] or not text[: match.start()].strip():
            continue  # a string that stands alone has no effect
        line = text[: match.start()] + f'"{match[0]}"' + text[match.end() :]
        yield line, _("{text} is a string, and must be in quotes").format(text=match[0])


def exchange_brackets(text):
    """Yield the line with one of its closing brackets in place of another, for a bracket opened on an earlier line."""
    for position, character in enumerate(text):
        for opening, closing in CLOSING.items() if character in CLOSING.values() else ():
            if closing != character:
                reason = _("{bracket} is closed by {closing}").format(bracket=opening, closing=closing)
                yield text[:position] + closing + text[position + 1 :], reason


def colons_within(text):
    """Yield the line of a block with a colon between its beginning and what follows: `for i in x: print(i)`."""
    if not re.match(r"\s*(if|elif|else|for|while|with)\b", text) or ":" in text:
        return
    for match in re.finditer(r"(?<=[\w)\]\"']) +(?=[\w(\[])", text):
        yield f"{text[: match.start()]}:{text[match.start() :]}", _("a line that begins a block ends with a colon")


def mend_formatted(text):
    """Yield the line with a brace of an f-string closed, or with other quotes for the strings within its braces."""
    for quote in "\"'":
        other = "'" if quote == '"' else '"'
        for start in re.finditer(rf"\bf{quote}", text):
            body, end = text[start.end() :], text.rfind(quote)
            if body.count("{") == body.count("}") + 1 and end > start.end():
                line = f"{text[:end]}}}{text[end:]}"
                yield line, _("{bracket} is not closed").format(bracket="{")
            parts = re.split(r"(\{[^{}]*\})", body)
            changed = "".join(part.replace(quote, other) if n % 2 else part for n, part in enumerate(parts))
            if changed != body:
                yield text[: start.end()] + changed, _("the strings within an f-string need other quotes than its own")


def is_within_brackets(text, position):
    """Return True if a bracket opened before a position is closed after it."""
    before = text[:position]
    return sum(map(before.count, CLOSING)) > sum(map(before.count, CLOSING.values()))


def close_quotes(text):
    """Close the string left open at the end of a line, before the brackets that close there."""
    for quote in "\"'":
        for inner in re.finditer(rf"(?<=[(\[,= ])([\w ]+){quote}(?=\s*[)\],]|\s*$)", text):
            if text.count(quote) == 1:
                yield (
                    f"{text[: inner.start()]}{quote}{text[inner.start() :]}",
                    _("{quote} is not opened").format(quote=quote),
                )
        if text.count(quote) % 2:
            body = text.rstrip()
            end = len(body.rstrip(")]}:,"))
            yield body[:end] + quote + body[end:], _("{quote} is not closed").format(quote=quote)


def convert_to_ascii(text):
    """Replace look-alike characters of a line by ASCII, except in strings and comments."""
    pieces = re.split(r"(\"[^\"]*\"|'[^']*'|#.*)", text)
    return "".join(
        piece if n % 2 else unicodedata.normalize("NFKC", piece.translate(TYPOGRAPHIC))
        for n, piece in enumerate(pieces)
    )


def name_of(character):
    """Show a character with its name."""
    shown = "" if unicodedata.category(character) in ("Zs", "Cf") else f"{character} "
    return f"{shown}({unicodedata.name(character, 'a character').lower()})"


def mend_brackets(text):
    """Close the brackets left open at the end of a line, or drop one that closes nothing."""
    waiting = []
    for position, character in enumerate(text):
        if character in CLOSING:
            waiting.append(character)
        if character not in CLOSING.values():
            continue
        bracket = waiting.pop() if waiting else None
        closing = CLOSING.get(bracket)
        if closing == character:
            continue
        before, after = text[:position], text[position + 1 :]
        if bracket is not None:
            yield (
                before + closing + after,
                _("{bracket} is closed by {closing}").format(bracket=bracket, closing=closing),
            )
            yield before + closing + character + after, _("{bracket} is not closed").format(bracket=bracket)
        yield before + after, _("{character} has no matching opening bracket").format(character=character)
        return
    if waiting:
        closing = "".join(CLOSING[each] for each in reversed(waiting))
        stripped = text.rstrip()
        reason = _("{bracket} is not closed").format(bracket=waiting[-1])
        if stripped.endswith(":"):
            yield stripped[:-1] + closing + ":", reason
        yield stripped + closing, reason
