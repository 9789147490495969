"""The readers: their files, their calls, and the exceptions by which they may refuse a file."""

import io
import json
import os
import pickle
from typing import Any, NamedTuple

import tensh
import tensh.support.language as language
from tensh.cli.checking import compare
from tensh.cli.documents import files
from tensh.cli.learning import facts, judging
from tensh.cli.lessons import format as lessons
from tensh.cli.lessons import grading
from tensh.cli.lessons.model import Question
from tensh.cli.lessons.player import put_in_words
from tensh.cli.lessons.progress import Keeper
from tensh.cli.process.environment import Environment
from tensh.cli.programs import program
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.cli.repl import history
from tensh.cli.session.files import exporting, opening, saving
from tensh.cli.settings import config
from tensh.cli.sweeping import reading as sweeps
from tensh.cli.sweeping.showing import show as show_sweep
from tensh.cli.watching import event_files, showing
from tensh.cli.watching.page import FolderView
from tensh.distributed.checkpoint import state_dict_loader as checkpoints
from tensh.export.values import DamagedFile
from tensh.onnx.errors import OnnxError
from tensh.show.drawing.prose import lines_of
from tensh.support.escaping import visible
from tensh.utils.safetensors import SafetensorError
from tensh.utils.safetensors import torch as safetensors
from tests.fuzz.files.archives import change_archive
from tests.fuzz.files.events import change_events
from tests.fuzz.files.mutators import WORDS, change_bytes, change_text
from tests.fuzz.files.pickles import change_pickle
from tests.fuzz.files.protos import change_proto
from tests.fuzz.files.tables import change_json, change_npy, change_table

IMPORTED = (exporting,)  # modules that a conversion imports at first use, imported before the audit hook is active
UNREADABLE = (RuntimeError, pickle.UnpicklingError, EOFError)  # as for torch.load
CLI = (UsageError, opening.OpeningError, saving.FileError)  # shown by the command line as one line


class Target(NamedTuple):
    """``read`` takes bytes and a folder for files; ``change`` takes (random numbers, bytes, other files)."""

    read: Any
    change: Any
    refused: tuple


class Session:
    """A stand-in for the session in which a file is opened: names, among them a module that accepts a state."""

    engine = "tensh"

    def __init__(self):
        self.namespace = {"o": tensh.nn.Linear(1, 1)}

    def own_names(self):
        return dict(self.namespace)


def load(**options):
    return lambda data, folder: tensh.load(io.BytesIO(data), **options)


def load_mapped(data, folder):
    """Every other file by its path, mapped."""
    if len(data) % 2:
        return tensh.load(io.BytesIO(data))
    return tensh.load(put(data, folder, ".pt"), mmap=True)


def load_exported(data, folder):
    """An exported program, and the module that it makes."""
    program = tensh.export.load(io.BytesIO(data))
    return [program.state_dict, str(program.graph_signature), program.module().code]


def load_checkpoint(data, folder):
    """The description of a checkpoint, beside its data, and all that it says there is."""
    from tests.fuzz.files.seeds import checkpoint

    for name, content in (("__0_0.distcp", checkpoint()[1]), (".metadata", data)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    try:
        return repr(checkpoints._load_state_dict_from_keys(checkpoint_id=folder))
    except tensh.distributed.checkpoint.CheckpointException as error:
        raise error.failures[0][0] from None


def load_script(data, folder):
    """A file of TorchScript with its code."""
    module = tensh.jit.load(io.BytesIO(data))
    return [*module.state_dict().values(), getattr(module, "code", None)]


WEIGHTS = 20 * 20 * 4  # bytes of the external weights of a model


def load_onnx(data, folder):
    """A file of ONNX, with a file for weights beside it."""
    put(bytes(WEIGHTS), folder, ".onnx.data")
    module = tensh.onnx.load(put(data, folder, ".onnx"))
    return [*module.state_dict().values(), module.code]


def parse_onnx(data):
    from onnx import ModelProto

    return ModelProto.FromString(data)


def watch(data, folder):
    """An event file, and the output of `tensh watch` for it."""
    path = put(data, folder, ".tfevents.1")
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {})
    try:
        view = FolderView(folder)
    finally:
        os.remove(path)
    console = Console(env)
    console.result(view.draw(console.page()))
    shown = env.stdout.getvalue()
    assert shown == visible(shown)
    for line in showing.write_json(view).splitlines():
        json.loads(line, parse_constant=int)
    showing.write_csv(view)


def sweep(data, folder):
    """The runs of a sweep, and the output of `tensh sweep` for them."""
    path = put(data, folder, ".sqlite")
    facts, runs = sweeps.read(path)
    for shape in ({}, {"as_csv": True}, {"as_json": True}, {"plot": "rate"}):
        env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {})
        try:
            show_sweep(Console(env), facts, runs, **shape)
        except UsageError as error:
            assert "--plot" in str(error)
        shown = env.stdout.getvalue()
        assert shown == visible(shown)
    with open(path, "rb") as file:
        assert file.read() == data


def put(data, folder, extension):
    path = os.path.join(folder, "file" + extension)
    with open(path, "wb") as file:
        file.write(data)
    return path


def open_file(extension):
    return lambda data, folder: opening.define_names(Session(), put(data, folder, extension))


