"""What was done, and doing it otherwise: `%history`, `%undo`, `%reset`, `%edit`."""

from tensh.cli.session.events import Notice, Text
from tensh.cli.session.magics.arguments import no_argument
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.cli.session.source import Source, without_indent


@magic(
    "history",
    "%history [N | WORD]",
    "what was done here: all of it, the last N lines, those with a word",
    needs_journal=True,
)
def history(session, command):
    entries = session.journal.entries[:-1]  # without this line itself
    numbered = [*enumerate(entries, 1)]
    wanted = command.argument
    if wanted.isdigit():
        numbered = numbered[max(len(numbered) - int(wanted), 0) :]
    elif wanted:
        numbered = [(number, entry) for number, entry in numbered if wanted in entry.text]
    width = len(str(len(entries)))
    tokens = []
    for number, entry in numbered:
        first, *more = entry.text.split("\n")
        tokens += [("margin", f"{number:>{width}}  "), ("code", first + "\n")]
        tokens += [("code", " " * (width + 2) + line + "\n") for line in more]
    yield Text(tokens or [("note", "nothing yet\n")])


@magic(
    "undo",
    "%undo",
    "take back what the last line did to names, tensors and gradients",
    needs_journal=True,
    needs_snapshots=True,
)
def undo(session, command):
    from tensh.cli.session.undo import CannotUndo

    no_argument(command)
    journal = session.journal
    snapshot = journal.before
    if snapshot is None:
        raise MagicError("%undo: there is nothing to take back: only the last line that changed something can be")
    line = snapshot.entry.text.split("\n")[-1].strip()
    try:
        snapshot.restore(session)
    except CannotUndo as error:
        raise MagicError(f"%undo: {line}: {error}") from None
    journal.before = None
    gone = journal.forget(snapshot.entry, command)
    line += f" and the {gone - 1} behind it" if gone > 1 else ""
    changes = ", ".join(snapshot.changes())
    yield Notice(f"taken back: {line}" + (f"  ({changes})" if changes else ""))


@magic("reset", "%reset", "forget all your names; %undo brings them back")
def reset(session, command):
    no_argument(command)
    names = session.own_names()
    for name in names:
        del session.namespace[name]
    for name in (name for name in ("_", "__", "___") if name in session.namespace):
        del session.namespace[name]
    session.results = []
    session.namespace.update(session.given)
    yield Notice(f"forgotten: {', '.join(names)}" if names else "there were no names")


@magic(
    "edit",
    "%edit [NAME | N]",
    "change the last line, line N or a function in your editor, then run it",
    needs_journal=True,
)
def edit(session, command):
    if session.editor is None:
        raise MagicError("%edit: there is an editor at the prompt only")
    try:
        text = session.editor(text_to_change(session, command))
    except OSError as error:
        raise MagicError(f"%edit: the editor (VISUAL or EDITOR names it) cannot be started: {error.strerror}") from None
    if text is None or not text.strip():
        yield Notice("nothing to run")
        return
    number = sum(entry.source.filename.startswith("<edit") for entry in session.journal.entries) + 1
    yield from session.run(Source(without_indent(text.strip("\n")), f"<edit {number}>"))


def text_to_change(session, command):
    """The code that is to be changed."""
    entries = session.journal.entries[:-1]
    wanted = command.argument
    if wanted.isdigit():
        if not 0 < int(wanted) <= len(entries):
            raise MagicError(f"%edit {wanted}: %history has {len(entries)} lines")
        return entries[int(wanted) - 1].text
    if wanted:
        import inspect

        if wanted not in session.namespace:
            raise MagicError(f"%edit: there is no name {wanted}")
        try:
            return inspect.getsource(session.namespace[wanted])
        except (OSError, TypeError):
            raise MagicError(f"%edit {wanted}: its code is not known") from None
    lines = [entry for entry in entries if entry.command is None]
    return lines[-1].text if lines else ""
