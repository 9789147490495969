"""The commands of a session: lines `%name argument`, and `name?`. One small file for each kind.

Each is declared once, with `@magic`; `%help`, completion and "did you mean" read the same table.
"""

from tensh.cli.session.magics import help, names, timing  # noqa: F401  (each declares its commands)
from tensh.cli.session.magics.registry import MAGICS, Magic, MagicError, magic, perform

__all__ = ["MAGICS", "Magic", "MagicError", "magic", "perform"]