def document(kind):
    """Read as `tensh check` and `tensh convert` do, as `tensh run` does, and written as every other kind."""

    def read(data, folder):
        path = put(data, folder, kind)
        found = files.load(path)
        after = files.KINDS[len(data) % len(files.KINDS)]
        text = files.dumps(files.convert_document(found, kind, after), after)
        assert isinstance(text, str)
        for cell in program.from_file(path).cells:
            try:
                assert None not in cell.source.parts()
            except SyntaxError:
                continue
        return None

    return read


def compared(data, folder):
    """Two outputs of a cell, compared."""
    stored, _, now = data.decode("utf-8", "replace").partition("\0")
    found = compare.compare(stored, now, {"random": len(data) % 2, "addresses": len(data) % 3 == 0})
    assert all(isinstance(each.off_by, str) for each in found.wrong)


def settings(data, folder):
    """A file of settings, which causes warnings but is never refused."""
    loaded = config.load({"TENSH_CONFIG": put(data, folder, ".toml")})
    assert all("\n" not in complaint for complaint in loaded.complaints)


def lesson(data, folder):
    """A lesson in each kind of file, and its screens before its code runs."""
    path = put(data, folder, (".md", ".tsh", ".ipynb")[len(data) % 3])
    if len(data) % 3 == 2:
        text = data.decode("utf-8", "replace")
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}]
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file)
    found = lessons.load(path)
    for step in found.steps:
        text = put_in_words(step) if isinstance(step, Question) else getattr(step, "text", "")
        shown = ["".join(text for _kind, text in line) for line in lines_of(text, 80)]
        assert all(line == visible(line) for line in shown)
    assert found.questions


TRUTHS = {
    "shape": facts.Truth((2, 3), "float32"),
    "dtype": facts.Truth((), "int64"),
    "value": facts.state_value(tensh.arange(6.0).view(2, 3)),
    "grad": facts.state_value(None),
    "fails": facts.state_error(RuntimeError("sizes must match"), ("size",)),
}


def answers(data, folder):
    """A file of answers, each judged for every kind of question."""
    _name, found = grading.read(put(data, folder, ".txt"))
    for number, tries in found.items():
        for text in tries:
            for kind, truth in TRUTHS.items():
                assert judging.judge(kind, text, truth).is_right in (True, False), number


def progress(data, folder):
    """A learner's progress; none where the file cannot be read."""
    keeper = Keeper({"XDG_STATE_HOME": folder})
    os.makedirs(keeper.folder, exist_ok=True)
    with open(keeper.path("tensors"), "wb") as file:
        file.write(data)
    found = keeper.load("tensors")
    assert 0 <= found.right <= len(found.results) and found.is_done in (True, False)


def translations(data, folder):
    """A catalogue; English where it cannot be read."""
    place = os.path.join(folder, "zh", "LC_MESSAGES")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "tensh.mo"), "wb") as file:
        file.write(data)
    found = language.read_catalogue(folder, "zh")
    assert isinstance(found.gettext("right"), str)


def remembered(data, folder):
    path = put(data, folder, ".history")
    entries = history.History(path).entries()
    for name in os.listdir(folder):
        if "damaged" in name:
            os.remove(os.path.join(folder, name))
    return entries


TARGETS = {
    "archive": Target(load_mapped, change_archive(change_pickle, "data.pkl"), UNREADABLE),
    "legacy": Target(load(), change_pickle, UNREADABLE),
    "beyond": Target(load(weights_only=False), change_archive(change_pickle, "data.pkl"), UNREADABLE),
    "safetensors": Target(lambda data, folder: safetensors.load(data), change_table, (SafetensorError,)),
    "session": Target(open_file(".safetensors"), change_table, CLI),
    "npy": Target(open_file(".npy"), change_npy, CLI),
    "npz": Target(open_file(".npz"), change_archive(change_npy, ".npy"), CLI),
    "export": Target(load_exported, change_archive(change_json, "program.json"), (*UNREADABLE, DamagedFile)),
    "checkpoint": Target(load_checkpoint, change_pickle, (*UNREADABLE, ValueError, OSError)),
    "torchscript": Target(load_script, change_archive(change_pickle, ".pkl"), UNREADABLE),
    "events": Target(watch, change_events, (event_files.Unreadable,)),
    "sweep": Target(sweep, change_bytes, CLI),
    "onnx": Target(load_onnx, change_proto(parse_onnx), (OnnxError, NotImplementedError)),
    "notebook": Target(document(".ipynb"), change_json, CLI),
    "markdown": Target(document(".md"), change_text(WORDS["markdown"] + WORDS["python"]), CLI),
    "percent": Target(document(".py"), change_text(WORDS["python"]), CLI),
    "script": Target(document(".tsh"), change_text(WORDS["python"]), CLI),
    "output": Target(compared, change_text(WORDS["numbers"]), ()),
    "lesson": Target(lesson, change_text(WORDS["lesson"] + WORDS["python"]), CLI),
    "answers": Target(answers, change_text(WORDS["answers"] + WORDS["numbers"]), CLI),
    "progress": Target(progress, change_json, ()),
    "catalogue": Target(translations, change_bytes, ()),
    "settings": Target(settings, change_text(WORDS["toml"]), ()),
    "history": Target(remembered, change_text(WORDS["history"]), ()),
}


def change(rng, name, data, others):
    """A file of a kind with one or two changes."""
    target = TARGETS[name]
    changed = target.change(rng, data, others)
    if rng.random() < 0.15:
        changed = change_bytes(rng, changed, others)
    return changed
