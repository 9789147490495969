"""Blocks of code while they are typed: completeness, indentation of the next line, clean-up of pasted text.

Pure functions of text, for the language of `session.source`: Python, `%name` lines and `name?`.
"""

import ast
import codeop
import io
import re
import tokenize
import warnings

from tensh.cli.session.awaiting import ALLOWED
from tensh.cli.session.sources.source import drop_indent
from tensh.support.command_lines import command_on
from tensh.support.patterns import pattern

STEP = 4  # columns per level
LONG = 100  # lines of a block that is no longer parsed at every line
LEAVING = ("return", "raise", "pass", "break", "continue")  # statements that end a block
CLAUSES = {  # clause -> the statements that it can continue
    "else": ("if", "elif", "for", "while", "try", "except", "async for"),
    "elif": ("if", "elif"),
    "except": ("try", "except"),
    "finally": ("try", "except", "else"),
}
CLAUSE = pattern(r"(?P<margin>[ \t]*)(?P<word>else|elif|except|finally)\b")

NAME = pattern(r"[A-Za-z_][\w.]*")
MARGIN = pattern(r"^[ \t\xa0]+")  # pages and documents contain tabs and non-breaking spaces
PROMPTS = pattern(r"[ \t]*(?:>>>|tensh>|(?:In )?\[(?P<number>\d+)\]:)(?: |$)")
FENCE = pattern(r"[ \t]*(?:```|~~~)")  # fences of Markdown
NUMBERED = pattern(r"[ \t]*(?P<number>\d{1,6})(?:[ \t]*[|:.])?(?P<code>[ \t].*|)")  # a line with its number
CONTINUATIONS = pattern(r"[ \t]*\.\.\.:?(?: |$)")

compile_command = codeop.CommandCompiler()
compile_command.compiler.flags |= ALLOWED  # `async with x:` begins a block, too


def is_whole(text):
    """Return True if a block is complete: nothing is open, and a compound statement ends with a blank line.

    A syntax error counts as complete: running the block reports it.
    """
    lines = drop_indent(text.rstrip(" \t")).split("\n")
    code = "\n".join("pass" if command_on(line) else line for line in lines)
    try:
        if compile_command(code, "<block>", "exec") is None:
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are shown when the block runs
            statements = ast.parse(code).body
    except (SyntaxError, ValueError, OverflowError):
        return True
    is_compound = bool(statements) and any(hasattr(statements[-1], part) for part in ("body", "cases"))
    return not (is_compound and lines[-1].strip())


def goes_on(lines, openness):
    """Return True if the block needs more lines; `openness` has taken its lines.

    A long block is parsed only where it may be complete.
    """
    is_inside = openness or (lines[-1].startswith((" ", "\t")) and not is_blank(lines[-1]))
    return bool(len(lines) > LONG and is_inside) or not is_whole("\n".join(lines))


def is_blank(text):
    """Return True if a text is empty or whitespace."""
    return not text.strip()


def next_indent(text):
    """Return the indentation for the line after a text; None inside a string."""
    lines = text.split("\n")
    margin = len(lines[-1]) - len(lines[-1].lstrip(" "))
    tokens, is_string = scan(text)
    if is_string:
        return None
    opened = open_brackets(tokens)
    if opened:
        row = opened[-1]
        start = lines[row - 1]
        return margin if row < len(lines) else len(start) - len(start.lstrip(" ")) + STEP
    last = [each for each in tokens if each.start[0] == len(lines) or each.end[0] == len(lines)]
    if last and last[-1].string == ":":
        return margin + STEP
    if last and last[0].string in LEAVING:
        return max(margin - STEP, 0)
    return margin


def scan(text):
    """Return (the significant tokens, whether the text ends inside a multi-line string)."""
    quiet = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in quiet:
                tokens.append(token)
    except tokenize.TokenError as error:
        return tokens, "string" in str(error)
    except SyntaxError:
        pass
    return tokens, False


