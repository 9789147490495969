"""Commands, code and outputs in the documents are true."""

import ast
import contextlib
import doctest
import inspect
import io
import pkgutil
import re
import shutil
import subprocess
import sys

import pytest

import tensh
from tensh.alias.parts import OWN
from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.cli.session.help import names
from tensh.engine.methods.unsupported import UnsupportedMember, is_in_pytorch
from tests.support.project import ROOT, plain_environment

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *PAGES]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def blocks(language, text=README):
    """The fenced blocks of a text in one language, without their fences."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(session):
    """Yield (command, what it prints) for each ``$ `` of a terminal session; ``> `` continues a command."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        more = [line for line in rest if line.startswith("> ")]
        yield "\n".join([first, *(line[2:] for line in more)]), "\n".join(rest[len(more) :])


def sessions():
    """Every command in the documents, with what it prints."""
    for path in DOCUMENTS:
        for session in blocks("console", path.read_text(encoding="utf-8")):
            for command, printed in commands(session):
                yield pytest.param(command, printed, id=f"{name_of(path)}: {command.splitlines()[0]}")


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(("command", "printed"), list(sessions()))
def test_session_in_a_document(command, printed, tmp_path):
    for folder in ("scripts", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    shell = f'tensh() {{ "{sys.executable}" -m tensh "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=tmp_path,
        env=plain_environment() | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state")},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (done.stdout + done.stderr).rstrip() == printed.rstrip()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_in_a_page_gives_what_stands_there(page, tmp_path, monkeypatch):
    if page.name == "onnx.md":
        pytest.importorskip("onnx")
    if page.name == "watching.md":
        pytest.importorskip("tensorboard")
        monkeypatch.chdir(tmp_path)  # the folder that it writes to
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    status = main(["check", str(page)], env)
    assert status == 0, env.stdout.getvalue() + env.stderr.getvalue()


@pytest.mark.parametrize(("options", "printed"), [([], "True\n"), (["--set", "rate=0.01"], "False\n")])
def test_file_of_the_start_page(options, printed, tmp_path):
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    script = tmp_path / "line.tsh"
    script.write_text(blocks("python", page.partition("<!-- file: line.tsh -->")[2])[0], encoding="utf-8")
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    assert (main(["run", str(script), *options], env), env.stdout.getvalue()) == (0, printed)


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


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document):
    text = document.read_text(encoding="utf-8")
    prose = re.sub(r"^```\w+\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", prose) if "://" not in link]
    links += re.findall(r"^```\{(?:image|include)\} (\S+)", text, re.MULTILINE)
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_functions_that_the_page_about_the_engine_names_are_there():
    text = " ".join((ROOT / "docs" / "how" / "real.md").read_text(encoding="utf-8").split())
    named = re.findall(r"`(\w+)` (?:of|in) `(tensh/[\w/]+\.py)`", text)
    assert len(named) > 20
    defined = r"^\s*(?:def|class) {0}\b|^{0}\b.* = "
    assert [
        (name, path)
        for name, path in named
        if not re.search(defined.format(name), (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    ] == []


def test_scripts_that_contributors_are_told_to_run_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    scripts = re.findall(r"(?:python|pytest -q|bash) ((?:tests|scripts|tools|\.ci)/\S+?)[`\s]", text)
    modules = [ROOT / name.replace(".", "/") for name in re.findall(r"python -m (tests\.[\w.]+)", text)]
    assert len(scripts) > 5
    assert [script for script in scripts if not (ROOT / script).exists()] == []
    assert (
        modules
        and [each for each in modules if not any((each.with_suffix(".py").exists(), (each / "__main__.py").exists()))]
        == []
    )


def definitions(node):
    """A module or class, and the classes and functions in it; those inside a function are not for users."""
    yield node
    if not isinstance(node, ast.FunctionDef):
        for each in node.body:
            if isinstance(each, ast.ClassDef | ast.FunctionDef):
                yield from definitions(each)


def examples():
    """Every docstring with an example, in the source and in classes declared as a family."""
    found = set()
    for path in sorted((ROOT / "tensh").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in definitions(ast.parse(source)) if ">>>" in source else ():
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                found.add(text)
                where = path.relative_to(ROOT)
                yield pytest.param(text, where, id=f"{where}:{getattr(node, 'name', 'module')}")
    for name in names.list_names():
        if name.kind == "class" and ">>>" in name.doc and name.doc not in found:
            yield pytest.param(name.doc, ROOT / name.space, id=name.path)


@pytest.mark.filterwarnings("ignore")  # examples of deprecated functions
@pytest.mark.parametrize(("text", "where"), list(examples()))
def test_example_in_a_docstring(text, where):
    test = doctest.DocTestParser().get_doctest(text, {"torch": tensh, "tensh": tensh}, where.name, str(where), 0)
    report = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


def public():
    """Yield (where, name, object) of every public function, class, method and property."""
    for name in dir(tensh):
        yield "torch", name, getattr(tensh, name)
    members = {name: member for name, member in vars(tensh.Tensor).items() if not isinstance(member, UnsupportedMember)}
    for name, member in members.items():
        yield "Tensor", name, member if isinstance(member, property) else getattr(tensh.Tensor, name)


def test_every_public_name_is_documented_in_a_sentence():
    def sentence(thing):
        return (inspect.getdoc(thing) or "").partition("\n")[0].endswith((".", ":", "?", ")"))

    speaking = [(w, n, x) for w, n, x in public() if not n.startswith("_") and (callable(x) or isinstance(x, property))]
    assert [f"{where}.{name}" for where, name, thing in speaking if not sentence(thing)] == []


# ── the reference ────────────────────────────────────────────────────────────
def namespaces():
    """The public modules of tensh that PyTorch has, too."""
    for module in pkgutil.walk_packages(tensh.__path__, "tensh.", onerror=lambda name: None):
        parts, path = module.name.split(".")[1:], f"torch{module.name.removeprefix('tensh')}"
        if parts[0] not in OWN and not any(part.startswith("_") for part in parts) and is_in_pytorch(path):
            yield path


def public_names(space):
    """The functions and classes of a namespace."""
    entries = names.entries(space).items()
    return {name for name, each in entries if name[0] != "_" and (inspect.isclass(each) or inspect.isroutine(each))}


@pytest.mark.thorough
def test_the_reference_has_every_public_name():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reference").glob("*.md"))
    pages = set(re.findall(r"^```\{names\} (\S+)$", text, re.MULTILINE))
    written = {name for space in pages for name in public_names(space) | names.entries(space).keys()}
    found = [*namespaces()]
    assert "torch.utils.data.graph_settings" in found
    assert {space: lost for space in found if (lost := public_names(space) - written)} == {}
