"""No text from elsewhere reaches the terminal unescaped: one hostile string takes every path.

A way is a name, the files that it needs and the arguments of a command. What comes out may hold colours where they were
asked for, and no other character that a terminal obeys or nobody sees.
"""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

import tensh as torch
from tensh.show.drawing.text import cells
from tensh.show.loops import progress
from tensh.support.escaping import shell_word, visible, visible_line
from tensh.utils.safetensors.torch import save_file
from tests.support.command_line import assert_clean, tensh

pytestmark = pytest.mark.thorough

HOSTILE = (
    "\x1b]52;c;aGk=\x07\x1b]0;title\x07\x1b[2J\x9b31m\x90q\x7f\x08\x00\u202eabc\u2066\u2069\u200f\u061c"
    "\u2028\u2029\ud800\u200b\u3164\U000e0041\ufeff[red]x[/red][link=https://x]y[/link]\r"
)
NAME = HOSTILE.translate(dict.fromkeys(map(ord, "\0\ud800/:"))).replace("[", "(").replace("]", ")")  # of a file, too
MODES = {"pipe": (), "colour": ("--color", "always"), "json": ("--json",)}


TEXT = f"{HOSTILE!r}"
CODE = {  # what shows it -> a script
    "a message": f"raise ValueError({TEXT})",
    "a cause": f"try:\n    raise ValueError({TEXT})\nexcept ValueError as error:\n    raise KeyError({TEXT}) from error",
    "a note": f"error = ValueError()\nerror.add_note({TEXT})\nraise error",
    "a missing attribute": f"getattr(torch.ones(1), {TEXT})",
    "a missing key": f"{{}}[{TEXT}]",
    "the name of an exception": f"raise type({TEXT.replace(chr(92) + 'x00', '').replace(chr(92) + 'ud800', '')}, (Exception,), {{}})",
    "the module of an exception": f"raise type('E', (Exception,), {{'__module__': {TEXT}}})",
    "a warning": f"import warnings\nwarnings.warn({TEXT})",
    "an exit": f"import sys\nsys.exit({TEXT})",
    "a value": f"{TEXT}",
    "a repr": f"class A:\n    def __repr__(self): return {TEXT}\nA()",
    "a repr in a list": f"class A:\n    def __repr__(self): return {TEXT}\n[A()]",
    "a key": f"{{{TEXT}: torch.ones(1)}}",
    "keys of many tensors": f"{{{TEXT} + str(i): torch.ones(1) for i in range(9)}}",
    "a view of keys": f"from tensh import show\nshow.contents({{{TEXT}: torch.ones(1)}})",
    "a name of the session": f"globals()[{TEXT}] = torch.ones(1, requires_grad=True)\n%who\n%grads",
    "a type": f"x = type('A', (), {{'__qualname__': {TEXT}.replace(chr(0), ''), '__module__': {TEXT}}})()\n%who",
    "a module": f"m = nn.Module()\nm.add_module({NAME.replace('.', '')!r}, nn.Linear(1, 1))\nm\n%summary m torch.ones(1)",
    "documentation": f"def f():\n    {TEXT}\nf?\nf??",
    "a line that fails": f"1 / 0  # {NAME.replace(chr(13), '')}",
    "a string in a line that fails": f"int('{NAME.replace(chr(13), '')}')",
    "a command": f"%{NAME.replace(chr(13), '')}",
    "a setting": f"%set theme {NAME.replace(chr(13), '')}",
    "a name of a setting": f"%set {NAME.replace(chr(13), '')} 1",
    "history": f"x = 1  # {NAME.replace(chr(13), '')}\n%history",
    "an undone line": f"x = 1  # {NAME.replace(chr(13), '')}\n%undo",
    "a file that is not there": f"%load {NAME.replace(chr(13), '')}.npy",
    "a file of a kind": f"%export {NAME.replace(chr(13), '')}.x{NAME.replace(chr(13), '')}",
    "an operand": f"x = {{'{NAME.replace(chr(13), '')}': torch.ones(2, 3)}}\nx['{NAME.replace(chr(13), '')}'] @ torch.ones(2)",
    "a syntax error": f"x = = '{NAME.replace(chr(13), '')}'",
    "a made-up syntax error": f"raise SyntaxError({TEXT}, ({TEXT}, 1, 1, {TEXT}, 1, 2))",
    "a loop": f"from tensh.show import track\nfor i in track(range(3), {TEXT}): pass",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to be in, so that files can be named as they are."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", CODE)
