"""Commands that list, undo, clear and edit earlier lines: `%history`, `%undo`, `%reset`, `%edit`."""

from tensh.cli.session.events import Notice, Text
from tensh.cli.session.magics.arguments import refuse_argument, whole_number
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.cli.session.sources.source import Source, drop_indent
from tensh.support.language import _, count


@magic(
    "history",
    "%history [N | WORD]",
    "the lines of this session: all, the last N, or those with a word",
    needs_journal=True,
)
def history(session, command):
    entries = session.journal.entries[:-1]  # without this command
    numbered = [(entry.number, entry) for entry in entries]
    wanted = command.argument
    if wanted.isdigit():
        numbered = numbered[max(len(numbered) - int(wanted), 0) :]
    elif wanted:
        numbered = [(number, entry) for number, entry in numbered if wanted in entry.text]
    width = len(str(session.journal.number))
    tokens = []
    for number, entry in numbered:
        first, *more = entry.text.split("\n")
        tokens += [("margin", f"{number:>{width}}  "), ("code", first + "\n")]
        tokens += [("code", " " * (width + 2) + line + "\n") for line in more]
    nothing = _("no line has {word}").format(word=wanted) if wanted and entries else _("nothing yet")
    yield Text(tokens or [("note", nothing + "\n")])


@magic(
    "undo",
    "%undo [N]",
    "undo what the last line, or the last N, did to names, tensors and gradients",
    needs_journal=True,
    needs_snapshots=True,
)
def undo(session, command):
    from tensh.cli.session.undo import CannotUndo

    number, snapshots = whole_number(command), session.journal.snapshots
    number = 1 if number is None else number
    if not snapshots:
        raise MagicError(_("%undo: there is nothing to undo: only lines that changed something can be undone"))
    if not 0 < number <= len(snapshots):
        raise MagicError(
            _("%undo {number}: {count} can be undone").format(number=number, count=count(len(snapshots), "line"))
        )
    for _each in range(number):
        line = snapshots[-1].entry.text.split("\n")[-1].strip()
        try:
            snapshot, gone = session.journal.take_back(command)
        except CannotUndo as error:
            raise MagicError(f"%undo: {line}: {error}") from None
        line += _(" and {lines} after it").format(lines=count(gone - 1, "line")) if gone > 1 else ""
        changes = ", ".join(snapshot.changes())
        yield Notice(_("undone: {line}").format(line=line) + (f"  ({changes})" if changes else ""))


@magic("reset", "%reset", "delete all your names; %undo brings them back")
def reset(session, command):
    refuse_argument(command)
    names = session.own_names()
    for name in names:
        del session.namespace[name]
    for name in (name for name in ("_", "__", "___") if name in session.namespace):
        del session.namespace[name]
    session.results = []
    session.namespace.update(session.given)
    yield Notice(_("deleted: {names}").format(names=", ".join(names)) if names else _("there were no names"))


@magic(
    "edit",
    "%edit [NAME | N]",
    "change the last line, line N or a function in your editor, then run it",
    needs_journal=True,
)
def edit(session, command):
    if session.editor is None:
        raise MagicError(_("%edit works only at the prompt"))
    try:
        text = session.editor(text_to_change(session, command))
    except OSError as error:
        raise MagicError(
            _("%edit: the editor (VISUAL or EDITOR names it) cannot be started: {reason}").format(reason=error.strerror)
        ) from None
    if text is None:
        raise MagicError(_("%edit: the editor (VISUAL or EDITOR names it) failed: nothing was run"))
    if not text.strip():
        yield Notice(_("nothing to run"))
        return
    code = drop_indent(text.strip("\n"))
    yield Text([*quote_lines(code)])  # the editor has left no trace of it on the screen
    number = sum(entry.source.filename.startswith("<edit") for entry in session.journal.entries) + 1
    yield from session.run(Source(code, f"<edit {number}>"))


def quote_lines(code):
    """Yield (kind, text) pairs for code as at a prompt."""
    for number, line in enumerate(code.split("\n")):
        yield "prompt", "... " if number else ">>> "
        yield "code", line + "\n"


def text_to_change(session, command):
    """Return the code to edit."""
    entries = session.journal.entries[:-1]
    wanted = command.argument
    if wanted.isdigit():
        found = next((entry for entry in entries if entry.number == int(wanted)), None)
        if found is None:
            raise MagicError(_("%edit {wanted}: %history has no line with this number").format(wanted=wanted))
        return found.text
    if wanted:
        import inspect

        if wanted not in session.namespace:
            raise MagicError(_("%edit: there is no name {wanted}").format(wanted=wanted))
        try:
            return inspect.getsource(session.namespace[wanted])
        except (OSError, TypeError):
            raise MagicError(_("%edit {wanted}: its code is not known").format(wanted=wanted)) from None
    lines = [entry for entry in entries if entry.command is None]
    return lines[-1].text if lines else ""
