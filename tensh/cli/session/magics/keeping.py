"""Exporting, saving and loading: `%export`, `%save`, `%load`."""

import ast
import errno
import os

from tensh.cli.session.events import Notice
from tensh.cli.session.magics.arguments import parse_call
from tensh.cli.session.magics.registry import MAGICS, MagicError, magic
from tensh.show.reading import describe
from tensh.support.command_lines import blank_commands
from tensh.support.language import _, count
from tensh.support.replacing import replace_file

OVER = "--over"


def file_of(command, extension):
    """Return (path of the file in the argument, whether --over was given); add a missing extension."""
    words = command.argument.split()
    over = OVER in words
    unknown = next((word for word in words if word.startswith("--") and word != OVER), None)
    if unknown:
        rest = _("it has {options}").format(options=OVER)
        raise MagicError(
            _("%{name}: there is no option {option}; {rest}").format(name=command.name, option=unknown, rest=rest)
        )
    path = command.argument.replace(OVER, "").strip().strip("'\"")
    if not path:
        raise MagicError(
            _("%{name}: expected a file: {usage}").format(name=command.name, usage=MAGICS[command.name].usage)
        )
    if len(words) - over > 1 and os.path.splitext(words[0])[1] and path == command.argument.replace(OVER, "").strip():
        raise MagicError(
            _("%{name}: expected one file, but got {given}; a name with spaces is written in quotes").format(
                name=command.name, given=" ".join(words)
            )
        )
    path = os.path.expanduser(path)
    if os.path.basename(path) in ("", os.curdir, os.pardir):
        raise MagicError(
            _("%{name}: {path} is a folder; expected a file: {usage}").format(
                name=command.name, path=path, usage=MAGICS[command.name].usage
            )
        )
    return path + extension * (not os.path.splitext(path)[1]), over


@magic(
    "export", "%export FILE [--over], or MODEL INPUT... FILE.onnx", "write the session to a .tsh, .py, .ipynb or .md file, or a model to ONNX",
    needs_journal=True,
)  # fmt: skip
def export(session, command):
    from tensh.cli.session.files import exporting

    *names, path = command.argument.replace(OVER, "").split() or [""]
    if names and path.endswith(".onnx"):
        yield from export_model(session, command, names, os.path.expanduser(path))
        return
    path, over = file_of(command, ".tsh")
    extension = os.path.splitext(path)[1]
    if names and extension not in exporting.KINDS:
        raise MagicError(_("%export: expected a model and its inputs, such as %export net x net.onnx"))
    if extension not in exporting.KINDS:
        raise MagicError(
            _("%export {path}: expected one of {kinds}, not {extension}").format(
                path=path, kinds=", ".join(exporting.KINDS), extension=extension
            )
        )
    journal = session.journal
    try:
        place = os.path.realpath(path)
    except OSError as error:  # the path is in a deleted folder
        raise MagicError(f"%export {path}: {error.strerror}") from None
    if os.path.exists(path) and not over and not is_as_written(place, journal.exported.get(place)):
        why = _("has changed since it was written") if place in journal.exported else _("already exists")
        raise MagicError(
            _("%export {path}: the file {why}; to overwrite it: %export {path} {OVER}").format(
                path=path, why=why, OVER=OVER
            )
        )
    text = exporting.export_journal(journal, extension, MAGICS)
    if not text:
        raise MagicError(_("%export: there is nothing to export yet"))
    written = text.encode(errors="backslashreplace")
    try:
        with replace_file(path) as file:
            file.write(written)
    except OSError as error:
        raise MagicError(f"%export {path}: {error.strerror}") from None
    journal.exported[place] = written
    failed = sum(entry.failed and not entry.left_something for entry in journal.entries)
    left = _("; omitted {count} that failed").format(count=failed) if failed else ""
    yield Notice(f"{path}: {count(text.count(chr(10)), 'line')}{left}")


def export_model(session, command, names, path):
    """Export a model as ONNX by running it on inputs: names or expressions."""
    import tensh

    over = OVER in command.argument.split()
    missing = [name for name in names if name.isidentifier() and name not in session.namespace]
    if missing or len(names) < 2:
        raise MagicError(
            _("%export: there is no {name}").format(name=missing[0])
            if missing
            else _("%export: expected a model and its inputs, such as %export net x net.onnx")
        )
    if os.path.exists(path) and not over:
        raise MagicError(
            _("%export {path}: the file already exists; to overwrite it: {OVER}").format(path=path, OVER=OVER)
        )
    if not os.path.isdir(os.path.dirname(path) or "."):  # before the model runs
        raise MagicError(f"%export {path}: {os.strerror(errno.ENOENT)}")
    text = command.argument.replace(OVER, "").strip().rpartition(" ")[0].strip()
    _texts, (model, *inputs), _options = parse_call(session, command._replace(argument=text))
    try:
        made = tensh.onnx.export(model, tuple(inputs))
        made.save(path)
    except OSError as error:
        raise MagicError(f"%export {path}: {error.strerror}") from None
    except (RuntimeError, ValueError, TypeError, ImportError) as error:
        raise MagicError(f"%export: {str(error).partition(chr(10))[0]}") from None
    yield Notice(_("{path}: {words}").format(path=path, words=repr(made)))