def test_a_script_that_runs(what, mode, folder, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    (folder / "a.tsh").write_text(CODE[what], errors="surrogatepass", newline="")
    assert_clean(tensh("run", "a.tsh", *MODES[mode]))
    if mode == "pipe":
        assert_clean(tensh("run", "a.tsh", "--traceback", "full", "--echo", "all", "--time", "--plain"))


@pytest.mark.parametrize("what", ["a message", "a warning", "an exit", "a value"])
def test_a_graph_of_a_script(what, folder):
    (folder / "a.tsh").write_text(CODE[what], errors="surrogatepass", newline="")
    assert_clean(tensh("graph", "a.tsh"))


def stored(text):
    output = {"output_type": "stream", "name": "stdout", "text": text}
    error = {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]}
    cells = [
        {"cell_type": "code", "source": source, "metadata": {"tensh": settings}, "outputs": [given], "execution_count": 1}
        for source, given, settings in (
            ("print(1)", output, {}), (f"1 # {text}", error, {}), ("1 / 0", output, {"requires": text}),
            (f"!{text}", output, {}), (f"%%{text}", output, {}), ("raise ValueError(" + repr(text) + ")", output, {}),
        )
    ]  # fmt: skip
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


DOCUMENTS = {
    "a.ipynb": stored(HOSTILE.replace("\r", "").replace("\0", "").replace("\ud800", "")),
    "a.md": f"# {NAME}\n```python\nprint(1)\n```\n```text\n{NAME}\n```\n```python\n1 / 0  # {NAME}\n```\n",
    "a.tsh": f"print(1)\n#> {NAME}\n1 / 0  # {NAME}\n",
}