def open_brackets(tokens):
    """Return the rows of the brackets left open by the tokens, outermost first."""
    rows = []
    for token in tokens:
        if token.type == tokenize.OP and token.string in "([{":
            rows.append(token.start[0])
        elif token.type == tokenize.OP and token.string in ")]}" and rows:
            rows.pop()
    return rows


def clause_indent(text):
    """Return the indentation for a last line that begins with `else`, `elif`, ...: that of its statement.

    None if the line is already right, or there is no such statement.
    """
    *before, last = text.split("\n")
    clause = CLAUSE.match(last)
    if not clause or open_brackets(scan(last.strip())[0]) or scan(text)[1]:
        return None
    openers = re.compile(rf"(?:{'|'.join(CLAUSES[clause['word']])})\b")
    limit = len(clause["margin"])
    is_nearest = True
    for line in filter(str.strip, reversed(before)):
        margin = len(line) - len(line.lstrip(" "))
        if margin == limit and is_nearest and openers.match(line.lstrip(" ")):
            return None
        if margin < limit and openers.match(line.lstrip(" ")):
            return margin
        is_nearest = is_nearest and margin != limit
        limit = min(limit, margin)
    return None


def name_at(line, column):
    """Return the dotted name at or before a column; "" if there is none."""
    return next((match[0] for match in NAME.finditer(line) if match.start() <= column <= match.end()), "")


def clean_paste(text, is_alone=True):
    """Normalise pasted text: line ends, and without prompts and the output between them, and fences of Markdown.

    What is no Python is tried without line numbers and in ASCII, as pages and documents change quotes and signs, if it
    stands alone: within a string any text may be meant.
    """
    is_doubled = "\r\r" in text and not {"\r", "\n"} & {*text.replace("\r\r", "")}
    text = text.replace("\r\r", "\r") if is_doubled else text  # terminals that send Windows' line ends as two returns
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    first = next((line for line in lines if line.strip()), "")
    if FENCE.match(first):
        lines = [*strip_fences(lines)]
        first = next((line for line in lines if line.strip()), "")
    if PROMPTS.match(first) or CONTINUATIONS.match(first):
        lines = strip_prompts(lines)
    lines = [MARGIN.sub(lambda match: match[0].replace("\xa0", " ").expandtabs(STEP), line) for line in lines]
    found = drop_indent("\n".join(lines).rstrip())
    changes = (
        ()
        if not is_alone or is_python(found)
        else (strip_numbers, convert_lines, lambda each: convert_lines(strip_numbers(each)))
    )
    return next((other for change in changes if (other := change(found)) != found and is_python(other)), found)


def is_python(text):
    """Return True if a text can be read as Python with commands."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join("pass" if command_on(line) else line for line in text.split("\n")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def strip_fences(lines):
    """Yield the lines between the fences of blocks in Markdown."""
    is_inside = False
    for line in lines:
        if FENCE.match(line):
            is_inside = not is_inside
        elif is_inside:
            yield line


def strip_numbers(text):
    """Remove the numbers of the lines, if all of them are numbered in order."""
    found = [NUMBERED.match(line) for line in text.split("\n")]
    numbers = [int(match["number"]) for match in found if match]
    if len(numbers) < len(found) or numbers != [*range(numbers[0], numbers[0] + len(numbers))]:
        return text
    return drop_indent("\n".join(match["code"] for match in found))


def convert_lines(text):
    """Replace look-alikes of ASCII characters, except in strings and comments."""
    from tensh.explain.search.syntax import convert_to_ascii

    return text if text.isascii() else "\n".join(map(convert_to_ascii, text.split("\n")))


def strip_prompts(lines):
    """Yield the typed lines of a transcript without their prompts; a number that comes again marks output."""
    seen = set()
    for line in lines:
        prompt = PROMPTS.match(line) or CONTINUATIONS.match(line)
        number = prompt and prompt.groupdict().get("number")
        if prompt and number not in seen:
            seen |= {number} - {None}
            yield line[prompt.end() :]
