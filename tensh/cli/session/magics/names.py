"""The names of the session, and its random numbers: `%who`, `%seed`."""

from tensh.cli.session import describe
from tensh.cli.session.events import Text
from tensh.cli.session.magics.registry import MagicError, magic


@magic("who", "%who", "your names: shape, dtype, requires_grad and size of each tensor, the type of the others")
def who(session, command):
    rows = [("name", "shape", "dtype", "requires_grad", "grad", "size")]
    others = []
    for name, value in session.own_names().items():
        if not describe.is_array(value):
            others.append((name, type(value).__name__))
            continue
        wants = "yes" if getattr(value, "requires_grad", False) else "no"
        rows.append((name, describe.shape(value), describe.dtype(value), wants, _grad(value), describe.size(value)))
    lines = columns(rows) if len(rows) > 1 else []
    lines += columns(others)
    yield Text([("plain", "".join(line + "\n" for line in lines) or "no names yet\n")])


def _grad(value):
    if not getattr(value, "requires_grad", False):
        return "-"
    if not value.is_leaf and not value.retains_grad:
        return "not kept"
    return "None" if value.grad is None else describe.shape(value.grad)


def columns(rows):
    """Rows of texts as lines, each column as wide as its widest text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


@magic("seed", "%seed N", "start all random numbers at N")
def seed(session, command):
    try:
        number = int(command.argument, 0)
    except ValueError:
        raise MagicError(f"%seed {command.argument}: write a whole number: %seed 0".replace("  ", " ")) from None
    session.seed(number)
    yield from ()