@pytest.mark.parametrize("command", ["check", "check --json", "check --color always", "run", "run --json"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document(name, command, folder):
    (folder / name).write_text(DOCUMENTS[name].replace("\r", ""), newline="")
    assert_clean(tensh(*command.split(), name))


PATHS = ["run {}.tsh", "run {}.x", "run {}.ipynb", "check {}.md", "check {}.md --json", "check {}", "convert {}.md {}.tsh",
         "convert {}.x b.tsh", "graph {}.tsh", "graph {}.tsh {}", "open {}.pt", "open {}.onnx", "doc {}", "doc {} --json",
         "api {}", "api {} --json", "{}", "--{}", "run --{}", "run a.tsh --set {}", "run a.tsh --set {}=1", "-c {}",
         "run a.tsh --{} 1", "check a.tsh --rtol {}", "config {}", "run a.tsh --engine {}", "graph a.tsh --why {}",
         "graph a.tsh y -o {}/b", "check --write {}/b.md a.tsh", "graph a.tsh --focus {}",
         "check a.tsh --against {}"]  # fmt: skip


@pytest.mark.parametrize("there", [False, True], ids=["missing", "there"])
@pytest.mark.parametrize("line", PATHS)
def test_an_argument(line, there, folder):
    (folder / "a.tsh").write_text("y = torch.ones(1, requires_grad=True) * 2\n")
    if there:
        for kind in (".tsh", ".md", ".ipynb", ".x"):
            (folder / (NAME + kind)).write_text("1 / 0\n")
    name = NAME + "\n[bold]"
    for each in (NAME, name):
        assert_clean(tensh(*(word.format(*[each] * 2) if "{" in word else word for word in line.split())))


def test_an_argument_stays_on_its_line(folder):
    assert tensh("run", "a\nb.tsh") == "a\\nb.tsh: no such file\n"
    assert tensh("run", "a.tsh", "--set", "a\nb") == "a.tsh: no such file\n"


SHOWN_VARIABLES = {
    "TERM": HOSTILE,
    "COLUMNS": HOSTILE,
    "TENSH_THEME": HOSTILE,
    "OMP_NUM_THREADS": HOSTILE,
    "TENSH_CONFIG": NAME,
}


@pytest.mark.parametrize("command", ["env", "config", "config path", "--plain env", "--color always config"])
def test_variables_of_the_environment_are_shown_escaped(command, folder):
    assert_clean(tensh(*command.split(), **SHOWN_VARIABLES))


@pytest.mark.parametrize(
    "text", [f"{NAME} = 1", f'theme = "{NAME}"', f"x = {TEXT}", f'"{NAME.encode("unicode_escape").decode()}" = 1']
)
def test_a_file_of_settings(text, folder):
    (folder / "config.toml").write_text(text)
    assert_clean(tensh("config", TENSH_CONFIG="config.toml"))


def test_one_bad_setting_is_one_line(folder):
    (folder / "config.toml").write_text('theme = """a\nb\nc"""\n"na\\nme" = 1\n')
    assert tensh("config", TENSH_CONFIG="config.toml").count("\nconfig.toml: ") == 2
    assert tensh("config", TENSH_CONFIG="config.toml").endswith("history, startup\n")


# ── files of tensors ─────────────────────────────────────────────────────────

NAMES = HOSTILE.replace("\ud800", "")


def tensors(path):
    """A file of tensors with hostile names."""
    if path.suffix == ".npz":
        np.savez(path, **{NAME: np.ones(2), "!": np.ones(1)})
    elif path.suffix == ".safetensors":
        save_file({NAMES: torch.ones(2)}, str(path), metadata={NAMES: NAMES})
    elif path.suffix == ".pt":
        torch.save({NAMES: torch.ones(2), "a": {NAMES: NAMES}, 5: [NAMES]}, path)
    else:
        np.save(path, np.ones(2))


@pytest.mark.parametrize("kind", [".npz", ".safetensors", ".pt", ".npy"])
@pytest.mark.parametrize("mode", MODES)
def test_a_file_of_tensors(kind, mode, folder):
    path = folder / f"{NAME.replace(chr(13), '')}{kind}"
    tensors(path)
    (folder / "b.pt").write_bytes(b"\x80\x02c" + NAMES.encode() + b"\nb\n.")
    load = f"%load {path.name}\n%who\nl = {{**globals()}}\n" + (
        f"d = torch.load({path.name!r})\nd\nlist(d)\ntorch.load('b.pt')\n" if kind == ".pt" else ""
    )
    (folder / "a.tsh").write_text(load, newline="")
    assert_clean(tensh("run", "a.tsh", "--keep-going", *MODES[mode]))


def test_a_damaged_file_of_tensors(folder):
    for kind in (".npz", ".safetensors", ".pt", ".npy"):
        path = folder / f"{NAME.replace(chr(13), '')}{kind}"
        tensors(path)
        path.write_bytes(path.read_bytes()[:-20])
        (folder / "a.tsh").write_text(f"%load {path.name}\n", newline="")
        assert_clean(tensh("run", "a.tsh"))


# ── graphs ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("view", "form"),
    [(view, "text") for view in ("tree", "tape", "dag")] + [("dag", form) for form in ("dot", "mermaid", "json")],
)
def test_names_in_a_graph(view, form, folder):
    name = NAME.replace(chr(13), "")
    code = f"d = {{{TEXT}: torch.ones(1, requires_grad=True)}}\nx = d[{TEXT}] * 2 # {name}\ny = (x + d[{TEXT}]) * len('{name}')\n"
    (folder / "a.tsh").write_text(code, newline="")
    found = tensh("graph", "a.tsh", "--format", form, "--view", view, "--values", "--formulas")
    assert_clean(found)
    if form == "json":
        assert json.loads(found)["tensh_graph"] == 1
    if form == "dot":
        strings = re.findall(r'"(?:[^"\\]|\\.)*"', found)
        assert all(re.fullmatch(r'"(?:[^"\\]|\\[n"\\])*"', each) for each in strings)


@pytest.mark.parametrize("more", [["--why", "w"], ["--steps"], ["--mode", "forward"], ["--grads"]])
def test_what_is_said_of_a_graph(more, folder):
    name = NAME.replace(chr(13), "")
    code = f"w = torch.ones(1, requires_grad=True)\nd = {{{TEXT}: w}}\ny = (d['''{name}'''] if 0 else w) * 2\ny.backward()\n"
    (folder / "a.tsh").write_text(code, newline="")
    assert_clean(tensh("graph", "a.tsh", *more))


# ── what it is made of ───────────────────────────────────────────────────────


def test_what_a_program_prints_itself_goes_through(folder):
    assert tensh("-c", "print('\\x1b[2J\\u202e[red]')") == "\x1b[2J\u202e[red]\n"


def test_records_read_back_as_they_were(folder):
    found = [json.loads(line) for line in tensh("-c", TEXT, "--json").splitlines()]
    assert found[0]["data"] == HOSTILE


def test_every_character_is_shown_or_escaped():
    for code in [
        *range(0x3100),
        *range(0x3100, 0x110000, 61),
        *range(0xD700, 0xE100),
        *range(0xFE00, 0x10000),
        *range(0xE0000, 0xE01F0),
    ]:
        character = chr(code)
        shown = visible(character)
        assert shown == character or (shown.isascii() and shown.isprintable() and shown.startswith("\\"))
        assert shown != character or character in "\n\t" or character.isprintable() or character.isspace()


def test_the_names_of_files_in_the_folder_are_not_completed_where_nobody_can_type_them(folder):
    from tensh.cli.session.completion import complete

    for name in (NAME, "seen"):
        (folder / name).write_text("")
    assert [each.text for each in complete("'", {}).candidates] == ["seen"]
    keys = complete("d['", {"d": {HOSTILE: 1, "a\\b": 2}}).candidates
    assert [eval(f"'{each.text}'") for each in keys] == [HOSTILE, "a\\b"]
    for each in keys:
        assert_clean(each.text)


if os.name == "nt":  # pragma: no cover
    pytestmark = pytest.mark.skip("names of files cannot be hostile there")


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not here")
def test_a_name_in_a_command_is_one_word_of_a_shell():
    signs = [
        "a",
        "'",
        '"',
        " ",
        "$(ls)",
        "`",
        "\\",
        "\n",
        "\x1b",
        "!",
        "*",
        "~",
        "#",
        ";",
        "&",
        "\u202e",
        "é",
        "\udcff",
        "\\udcff",
        "{a,b}",
    ]
    names = [
        first + second + third for first in signs for second in ("", "'", "\\", "\x1b") for third in ("", "4", " ")
    ]
    words = " ".join(map(shell_word, names))
    assert visible_line(words) == words
    printed = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, check=True).stdout
    assert printed.split(b"\0")[:-1] == [os.fsencode(name) for name in names]


def test_a_command_that_is_to_be_copied_has_the_name_of_a_file_as_one_word(folder):
    (folder / "a; ls.tsh").write_text("#> 1\n1\n# %%\n2\n#> 3\n")
    assert "tensh check --update 'a; ls.tsh'\n" in tensh("check", "a; ls.tsh")


def test_emoji_are_shown_as_python_shows_them(folder):
    for text in ("\u2764\ufe0f", "a\u200db", "e\u0301", "\u202e", "\u2066", "\U000e0100", "\x9b"):
        shown = repr(text)[1:-1]
        if text.isprintable() and text != "\U000e0100":
            assert visible(text) == shown == text
        else:
            assert visible(text) == text.encode("unicode_escape").decode()
    assert tensh("-c", "'\u2764\ufe0f'") == "'\u2764\ufe0f'\n"
    assert cells("\u2764\ufe0f") == cells("e\u0301") == 1
