"""Documents in four kinds of file: there and back gives the same cells; `tensh convert` writes them."""

import io
import itertools
import json
import random

import pytest

from tensh.cli.app import main
from tensh.cli.documents import files
from tensh.cli.documents.model import Cell, Document, Output
from tensh.cli.files import reading
from tensh.cli.process.environment import Environment
from tests.support.command_line import Done
from tests.support.project import SHARED

LESSONS = sorted(SHARED.glob("lessons/*.ipynb"))
VALUE = Output("value", "tensor([1., 2.])")
PRINTED = Output("printed", "a\nb\n")


def command(*words):
    """Return (exit status, what goes to stderr) of a command line."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    return main([*map(str, words)], env), env.stderr.getvalue()


def cells_of(document):
    """The cells, but for the ids of a notebook and how a file writes them."""
    return [
        cell._replace(form="", more={name: value for name, value in cell.more.items() if name != "id"})
        for cell in document.cells
    ]


def there_and_back(document, kind, other):
    """A document that was written as another kind of file, read, and turned back."""
    text = files.dumps(files.convert_document(document, kind, other), other)
    return files.convert_document(files.loads(text, other), other, kind)


@pytest.mark.parametrize("kind", [".tsh", ".py", ".md"])
@pytest.mark.parametrize("lesson", LESSONS, ids=[each.stem for each in LESSONS])
def test_a_lesson_there_and_back(lesson, kind):
    document = files.load(str(lesson))
    back = there_and_back(document, ".ipynb", kind)
    assert cells_of(back) == cells_of(document)
    assert back.echo == document.echo


@pytest.mark.parametrize("lesson", LESSONS, ids=[each.stem for each in LESSONS])
def test_a_notebook_is_written_as_it_was(lesson):
    assert files.dumps(files.load(str(lesson)), ".ipynb") == lesson.read_text(encoding="utf-8")


# Cells that are hard to write down in one file or another.
HARD = {
    "nothing": [],
    "empty cells": [Cell("code", ""), Cell("prose", ""), Cell("code", ""), Cell("raw", "")],
    "blank lines": [Cell("code", "\n\nx = 1\n\n"), Cell("prose", "\n\na\n\n"), Cell("code", " \n")],
    "prose beside prose": [Cell("prose", "# One"), Cell("prose", "two"), Cell("raw", "three")],
    "a block of code in prose": [Cell("prose", "Look:\n\n```python\nx = 1\n```\n\nand\n\n```\nx\n```")],
    "prose that begins with a block": [Cell("code", "x = 1"), Cell("prose", "```\nnot output\n```")],
    "a block without an end": [Cell("prose", "```python\nx"), Cell("code", "x = 1")],
    "comments of ours in prose": [Cell("prose", "<!-- cell -->\n<!-- /cell -->\n<!-- //cell -->"), Cell("code", "x")],
    "prose with spaces": [Cell("prose", "a  \n   \n    code\n#b\n# c")],
    "marks in code": [Cell("code", "# %%\n#%% a\n#> 1\n#: # %%\n#: a\n# tensh: {}\nx = '''\n# %%\n#> '''\n")],
    "not Python": [Cell("code", "%matplotlib inline\n!pip install x\n  !ls"), Cell("code", "%%time\nx = (1\n% 2)")],
    "broken code": [Cell("code", "x = (\n% y"), Cell("code", ">>> x\n1")],
    "a percent sign": [Cell("code", "x = (5\n% 3)\nx", (Output("value", "2"),))],
    "fences in code": [Cell("code", "x = '''\n```\n````\n'''", (Output("printed", "```\n"),))],
    "outputs of each kind": [
        Cell("code", "print(1)\nx", (PRINTED, VALUE)),
        Cell("code", "x", (PRINTED, Output("warned", "careful\n"), PRINTED)),
        Cell("code", "1 / 0", (Output("error", "ZeroDivisionError: division by zero", {"traceback": ["one", "two"]}),)),
        Cell("code", "f()", (Output("display", "a picture", {"data": {"image/png": "iVBORw0KGgo="}}), VALUE)),
        Cell("code", "x", (Output("other", "", {"output_type": "new", "x": 1}),)),
    ],
    "outputs that are no lines": [
        Cell("code", "print('a', end='')", (Output("printed", "a"),)),
        Cell("code", "x", (Output("printed", "10 %\r20 %\r"), Output("value", "a\n"))),
        Cell("code", "print()", (Output("printed", "\n"), Output("printed", " \n"))),
        Cell("code", "x", (Output("value", ""),)),
        Cell("code", "x", (Output("value", "\n # %%\n#> \n```"),)),
    ],
    "what is known of a cell": [
        Cell("code", "x", (VALUE,), {"tags": ["a --> b"], "tensh": {"random": True}}, 12),
        Cell("code", "x", (), {"title": "Loading data"}, 3, {"attachments": {"a": {}}}),
        Cell("prose", "x", (), {"title": "[3] {a} "}),
        Cell("code", "x", (), {"title": "the {a}"}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize(("kind", "other"), [*itertools.permutations(files.KINDS, 2)])
def test_hard_cells_there_and_back(name, kind, other):
    document = Document([cell._replace(form="marked") for cell in HARD[name]], "last")
    own = files.loads(files.dumps(document, kind), kind)
    assert cells_of(own) == cells_of(document)
    assert cells_of(there_and_back(own, kind, other)) == cells_of(document)


LINES = [
    "x = 1", "x", "print(x)", "x;", "for i in x:", "    y = 2", "(", ")", "'''", "\\", "", "", "  ", "\t", "# a", "é中文", "- b",
    "# %%", "%%", "%% a", "# %% [markdown]", "#%%", "#> 1", "#>", "#: # %%", "#: ", "# tensh: {\"a\": 1}", "[1]", "{\"a\": 1}",
    "!ls", "%time x", "%%time", "```", "````", "```python", "```text", "~~~", ">>> x", "... y", "<!-- tensh: {} -->",
    "<!-- cell -->", "<!-- cell [markdown] -->", "<!-- /cell -->", "Traceback (most recent call last):",
]  # fmt: skip


def drawn(draw):
    """A document of lines that mean something in one file or another."""

    def text():
        return "\n".join(draw.choices(LINES, k=draw.randint(0, 6)))

    def output():
        kind = draw.choice(["printed", "warned", "value", "display", "error"])
        return Output(kind, {"error": "E: "}.get(kind, "v") + text() + draw.choice(["", "\n"]))

    def cell():
        metadata = draw.choice([{}, {}, {"tensh": {"random": True}}])
        if draw.random() < 0.4:
            return Cell(draw.choice(["prose", "raw"]), text(), (), metadata)
        outputs = tuple(output() for _ in range(draw.randint(0, 2)))
        return Cell("code", text(), outputs, metadata, draw.choice([None, 3]), form="marked")

    return Document([cell() for _ in range(draw.randint(0, 5))], "last")


@pytest.mark.parametrize("kind", files.KINDS)
def test_any_cells_are_read_as_they_were_written(kind):
    for seed in range(300):
        document = drawn(random.Random(seed))
        text = files.dumps(document, kind)
        read = files.loads(text, kind)
        assert cells_of(read) == cells_of(document), f"seed {seed}"
        assert files.dumps(read, kind) == text, f"seed {seed}"


SCRIPT = """\
x = torch.ones(2)
x * 2
#> tensor([2., 2.])

