"""Markdown files as programs."""

import json

from tests.support.command_line import Done

MARKDOWN = """# A lesson

```python
x = torch.arange(3.)
x * 2
```

```
tensor([0., 2., 4.])
```

```pycon
>>> x + 1
tensor([1., 2., 3.])
>>> x @ torch.ones(2)
Traceback (most recent call last):
RuntimeError: inconsistent tensor size
>>> torch.rand(1)  # doctest: +SKIP
```

```bash
ls
```

```python
y = 3
y + x.view(2, 2)
```
"""


def test_the_code_of_markdown_runs(script):
    path = script(MARKDOWN, "lesson.md")
    done = Done("run", path)
    assert (done.status, done.output) == (1, "tensor([0., 2., 4.])\ntensor([1., 2., 3.])\n")
    assert "lesson.md cell 3, line 1: RuntimeError: inconsistent tensor size" in done.errors  # as the document says
    assert "lesson.md cell 4, line 2: RuntimeError: shape '[2, 2]' is invalid for input of size 3" in done.errors
    assert "rand" not in done.errors


def test_the_code_of_markdown_has_its_place_in_records(script):

    done = Done("run", script(MARKDOWN, "lesson.md"), "--json")
    records = [json.loads(line) for line in done.output.splitlines()]
    assert [(each["kind"], each.get("cell"), each.get("expected")) for each in records] == [
        ("value", 1, None), ("value", 2, None), ("error", 3, True), ("error", 4, False), ("end", None, None),
    ]  # fmt: skip


def test_markdown_without_code_runs_to_its_end(script):
    assert Done("run", script("# Words\n", "words.md")) == (0, "", "")
