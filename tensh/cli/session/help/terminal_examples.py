"""Examples as in a terminal: lines after a prompt and the output below them, broken where a window is too narrow."""

import re

from tensh.show.drawing.text import cells

PROMPT = re.compile(r"(\s*)((?:>>>|\.\.\.) )?(\s*)")
STRING = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
SPACE, BREAK = re.compile(" "), re.compile(r" |[(\[{](?![)\]}])")
CONTINUED = " " * 4


def color_example(text):
    """Yield the (kind, text) pairs of an example."""
    for line in text.splitlines(keepends=True):
        margin, prompt, _indent = PROMPT.match(line).groups(default="")
        yield "plain", margin
        yield "prompt", prompt
        yield "code" if prompt else "plain", line[len(margin + prompt) :]


def fit_example(text, width):
    """Break lines that are too wide: code within brackets, where Python lets it go on; output between words.

    Other lines are unchanged.
    """
    return "\n".join(piece for line in text.split("\n") for piece in fit_line(line, width))


def fit_line(line, width):
    """Yield the pieces of a line, in columns below a width."""
    match = PROMPT.match(line)
    margin, prompt, indent = match.groups(default="")
    begin = margin + (prompt and "... ") + indent + CONTINUED
    find_breaks = find_code_breaks if prompt else find_spaces
    least = match.end()
    while cells(line) >= width:
        fitting = [each for each in find_breaks(line) if each[1] > least and cells(line[: each[1]].rstrip()) < width]
        if not fitting:
            break
        place = max(fitting)[1]
        yield line[:place].rstrip()
        line, least = begin + line[place:].lstrip(), len(begin)
    yield line


def find_spaces(line):
    """Return (preference, place) for each break of a line of output: at a space."""
    return [(0, match.end()) for match in SPACE.finditer(line)]


def find_code_breaks(line):
    """Return (preference, place) for each break of a line: in few brackets, at a space or after the opening one."""
    bare = STRING.sub(lambda match: "_" * len(match[0]), line).partition("#")[0]
    if "'" in bare or '"' in bare:  # a string over several lines
        return []
    places = [match.end() for match in BREAK.finditer(bare)]
    return [(-depth, place) for place in places if (depth := count_open_brackets(bare[:place])) > 0]


def count_open_brackets(text):
    """Return the number of brackets that are open at the end of a text."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
