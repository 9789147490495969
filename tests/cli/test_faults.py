"""Every command with a failing file system: one line, the status, and the old file unchanged.

A disk that is full and a folder that cannot be written are mounted for it, where that is allowed.
"""

import contextlib
import io
import os
import shutil
import subprocess
import sys

import pytest

import tensh
from tensh.cli.app import main
from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.repl.history import History
from tests.support.command_line import command
from tests.support.project import ROOT, plain_environment

LESSON = "torch.ones(2)\n#> tensor([1., 2.])\n"
GRAPH = "x = torch.ones(2, requires_grad=True) * 2"
LARGE = "torch.ones(100_000)"


# ── writing ──────────────────────────────────────────────────────────────────
SAVES = (
    'p = torch.profiler.profile()\nwith p:\n    torch.ones(2)\np.export_chrome_trace("old.pt")',
    f'torch.save({LARGE}, "old.pt")',
    f'from safetensors.torch import save_file; save_file({{"a": {LARGE}}}, "old.pt")',
)
WRITES = [  # arguments, the file that they write, the status if it cannot be written
    (["check", "--update", "old.tsh"], "old.tsh", status.USAGE),
    (["convert", "--force", "long.tsh", "old.ipynb"], "old.ipynb", status.USAGE),
    (["graph", "-c", "\n".join(["x = torch.ones(2, requires_grad=True)"] + ["x = x * 2"] * 400), "x", "--whole",
      "--view", "tape", "-o", "old.txt"], "old.txt", status.USAGE),
    *((["-c", code], "old.pt", status.FAILED) for code in SAVES),
    (["-c", f"x = {LARGE}\n%save old.safetensors --over"], "old.safetensors", status.FAILED),
    (["-c", "x = '''" + "lines\n" * 20_000 + "'''\n%export old.md --over"], "old.md", status.FAILED),
]  # fmt: skip


@contextlib.contextmanager
def mounted(folder, options):
    """A file system of some kilobytes in memory."""
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run([mount, "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True).returncode
    ):
        pytest.skip("only root may mount file systems")
    try:
        yield
    finally:
        os.chdir(ROOT)
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture(params=["a full disk", "a disk that cannot be written"])
def disk(request, tmp_path, monkeypatch):
    """The current folder is on such a disk, and there is an old file for each command."""
    with mounted(tmp_path, "size=256k"):
        for name in {name for _, name, _ in WRITES}:
            (tmp_path / name).write_text(LESSON)
        (tmp_path / "long.tsh").write_text("1\n" * 2_000)
        if request.param == "a full disk":
            with contextlib.suppress(OSError), open(tmp_path / "filler", "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        else:
            subprocess.run(["mount", "-o", "remount,ro", tmp_path], check=True)
        monkeypatch.chdir(tmp_path)
        yield tmp_path


@pytest.mark.parametrize("arguments, name, expected", WRITES, ids=[f"{a[0]} {n}" for a, n, _ in WRITES])
def test_what_cannot_be_written_leaves_the_old_file(disk, arguments, name, expected):
    before = sorted(os.listdir(disk))
    found, _, said = command(*arguments)
    assert found == expected
    assert "No space left on device" in said or "Read-only file system" in said
    assert "Traceback" not in said and (expected == status.FAILED or said.count("\n") == 1)
    assert (disk / name).read_text() == LESSON and sorted(os.listdir(disk)) == before


def test_a_model_that_cannot_be_written_leaves_the_old_file(disk, tmp_path_factory):
    pytest.importorskip("onnx")
    model = tmp_path_factory.mktemp("models") / "model.pt2"
    tensh.export.save(tensh.export.export(tensh.nn.Linear(2, 2), (tensh.ones(1, 2),)), model)
    found, _, said = command("export", model, "--onnx", "old.pt", "--force")
    assert found == status.USAGE and said.startswith("tensh export: old.pt: ") and said.count("\n") == 1
    assert (disk / "old.pt").read_text() == LESSON


def test_a_kernel_that_cannot_be_written_is_not_there(disk):
    pytest.importorskip("ipykernel")
    found, _, said = command("kernel", "install", "--prefix", ".")
    assert found == status.USAGE and ("No space left on device" in said or "Read-only file system" in said)
    assert not (disk / "share/jupyter/kernels/tensh").exists()


@pytest.mark.parametrize("more", [[], ["--remove"]], ids=str)
def test_an_alias_that_cannot_be_written_is_as_it_was(disk, monkeypatch, more):
    monkeypatch.setattr(sys, "prefix", str(disk))
    monkeypatch.setattr(sys, "base_prefix", "elsewhere")
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(disk))
    before = sorted(os.listdir(disk))
    found, _, said = command("alias", "--venv", *more)
    assert (found == status.USAGE and said.count("\n") == 1) or "did not mean tensh" in said
    assert sorted(os.listdir(disk)) == before


def test_memory_in_a_file_that_the_disk_has_no_room_for_is_refused(disk):
    """The system ends a process that writes to a page without room."""
    with pytest.raises(RuntimeError, match="No space left on device|Read-only file system"):
        tensh.from_file("new", shared=True, size=200_000).fill_(1)
    with pytest.raises(RuntimeError, match="No space left on device|Read-only file system"):
        tensh.UntypedStorage.from_file("old.pt", True, 800_000)
    assert not (disk / "new").exists() and (disk / "old.pt").read_text() == LESSON


def test_a_history_that_cannot_be_written_is_given_up_with_one_notice(disk):
    history = History(str(disk / "history"))
    for line in "abc":
        history.add(line * 5_000)
    assert history.path is None and len(history.take_messages()) == 1 and history.take_messages() == []


# ── reading ──────────────────────────────────────────────────────────────────
@pytest.fixture
def strange(tmp_path, monkeypatch):
    """A folder of names that are no ordinary files."""
    for name in ("pipe.tsh", "pipe.ipynb"):
        os.mkfifo(tmp_path / name)
    for name in ("folder.tsh", "folder.ipynb"):
        (tmp_path / name).mkdir()
    for name, target in {"loop.tsh": "loop.tsh", "lost.tsh": "nowhere", "device.tsh": "/dev/zero"}.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "good.tsh").write_text("1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices are POSIX's")
