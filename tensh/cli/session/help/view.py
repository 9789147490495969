"""A help page as a view: wrapped between words in a window."""

import re
import textwrap

from tensh.cli.session.help.terminal_examples import color_example, fit_example
from tensh.show.drawing.page import View
from tensh.show.drawing.text import cells, wrap_lines

LEAST = 40  # columns; a narrower window is not wrapped for
LONGEST_NAME = 24  # columns; text beside a longer name begins below it
GAP = 2
INDENT = " " * 4
SHOWN = {
    "prose": "plain",
    "fact": "plain",
    "signature": "plain",
    "formula": "code",
    "condition": "note",
}  # kinds that are laid out here
MATHEMATICS = ("formula", "condition")
WORDS = re.compile(r"[a-z]{2,} [a-z]+ [a-z]{2,}|[\u4e00-\u9fff]")  # words of a sentence, or Chinese characters
SPACE = re.compile(r" |(?<=[\u4e00-\u9fff，。：；])(?=[\u4e00-\u9fff（])")
OPERATOR = re.compile(r" (?=(?:[-+*/@<>|&]|[<>=!]=|and|or|if|else) )|(?<=,) ")
BETWEEN = re.compile(r", (?![^(\[{]*[)\]}])")  # commas between parameters, not within a default


class HelpPage(View):
    """The (kind, text) pairs of a page.

    The kind "prose" may be wrapped between words, a "fact" beside its label, too, "example" is a line of a terminal,
    "signature" holds the parameters after a name, "formula" and "condition" are code that may be broken at its
    operators, and "view" holds a View.
    """

    is_whole = True  # the user asked for it: show it to the end

    def __init__(self, tokens):
        self.tokens = [*tokens]

    def draw(self, page):
        tokens, column = [], 0
        for kind, text in self.tokens:
            if kind == "view":
                tokens += text.draw(page)
                continue
            if kind == "example":
                tokens += color_example(fit_example(text, page.width) if is_wrapped(page) else text)
                continue
            if kind == "prose":
                text = fit_text(text, page)
            elif kind == "signature":
                text = fit_signature(text, page, column)
            elif kind == "fact":
                text = fit_fact(text, page, column)
            elif kind in MATHEMATICS:
                text = fit_formula(text if page.unicode else in_ascii(text), page, column)
            tokens.append((SHOWN.get(kind, kind), text))
            column = len(text) - text.rfind("\n") - 1 + column * ("\n" not in text)
        while tokens and not tokens[-1][1].rstrip("\n"):
            tokens.pop()
        kind, text = tokens.pop() if tokens else ("plain", "")
        yield from tokens
        yield kind, text.rstrip("\n")


def is_wrapped(page):
    """Return True if lines are broken to fit: a pipe takes lines of any length, and a very narrow window has no room."""
    return page.is_window and page.width >= LEAST


def in_ascii(text):
    """Return mathematical code in ASCII."""
    from tensh.graph.textbook.printing import spell_signs  # imported late: pages with other characters do not need it

    return spell_signs(text)


def fit_fact(text, page, column):
    """Wrap a line between words, in the column where it begins."""
    room = page.width - column - 1
    if not is_wrapped(page) or cells(text.rstrip("\n")) <= room or room < LEAST // 2:
        return text
    return ("\n" + " " * column).join(wrap_lines(text.rstrip("\n"), room)) + "\n"


def fit_signature(text, page, column):
    """Break the parameters of a signature into lines if the window is too narrow."""
    line = text.rstrip("\n")
    begin, end = line.find("("), line.rfind(")")
    if not is_wrapped(page) or column + len(line) < page.width or begin < 0:
        return text
    lines, parts = [""], BETWEEN.split(line[begin + 1 : end])
    for number, part in enumerate(parts):
        part += ", " * (number < len(parts) - 1)
        if lines[-1] and len(INDENT + lines[-1] + part.rstrip()) >= page.width:
            lines.append("")
        lines[-1] += part
    broken = "".join(f"{INDENT}{each.rstrip()}\n" for each in lines)
    return f"{line[: begin + 1]}\n{broken}{line[end:]}" + text[len(line) :]


