"""What the documents show is what happens."""

import ast
import contextlib
import doctest
import inspect
import io
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, plain_environment

import tensh
from tensh.engine.absent import Lack

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    """The fenced blocks of the README in one language, without their fences."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands(session):
    """(command, what it prints) for each ``$ `` of a terminal session; ``> `` continues a command."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        more = [line for line in rest if line.startswith("> ")]
        yield "\n".join([first, *(line[2:] for line in more)]), "\n".join(rest[len(more) :])


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(("command", "printed"), [pair for session in blocks("console") for pair in commands(session)])
def test_session_in_the_readme(command, printed):
    shell = f'tensh() {{ "{sys.executable}" -m tensh "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-c", shell], cwd=ROOT, env=plain_environment(), capture_output=True, encoding="utf-8", timeout=120
    )
    assert (done.stdout + done.stderr).rstrip() == printed.rstrip()


@pytest.mark.parametrize("program", blocks("python"))
def test_program_in_the_readme_prints_its_last_comment(program):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "README.md", "exec"), {"__name__": "__main__"})
    assert printed.getvalue().strip() == program.rstrip().rpartition("# ")[2]


def test_readme_gives_exactly_two_commands():
    run, test = [block.strip() for block in blocks("sh")]
    assert "\n" not in run + test
    script = ROOT / re.search(r"tensh run (\S+)", run)[1]
    assert script.is_file()
    assert "-m pytest" in test


@pytest.mark.parametrize("document", sorted(ROOT.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []


def examples():
    """Every docstring in the source that shows an example."""
    for path in sorted((ROOT / "tensh").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text and ">>>" in text:
                    where = path.relative_to(ROOT)
                    yield pytest.param(text, where, id=f"{where}:{getattr(node, 'name', 'module')}")


@pytest.mark.parametrize(("text", "where"), list(examples()))
def test_example_in_a_docstring(text, where):
    test = doctest.DocTestParser().get_doctest(text, {"torch": tensh, "tensh": tensh}, where.name, str(where), 0)
    report = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


def public():
    """(where, name, object) of every public function, class, method and property."""
    for name in dir(tensh):
        yield "torch", name, getattr(tensh, name)
    members = {name: member for name, member in vars(tensh.Tensor).items() if not isinstance(member, Lack)}
    for name, member in members.items():
        yield "Tensor", name, member if isinstance(member, property) else getattr(tensh.Tensor, name)


def test_every_public_name_is_documented_in_a_sentence():
    def sentence(thing):
        return (inspect.getdoc(thing) or "").partition("\n")[0].endswith((".", ":", "?", ")"))

    speaking = [(w, n, x) for w, n, x in public() if not n.startswith("_") and (callable(x) or isinstance(x, property))]
    assert [f"{where}.{name}" for where, name, thing in speaking if not sentence(thing)] == []
