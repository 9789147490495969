"""Looking at tensors: `%who`, `%grads`, `%full`, `%heat`, `%hist`, `%plot`, `%image`, by the functions of tensh.show."""

import fnmatch

from tensh.cli.session.events import Value
from tensh.cli.session.magics.arguments import parse_call
from tensh.cli.session.magics.registry import MagicError, magic

LONGEST_NAME = 30  # of an expression that a picture repeats

# name, how it is written, what it shows
PICTURES = (
    ("full", "%full [X]", "a value with nothing left out; without X the last one"),
    ("heat", "%heat X", "a matrix as a field of colours, or of signs and digits"),
    ("hist", "%hist X [bins=N]", "how often values occur, as bars"),
    ("plot", "%plot [X] Y [logx=True] [logy=True]", "a curve of values, or of each column of a matrix"),
    ("image", "%image X", "a tensor as an image: HW, CHW, NCHW"),
)
TABLES = (
    ("who", "%who [NAME...]", "your names: shape, dtype, gradient and bytes, or the type"),
    ("grads", "%grads [NAME...]", "tensors that require grad: how they were made, and their gradients"),
)


def view(name):
    """The function of tensh.show of a name."""
    from tensh import show

    return getattr(show, name)


def picture(session, command):
    """Call a function with what stands behind its name, and show what it gives."""
    texts, values, options = parse_call(session, command)
    if not values and command.name == "full":
        if not session.results:
            raise MagicError("%full: nothing was shown yet: %full X")
        values = session.results[:1]
    if not values:
        raise MagicError(f"%{command.name}: write what to show after it: %{command.name} x")
    try:
        drawn = view(command.name)(*values, **options)
    except (TypeError, ValueError, ImportError) as error:
        raise MagicError(f"%{command.name}: {str(error).removeprefix(f'{command.name}(): ')}") from None
    drawn.name = texts[0] if len(texts) == 1 and len(texts[0]) <= LONGEST_NAME else ""
    yield Value(drawn, command)


def table(session, command):
    """A table of the user's names, or of those that match `w*`."""
    names = session.own_names()
    patterns = command.argument.replace(",", " ").split()
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise MagicError(f"%{command.name}: there is no name {pattern}")
    if patterns:
        names = {name: value for name, value in names.items() if any(fnmatch.fnmatch(name, each) for each in patterns)}
    yield Value(view(command.name)(names), command)


for name, usage, summary in TABLES:
    magic(name, usage, summary, sugar=f"tensh.show.{name}()", needs_places=name == "grads")(table)
for name, usage, summary in PICTURES:
    magic(name, usage, summary, sugar=f"tensh.show.{name}({{}})")(picture)