# and more
x + 1;
print(np.pi)
#> 3.141592653589793
# %% The end
x
x - 1
"""


def test_results_divide_a_script_into_cells():
    document = files.loads(SCRIPT, ".tsh")
    assert [cell.text for cell in document.cells] == [
        "x = torch.ones(2)\nx * 2", "\n# and more\nx + 1;\nprint(np.pi)", "x\nx - 1"
    ]  # fmt: skip
    assert [[each.kind for each in cell.outputs] for cell in document.cells] == [["value"], ["printed"], []]
    assert document.cells[2].metadata == {"title": "The end"}
    assert files.dumps(document, ".tsh") == SCRIPT.replace("# %% The", "\n# %% The")


def test_a_script_as_a_notebook_has_imports_and_says_what_is_shown(tmp_path):
    script, notebook, back = (tmp_path / name for name in ("a.tsh", "a.ipynb", "b.tsh"))
    script.write_text(SCRIPT)
    assert command("convert", script, notebook) == (0, "")
    found = json.loads(notebook.read_text())
    assert found["cells"][0]["source"] == ["import numpy as np\n", "import torch"]
    assert found["metadata"]["tensh"] == {"echo": "each"}
    assert command("convert", notebook, back) == (0, "")
    assert cells_of(files.load(str(back))) == cells_of(files.load(str(script)))


MARKDOWN = """\
# Sums

```pycon
>>> x = torch.ones(2)
>>> for i in range(2):
...     print(i)
...
0
1
>>> x.sum(
... )
tensor(2.)
>>> x @ torch.ones(3)
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
RuntimeError: inconsistent tensor size
```

Then:

```python
x
```

```text
tensor([1., 1.])
```

```bash
tensh run x.tsh
```

