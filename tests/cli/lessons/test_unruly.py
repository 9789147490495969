"""Lessons whose code does what breaks programs around it: they go on, or end, and are never a fault of tensh's."""

import pytest

from tests.support.command_line import Done

UNRULY = {
    "an error without text": "class E(Exception):\n    def __str__(self): raise ValueError(1)\nraise E()  #? fails x\n",
    "stdout closed unseen": "import sys\nsys.stdout.close()  #? fails x\n1  #? value\n",
    "stdin closed": "import sys\nsys.stdin.close()\n1  #? value\n",
    "leaving": "exit()\n1  #? value\n",
}


@pytest.mark.parametrize("code", UNRULY.values(), ids=UNRULY.keys())
@pytest.mark.parametrize(
    "options", [["--answers", "answers.txt"], ["--answers", "answers.txt", "--json"], [], ["--json"]]
)
def test_code_of_a_lesson_that_breaks_things(code, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.tsh").write_text(f"# %% [markdown]\n# # A title\n\n# %%\n{code}")
    (tmp_path / "answers.txt").write_text("1: 5\n1: yes\n")
    done = Done("learn", "lesson.tsh", *options, stdin="5\nskip\nquit\n", XDG_STATE_HOME=str(tmp_path))
    assert done.status in (0, 1) and "bug in tensh" not in done.errors, done
