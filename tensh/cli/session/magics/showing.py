"""Showing values: `%who`, `%grads`, `%full`, `%heat`, `%hist`, `%plot`, `%image`, by functions of tensh.show; `%watch`."""

import os

from tensh.cli.session.events import Value
from tensh.cli.session.magics.arguments import parse_call, refuse_options, refuse_surplus
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.cli.session.magics.writing import write_name_argument
from tensh.show.reading.asking import match_names
from tensh.support.language import _

# name, usage, summary
PICTURES = (
    ("full", "%full [X]", "a value in full; without X, the last one"),
    ("heat", "%heat X", "a matrix as a field of colours, or of signs and digits"),
    ("hist", "%hist X [--bins N]", "how often values occur, as bars"),
    ("plot", "%plot [X] Y [--logx] [--logy]", "a curve of values, or of each column of a matrix"),
    ("image", "%image X", "a tensor as an image: HW, CHW, NCHW"),
)
TABLES = (
    ("who", "%who [NAME...]", "your names: shape, dtype, gradient and bytes, or the type"),
    ("grads", "%grads [NAME...]", "tensors that require grad: how they were made, and their gradients"),
)


def view(name):
    """Return a function of tensh.show."""
    from tensh import show

    return getattr(show, name)


def find_name_keyword(name):
    """Return the keyword for the name of what is shown, or ""."""
    return "" if name == "full" else "name"


def picture(session, command):
    """Call a function of tensh.show with the arguments of its command, and show the result."""
    texts, values, options = parse_call(session, command)
    refuse_options(command, view(command.name), options)
    if not values and command.name == "full":
        if session.cut_view is not None:
            from tensh.show.drawing.page import Uncut

            yield Value(Uncut(session.cut_view), command)
            return
        if not session.results:
            raise MagicError(_("%full: nothing has been shown yet: %full X"))
        values = session.results[:1]
    if not values:
        raise MagicError(_("%{name}: expected something to show: %{name} x").format(name=command.name))
    refuse_surplus(command, view(command.name), values, options)
    try:
        drawn = view(command.name)(*values, **(write_name_argument(find_name_keyword(command.name), texts) | options))
    except (TypeError, ValueError, ImportError) as error:
        raise MagicError(f"%{command.name}: {str(error).removeprefix(f'{command.name}(): ')}") from None
    yield Value(drawn, command)


def table(session, command):
    """Show a table of the user's names, or of those that match patterns such as `w*`."""
    try:
        yield Value(view(command.name)(match_names(session.own_names(), command.argument)), command)
    except LookupError as error:
        given = next((each for each in command.argument.split() if each in session.namespace), None)
        if given in session.own_names():
            given = None
        reason = _("{name} was given to you: {name}? explains it").format(name=given) if given else error.args[0]
        raise MagicError(f"%{command.name}: {reason}") from None


def quote_patterns(text):
    """Quote patterns as the string that the functions take."""
    return text and repr(text)


for name, usage, summary in TABLES:
    magic(name, usage, summary, sugar=f"tensh.show.{name}({{}})", subject=quote_patterns, needs_places=name == "grads")(
        table
    )
for name, usage, summary in PICTURES:
    magic(name, usage, summary, sugar=f"tensh.show.{name}({{}})", named=find_name_keyword(name))(picture)


@magic("watch", "%watch [FOLDER [TAG]]", "event files of TensorBoard and sweeps: curves, last values, images, texts")
def watch(session, command):
    """Show the event files and sweeps below a folder, as they are now; without one, the values that `track` has read."""
    from tensh.cli.watching.event_files import Unreadable
    from tensh.cli.watching.page import FolderView, TrackedView

    folder, *tag = command.argument.split() or [""]
    if not folder:
        yield Value(TrackedView(), command)
        return
    if len(tag) > 1:
        raise MagicError(
            _("%watch: the folder where SummaryWriter writes, and a pattern of tags: %watch runs 'train/*'")
        )
    try:
        view = FolderView(os.path.expanduser(folder), *[each.strip("'\"") for each in tag])
    except Unreadable as error:
        raise MagicError(f"%watch: {error}") from None
    yield Value(view, command)
