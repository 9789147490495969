"""The reference lessons through `tensh run`: every cell prints its recorded output.

The lessons are in a folder beside the project, with the script that compares cells; without it these
tests are skipped. Each notebook runs in a separate process and in an empty folder, as in that script.
"""

import io
import json
import subprocess
import sys

import pytest

from tests.support.lessons import LESSONS, lessons_script
from tests.support.project import plain_environment
from tests.support.sampling import few_of

each_lesson = pytest.mark.parametrize("lesson", few_of(LESSONS), ids=[each.stem for each in LESSONS])

if not LESSONS:
    pytest.skip("no lessons beside the project", allow_module_level=True)


def record(path, engine):
    """Run a notebook; write what each cell prints as a line of JSON, None for a cell that is passed over."""
    from tensh.cli.process.environment import Environment
    from tensh.cli.programs.options import Options
    from tensh.cli.programs.program import from_file
    from tensh.cli.programs.run import Run

    texts, errors = [], []

    class Recorded(Run):
        def run_cell(self, cell):
            before = len(env.stdout.getvalue())
            errors.clear()
            goes_on = super().run_cell(cell)
            texts.append(None if cell.lacking else env.stdout.getvalue()[before:] + "".join(errors))
            return goes_on

        def take_failure(self, event, may_raise):
            last_line = (event.failure.message.splitlines() or [""])[-1]
            errors.append(f"{event.failure.kind.rpartition('.')[2]}: {last_line}\n")
            return super().take_failure(event, may_raise)

    env = Environment(io.StringIO(), io.StringIO(), io.StringIO())
    with env.install():
        status = Recorded(env, Options(engine=engine, keep_going=True), from_file(path)).run_all()
    print(json.dumps([status, texts]))


def differences(lesson, texts):
    """Yield (cell number, expected, printed) of each cell that is not as recorded."""
    script = lessons_script()
    for number, ((_, meta, expected, _), text) in enumerate(zip(script.code_cells(lesson), texts, strict=True), 1):
        expected = meta.get("current", expected)
        if text is not None and not script.matches(text, expected, meta):
            yield number, expected, text


def printed(lesson, folder, engine="tensh", python=sys.executable, **environment):
    """Return (exit status, what each cell prints)."""
    done = subprocess.run(
        [python, __file__, str(lesson), engine], cwd=folder, env=plain_environment() | environment,
        capture_output=True, encoding="utf-8", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@each_lesson
def test_every_cell_prints_what_is_recorded(lesson, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    status, texts = printed(lesson, work)
    assert [*differences(lesson, texts)] == []
    assert status == 0


@pytest.mark.thorough
@each_lesson
def test_the_command_ends_well(lesson, tmp_path, tensh_command):
    work = tmp_path / "work"
    work.mkdir()
    done = tensh_command("run", lesson, cwd=work)
    assert done.returncode == 0, done.stderr
    assert "tensor(" in done.stdout


if __name__ == "__main__":
    record(*sys.argv[1:])