@pytest.mark.parametrize("verb", [["run"], ["check"], ["check", "--update"], ["graph"]], ids=" ".join)
@pytest.mark.parametrize("name", ["pipe.tsh", "folder.tsh", "loop.tsh", "lost.tsh", "device.tsh", "good.tsh/x.tsh"])
def test_what_is_no_file_is_one_line(strange, verb, name):
    found, shown, said = command(*verb, name)
    assert (found, shown, said.count("\n")) == (status.USAGE, "", 1) and name in said


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices are POSIX's")
@pytest.mark.parametrize("name", ["folder.ipynb", "good.tsh/x.ipynb", "none/x.ipynb", "loop.tsh"])
def test_what_nothing_can_be_written_into_is_one_line(strange, name):
    found, shown, said = command("convert", "--force", "good.tsh", name)
    assert (found, shown, said.count("\n")) == (status.USAGE, "", 1) and name in said


@pytest.mark.parametrize("name", ["n" * 251 + ".tsh", "a\nb.tsh", os.fsdecode(b"\xff\xfe.tsh")], ids=ascii)
def test_a_command_writes_a_file_of_any_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(LESSON)
    assert command("run", name)[:2] == (status.OK, "tensor([1., 1.])\n")
    assert command("check", name)[0] == status.DIFFERS
    assert command("check", "--update", name)[0] == status.OK
    assert (tmp_path / name).read_text() == "torch.ones(2)\n#> tensor([1., 1.])\n"
    assert command("convert", name, "x.md")[0] == status.OK


def test_names_that_are_no_text_are_written_in_a_strict_encoding(tmp_path):
    name = os.fsdecode(b"\xff.tsh")
    (tmp_path / name).write_text("1\n#> 2\n")
    variables = plain_environment() | {"PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "check", name], cwd=tmp_path, env=variables, capture_output=True
    )
    assert (done.returncode, done.stderr) == (status.DIFFERS, b"") and b"\\udcff.tsh" in done.stdout


REMOVED = {  # in a folder that has been removed: status, message
    ("-c", "torch.ones(1)"): (status.OK, ""),
    ("run", "x.tsh"): (status.USAGE, "x.tsh: no such file: the current folder has been removed\n"),
    ("run", "--watch", "x.tsh"): (status.USAGE, "x.tsh: no such file: the current folder has been removed\n"),
    ("check", "x.tsh"): (status.USAGE, "x.tsh: no such file\n"),
    ("check", "."): (status.USAGE, "tensh check: .: nothing to check\n"),
    ("convert", "x.tsh", "y.md"): (status.USAGE, "x.tsh: no such file\n"),
    ("graph", "-c", GRAPH, "x", "-o", "x.txt"): (status.USAGE, "tensh graph: x.txt: No such file or directory\n"),
    ("-c", "x = 1\n%export x.md"): (status.FAILED, "-c:2: %export x.md: No such file or directory\n"),
    ("config",): (status.OK, ""),
    ("env",): (status.OK, ""),
}


@pytest.mark.skipif(os.name == "nt", reason="such a folder cannot be removed there")
@pytest.mark.parametrize("arguments", REMOVED, ids=" ".join)
def test_in_a_folder_that_has_been_removed(tmp_path, monkeypatch, arguments):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    found, _, said = command(*arguments)
    monkeypatch.chdir(ROOT)
    assert (found, "".join(said.splitlines(True)[:1])) == REMOVED[arguments]