def fit_formula(text, page, column):
    """Break a line that is too wide: a formula before its terms or factors, the outermost first, a sentence between words.

    ``column`` is where the line begins.
    """
    line, lines, margin = text.rstrip("\n"), [], INDENT * 2
    if not is_wrapped(page):
        return text
    while column + cells(line) >= page.width:
        places = find_breaks(line, len(margin), page.width - 1 - column)
        if not places:
            break
        place = max(places, key=lambda each: (preference(line, each), each))
        lines.append(line[:place].rstrip())
        line, column = margin + line[place:].lstrip(), 0
    return "\n".join([*lines, line]) + text[len(text.rstrip("\n")) :]


def find_breaks(line, begin, room):
    """Return where a line may be broken so that its first part has ``room`` columns, and is longer than ``begin``."""
    pattern = SPACE if WORDS.search(line) else OPERATOR
    return [
        match.start()
        for match in pattern.finditer(line)
        if begin < match.start() and cells(line[: match.start()]) <= room
    ]


def preference(line, place):
    """Rate a place for a break: best before a term of an outer sum; in a sentence, all are alike."""
    if WORDS.search(line):
        return ()
    depth = sum(map(line[:place].count, "([{")) - sum(map(line[:place].count, ")]}"))
    return line[place + 1] in "+-", -depth


def fit_text(text, page):
    """Wrap text to the window; outside a window return it unchanged."""
    if not is_wrapped(page):
        return text
    above, body = text[: len(text) - len(text.lstrip("\n"))], text.strip("\n")
    flush = textwrap.dedent(body)  # else a paragraph that is indented as a whole would pass for a list
    first = next((line for line in flush.split("\n") if line.strip()), "")
    margin = body[: body.find(first)].rpartition("\n")[2]
    width = page.width - 1 - len(margin)
    paragraphs = re.split(r"(\n\n+)", flush)
    filled = "".join(each if each.isspace() else fill_paragraph(each, width) for each in paragraphs)
    return above + textwrap.indent(filled, margin) + text[len(above) + len(body) :]


def fill_items(lines, width):
    """Fill the items under a heading such as ``Args:``; deeper lines belong to the item above."""
    items = []
    for line in lines:
        margin = line[: len(line) - len(line.lstrip())]
        if items and len(margin) > len(items[-1][0]):
            items[-1][1].append(line.strip())
        else:
            items.append((margin, [line.strip()]))
    for margin, parts in items:
        begin, then = margin, margin + INDENT
        yield textwrap.fill(
            " ".join(parts), width, initial_indent=begin, subsequent_indent=then, break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip


def fill_paragraph(paragraph, width):
    """Fill a paragraph; keep the lines of lists and other preformatted text."""
    first, *more = paragraph.split("\n")
    if first.rstrip().endswith(":") and any(len(line) > width for line in more):
        return "\n".join([first, *fill_items(more, width)])
    if first.startswith(">>>"):
        return fit_example(paragraph, width)
    if any(line.startswith((" ", "- ", "* ", "|", ">>>")) for line in more):
        return paragraph
    margin = first[: len(first) - len(first.lstrip())]
    return textwrap.fill(
        " ".join([first, *more]), width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )


class Listing(View):
    """Names with descriptions beside them, which a window wraps in their own column."""

    is_whole = True

    def __init__(self, rows):
        self.rows = [*rows]

    def draw(self, page):
        sizes = [cells(name) for name, _text in self.rows]
        usual = [size for size in sizes if size <= LONGEST_NAME]
        width = (max(usual) if page.is_window and usual else max(sizes)) + GAP
        if page.is_window and page.width - width - 1 < LEAST // 2:  # no room beside the names
            width = len(INDENT)
        for number, (name, text) in enumerate(self.rows):
            yield "plain", "\n" * bool(number)
            yield "name", name
            yield "plain", "\n" + " " * width if cells(name) + GAP > width else " " * (width - cells(name))
            lines = wrap_lines(text, max(page.width - width - 1, LEAST // 2)) if page.is_window else [text]
            yield "plain", ("\n" + " " * width).join(lines)
