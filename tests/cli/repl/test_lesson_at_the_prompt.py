"""A recorded lesson, typed at the prompt line by line."""

import ast
import os

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tensh.cli.repl import blocks
from tests.support.terminal import Terminal


@pytest.mark.thorough
def test_a_lesson_typed_line_by_line(tmp_path):
    from tests.support import lessons

    if not lessons.LESSONS:
        pytest.skip("no lessons beside the project")
    lesson = lessons.LESSONS[0]
    script = lessons.lessons_script()
    errors = str(tmp_path / "errors")  # warnings are not recorded
    with Terminal(columns=200, rows=200, cwd=tmp_path, errors=errors, TENSH_CAPTION="off") as shell:
        shell.ready()
        for number, (code, meta, expected, _) in enumerate(script.code_cells(lesson), 1):
            *first, last = typed(code)
            shown = "".join(shell.enter(each) + "\n" for each in [*map(quiet, first), last])
            shown = "\n".join(filter(None, shown.split("\n")))
            expected = "\n".join(filter(None, meta.get("current", expected).split("\n")))
            assert script.matches(shown, expected, meta), f"cell {number}: {shown!r} instead of {expected!r}"


def typed(code):
    """The blocks of a cell as somebody types them: lines as they are written, a blank one behind a block and no other."""
    lines = [line.rstrip() for line in code.split("\n") if line.strip()]
    block = []
    for line in lines:
        if block and is_over(block) and not line.startswith((" ", "else", "elif", "except", "finally")):
            yield "\r".join(block) + "\r"
            block = []
        block.append(line)
        if blocks.is_whole("\n".join(block)):
            yield "\r".join(block)
            block = []
    if block:
        yield "\r".join(block) + "\r"


def quiet(block):
    """A block that shows what it prints and no value, as all but the last of a cell."""
    node = ast.parse(block.replace("\r", "\n")).body[:1]
    shows = node and isinstance(node[0], ast.Expr) and not block.startswith("print")
    return block + ";" if shows else block


def is_over(block):
    """Return True if a blank line would run the block."""
    return blocks.is_whole("\n".join(block) + "\n")