def test_a_file_that_vanishes_between_listing_and_reading_is_one_line(tmp_path, monkeypatch):
    from tensh.cli.files import reading

    for name in ("a.tsh", "b.tsh"):
        (tmp_path / name).write_text("1\n#> 1\n")
    before = reading.content

    def vanishing(path, *more):
        if os.path.basename(path) == "b.tsh":
            os.unlink(path)
        return before(path, *more)

    monkeypatch.setattr(reading, "content", vanishing)
    found, shown, said = command("check", tmp_path)
    assert found == status.USAGE and "1 ok" in shown
    assert said.count("\n") == 1 and "b.tsh: no such file" in said


def test_a_file_that_grows_while_it_is_read_has_an_end(tmp_path):
    from tensh.cli.files import reading

    path = tmp_path / "file"
    path.write_bytes(b"1" * 100)
    with pytest.raises(reading.UsageError, match="larger than the limit of 0 KiB"):
        reading.content(path, 99)
    assert len(reading.content(path, 100)) == 100


class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt


def make_class(*_):
    """What ^C becomes that comes while a class is made."""
    type("Made", (), {"name": Named()})


def fail_to_import(*_):
    """What it becomes that comes in a module of C that NumPy imports."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise ImportError("numpy._core.multiarray failed to import") from error


@pytest.mark.parametrize("act", [make_class, fail_to_import])
def test_an_interrupt_that_python_wraps_is_no_fault(act, monkeypatch):
    monkeypatch.setattr("tensh.cli.app.answer", act)
    errors = io.StringIO()
    assert main(["-c", "1"], Environment(io.StringIO(), io.StringIO(), errors, {})) == status.INTERRUPTED
    assert errors.getvalue() == ""


def test_a_fault_that_no_interrupt_has_caused_is_said(monkeypatch):
    monkeypatch.setattr("tensh.cli.app.answer", lambda *_: {}["x"])
    errors = io.StringIO()
    assert main(["-c", "1"], Environment(io.StringIO(), io.StringIO(), errors, {})) == status.INTERNAL
    assert "a bug in tensh (KeyError: 'x'" in errors.getvalue()


@pytest.mark.parametrize("package, arguments", [("typer", ["--help"]), ("numpy", ["-c", "torch.ones(2)"])])
def test_a_package_that_is_not_installed_is_named(package, arguments):
    code = f"import sys; sys.modules[{package!r}] = None; from tensh.cli.start import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, encoding="utf-8",
        env=plain_environment() | {"PYTHONPATH": str(ROOT)}, timeout=120,
    )  # fmt: skip
    assert done.returncode == status.FAILED and done.stdout == ""
    assert done.stderr.startswith(f"tensh needs the package {package}, which is not installed: ")
    assert done.stderr.endswith(f" -m pip install {package}\n")


# ── files that are named as libraries are ────────────────────────────────────
CODES = {"no code": "oops = = 1", "nothing of it": "x = 1", "raises": "raise ValueError('no')"}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
@pytest.mark.parametrize("name", ["numpy.py", "math.py", "numpy/__init__.py"])
def test_a_file_in_the_place_of_a_library_is_named(name, code, tmp_path):
    if name.removesuffix(".py") in sys.builtin_module_names:
        pytest.skip("part of this Python, so that no file takes its place")
    file = tmp_path / "work" / name
    file.parent.mkdir(parents=True)
    file.write_text(code)
    (tmp_path / "work" / "a.tsh").write_text("torch.ones(2)\n")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", os.path.join("work", "a.tsh")], cwd=tmp_path, capture_output=True,
        encoding="utf-8", env=plain_environment() | {"PYTHONPATH": str(ROOT)}, timeout=120,
    )  # fmt: skip
    library = name.removesuffix(".py").partition("/")[0]
    assert done.returncode == status.FAILED and done.stdout == ""
    assert done.stderr.startswith(f"{file} has the name of the library {library}, so Python loads it instead")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, given", [(["-c", "import helper; helper.x"], ""), (["-"], "import helper\nhelper.x\n")]
)
def test_a_file_of_the_current_folder_takes_no_librarys_place(arguments, given, tmp_path):
    for name in ("numpy.py", "math.py", "random.py", "difflib.py"):
        (tmp_path / name).write_text("raise SystemExit(7)\n")
    (tmp_path / "helper.py").write_text("x = 5\n")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tensh", *arguments], cwd=tmp_path, input=given, capture_output=True,
        encoding="utf-8", env=plain_environment() | {"PYTHONPATH": str(ROOT)}, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "5\n", "")


def test_other_files_with_the_names_of_modules_are_not_named(tmp_path, monkeypatch):
    (tmp_path / "queue.py").write_text("x = 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tensh.cli.app.answer", lambda *_: {}["x"])
    errors = io.StringIO()
    assert main(["-c", "1"], Environment(io.StringIO(), io.StringIO(), errors, {})) == status.INTERNAL
    assert "a bug in tensh" in errors.getvalue()
