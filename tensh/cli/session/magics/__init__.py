"""The commands of a session: lines `%name argument`, and `name?`. One small file for each kind.

Each is declared once, with `@magic`; `%help`, completion and "did you mean" read the same table.
"""

from tensh.cli.session.magics import (  # noqa: F401, I001  (the order of the list of commands)
    help,
    showing,
    derivatives,
    choosing,
    timing,
    predicting,
    running,
    debugging,
    going_back,
    keeping,
)
from tensh.cli.session.magics.registry import (
    MAGICS,
    Magic,
    MagicError,
    magic,
    needs_journal,
    needs_places,
    needs_snapshots,
    perform,
)

__all__ = [
    "MAGICS",
    "Magic",
    "MagicError",
    "magic",
    "needs_journal",
    "needs_places",
    "needs_snapshots",
    "perform",
]