```python
y = 1
```
"""


def test_markdown_has_sessions_and_blocks_with_output():
    document = files.loads(MARKDOWN, ".md")
    assert [cell.kind for cell in document.cells] == ["prose", *["code"] * 4, "prose", "code", "prose", "code"]
    assert [cell.text for cell in document.cells][2:4] == ["for i in range(2):\n    print(i)\n", "x.sum(\n)"]
    assert document.cells[4].outputs[0].text == "RuntimeError: inconsistent tensor size"
    assert document.cells[6].outputs == (Output("value", "tensor([1., 1.])"),)
    assert files.dumps(document, ".md") == MARKDOWN


@pytest.mark.parametrize("other", [".tsh", ".py", ".ipynb"])
@pytest.mark.parametrize(("text", "kind"), [(SCRIPT, ".tsh"), (MARKDOWN, ".md"), ("print(1)\n#> 1\n", ".py")])
def test_small_files_there_and_back(text, kind, other):
    document = files.loads(text, kind)
    assert cells_of(there_and_back(document, kind, other)) == cells_of(document)


def nested(depth):
    return '{"nbformat": 4, "cells": [{"cell_type": "code", "metadata": ' + '{"a": ' * depth + "1" + "}" * depth + "}]}"


BROKEN = {
    "deep.ipynb": nested(100_000).encode(),
    "number.ipynb": b'{"nbformat": ' + b"9" * 5000 + b"}",
    "text.ipynb": b"\xff\xfe\xfa",
    "empty.ipynb": b"",
    "list.ipynb": b"[]",
    "old.ipynb": b'{"nbformat": 3, "worksheets": []}',
    "cells.ipynb": b'{"nbformat": 4, "cells": [1]}',
    "kind.ipynb": b'{"nbformat": 4, "cells": [{"cell_type": ["code"]}]}',
    "source.ipynb": b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 1}]}',
    "outputs.ipynb": b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": {}}]}',
    "output.ipynb": b'{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"output_type": "error", "ename": 1}]}]}',
    "header.tsh": b'# tensh: {"a": ',
    "bytes.py": b"x = '\xff'",
    "bytes.md": b"\xc3\x28",
    "other.rst": b"",
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_ends_with_one_line(name, tmp_path):
    (tmp_path / name).write_bytes(BROKEN[name])
    status, said = command("convert", tmp_path / name, tmp_path / "out.md")
    assert status == 2
    assert name in said and said.count("\n") == 1 and len(said) < 400
    assert not (tmp_path / "out.md").exists()


def test_the_target_may_be_an_option(tmp_path):
    (tmp_path / "a.py").write_text("print(1)\n")
    assert command("convert", "-o", tmp_path / "a.ipynb", tmp_path / "a.py")[0] == 0
    assert (tmp_path / "a.ipynb").exists()
    for targets in ((), (tmp_path / "b.md", "-o", tmp_path / "c.md")):
        status, said = command("convert", tmp_path / "a.py", *targets)
        assert status == 2 and "one file to write" in said and said.count("\n") == 1


def test_what_is_no_file_is_not_read(tmp_path, monkeypatch):
    link, folder, large = tmp_path / "link.md", tmp_path / "folder.md", tmp_path / "large.md"
    link.symlink_to(link)
    folder.mkdir()
    monkeypatch.setattr(reading, "LARGEST", 1000)
    large.write_text("x" * 1001)
    for path in (link, folder, large, tmp_path / "missing.md"):
        status, said = command("convert", path, tmp_path / "out.tsh")
        assert status == 2 and str(path) in said and said.count("\n") == 1


def test_a_file_is_not_written_over_by_accident(tmp_path):
    source, target = tmp_path / "a.tsh", tmp_path / "a.md"
    source.write_text(SCRIPT)
    target.write_text("mine")
    status, said = command("convert", source, target)
    assert status == 2 and "--force" in said and target.read_text() == "mine"
    assert command("convert", source, target, "--force") == (0, "")
    assert "```python" in target.read_text()


def test_text_that_cannot_be_written_is_refused(tmp_path):
    source, target = tmp_path / "a.ipynb", tmp_path / "a.md"
    source.write_text('{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "\\ud800"}]}')
    status, said = command("convert", source, target)
    assert status == 2 and "surrogates" in said and not target.exists()
    assert command("convert", source, tmp_path / "b.ipynb") == (0, "")


QUESTIONS = ["x?", "?x", "x ??", "torch.*norm?", "net[0].weight?", "?", "x.y?  # why"]


@pytest.mark.parametrize("line", QUESTIONS)
def test_a_question_is_a_comment_in_python_and_comes_back(tmp_path, line):
    """However it is written; code that looks a little like one stays code."""
    text = f"x = 1\n{line}\ny = [x]  # x?\n"
    (tmp_path / "a.tsh").write_text(text)
    assert Done("convert", str(tmp_path / "a.tsh"), str(tmp_path / "a.py")).status == 0
    assert f"x = 1\n#: {line}\ny = [x]  # x?\n" in (tmp_path / "a.py").read_text()
    Done("convert", str(tmp_path / "a.py"), str(tmp_path / "b.tsh"))
    assert text in (tmp_path / "b.tsh").read_text()
