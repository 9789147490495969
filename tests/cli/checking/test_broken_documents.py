"""Documents that are broken, hostile or slow."""

import json

import pytest

from tests.cli.checking.checks import check, notebook, printed, write

BROKEN = {
    "deep.ipynb": b'{"nbformat": 4, "cells": ' + b"[" * 100_000,
    "text.ipynb": b"\xff\xfe",
    "list.md": b"\xff",
    "header.tsh": b"# tensh: [1]\n1\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_line_and_the_others_are_checked(name, tmp_path):
    (tmp_path / name).write_bytes(BROKEN[name])
    good = write(tmp_path, "good.tsh", "1\n#> 1\n")
    status, out, err = check(tmp_path / name, good)
    assert status == 2 and "1 ok" in out
    assert name in err and err.count("\n") == 1


HOSTILE = {
    "nested code": "(" * 5000 + ")" * 5000,
    "signs": "-" * 100_000 + "1",
    "a long line": "x = '" + "a" * 2_000_000 + "'\nx[:1]",
    "a huge number": "print('9' * 6000)",
    "brackets": "print('[' * 200_000 + '1 ' * 200_000 + ']' * 200_000)",
    "too much": "print('1 ' * 1_000_000)",
    "a null": "x = '\0'",
    "a bad repr": "class A:\n    def __repr__(self): raise SystemError('no')\nA()",
    "a bad message": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
    "a closed stream": "import sys\nsys.stdout = None\nprint(1)",
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_differs_and_no_more(name, tmp_path):
    path = write(
        tmp_path,
        "a.ipynb",
        notebook((HOSTILE[name], printed("something else\n"), {}), ("print(1)", printed("1\n"), {})),
    )
    status, out, err = check(path)
    assert status == 3 and err == ""
    assert "Traceback" not in out and len(out) < 5000


@pytest.mark.parametrize("settings", [
    [1], {"requires": ".."}, {"requires": [1]}, {"alternatives": 3}, {"current": 1, "stale": []}, {"skip": {}},
])  # fmt: skip
def test_hostile_metadata_is_no_more_than_strange(settings, tmp_path):
    path = write(tmp_path, "a.ipynb", notebook(("print(1)", printed("2\n"), {"tensh": settings, "tags": 1})))
    status, out, err = check(path)
    assert status in (0, 3) and err == "" and "Traceback" not in out
    path.write_text(path.read_text().replace('"metadata": {}', f'"metadata": {{"tensh": {json.dumps(settings)}}}'))
    assert check(path)[0] == status


def test_time_that_is_over(tmp_path):
    path = write(tmp_path, "a.tsh", "1\n#> 1\nwhile True: pass\n#> 2\n3\n#> 3\n")
    status, out, _ = check("--timeout", "0.2", path)
    assert status == 124 and "stopped after 0.2 s" in out