def is_as_written(path, written):
    """Return True if a file is unchanged since it was written."""
    if written is None or os.path.getsize(path) != len(written):
        return False
    with open(path, "rb") as file:
        return file.read() == written


@magic(
    "save",
    "%save FILE [--over]",
    "save your tensors, plain values and source to a .safetensors file",
    needs_journal=True,
)
def save(session, command):
    from tensh.cli.session.files import exporting, opening, saving

    path, over = file_of(command, saving.EXTENSION)
    given = os.path.splitext(path)[1]
    if given != saving.EXTENSION and given in (*opening.FORMATS, *exporting.KINDS):  # another reader would take it
        raise MagicError(
            _("%save {path}: expected {extension}, not {given}").format(
                path=path, extension=saving.EXTENSION, given=given
            )
        )
    place = os.path.realpath(path)
    if os.path.exists(path) and not over and place not in session.journal.saved:
        if saving.is_session(path):
            message = _("%save {path}: the file holds another saved session; to overwrite it: {OVER}")
        else:
            message = _("%save {path}: the file already exists and is not a saved session; to overwrite it: {OVER}")
        raise MagicError(message.format(path=path, OVER=OVER))
    try:
        names, left_out, without_graph = saving.save(session, path, exporting.source(session.journal))
    except saving.FileError as error:
        raise MagicError(f"%save: {error}") from None
    session.journal.saved.add(place)
    yield Notice(f"{path}: {describe.list_words(names) or _('no names')}")
    if without_graph:
        yield Notice(
            "  " + _("without the graph behind them: {names}").format(names=describe.list_words(without_graph))
        )
    if left_out:
        words = describe.list_words(f"{name} ({type(value).__name__})" for name, value in left_out.items())
        yield Notice("  " + _("not saved, except for the source: {names}").format(names=words))


def list_definitions(source):
    """Return the names of the functions and classes that a source defines; none if it is not Python."""
    try:
        body = ast.parse(blank_commands(source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return list(dict.fromkeys(each.name for each in body if isinstance(each, kinds)))


@magic("load", "%load FILE [--over]", "restore what %save saved, or load a .pt, .safetensors, .npy or .npz file")
def load(session, command):
    path, over = find_loadable(command)
    names, source, left = read_names(session, path, over)
    yield from describe_loaded(session, path, names, source, left)


def find_loadable(command):
    """Return (the path of the file to load, whether it replaces names in use); raise MagicError for other files."""
    from tensh.cli.documents.files import KINDS as DOCUMENTS
    from tensh.cli.files import reading
    from tensh.cli.programs.options import UsageError
    from tensh.cli.session.files import opening, saving

    path, over = file_of(command, saving.EXTENSION)
    given = path.removesuffix(saving.EXTENSION)
    path = given if os.path.lexists(given) and not os.path.lexists(path) else path
    try:
        reading.require(path)
        opening.is_tensor_file(path)
    except (UsageError, opening.OpeningError) as error:
        raise MagicError(f"%load: {error}") from None
    if os.path.splitext(path)[1].lower() in DOCUMENTS:
        raise MagicError(_("%load {path}: it contains code, not tensors; %run {path} runs it").format(path=path))
    return path, over


def read_names(session, path, over):
    """Define the names in a file; return (name -> value, the source of a saved session, names that are left unchanged)."""
    from tensh.cli.session.files import exporting, opening, saving

    if header := saving.find_header(path):
        names, source, left = saving.load(session, path, over, header)
        if session.journal:
            session.journal.saved.add(os.path.realpath(path))
    else:
        try:
            names, source, left = opening.define_names(session, path), "", []
        except opening.OpeningError as error:
            raise MagicError(str(error)) from None
    if source and session.journal and not exporting.source(session.journal).startswith(source):
        session.journal.take_up(source)
    return names, source, left


def describe_loaded(session, path, names, source, left):
    """Yield notices of what has been defined, and of what has not."""
    from tensh.cli.session.files import saving

    states = {name: value.kind for name, value in names.items() if issubclass(type(value), saving.State)}
    found = {name: value for name, value in names.items() if name not in states}
    held = [f"{name} {list(value.shape)}" if hasattr(value, "shape") else name for name, value in found.items()]
    yield Notice(f"{path}: {describe.list_words(held) or _('no names')}")
    if left:
        yield Notice(
            "  "
            + _("left unchanged, because these names are in use here: {names}; {OVER} replaces them all").format(
                names=describe.list_words(left), OVER=OVER
            )
        )
    known = {*session.namespace, *states.values()}  # names of states get a message below
    defined = [name for name in list_definitions(source) if name not in known]
    if defined:
        yield Notice(
            "  "
            + _("only in the source, which %history shows and does not run: {names}").format(
                names=describe.list_words(defined)
            )
        )
    for name, kind in states.items():
        yield Notice(
            "  "
            + _(
                "{name} is the state of a {kind}: create one under that name (%history has the source), then %load again"
            ).format(name=name, kind=kind)
        )
