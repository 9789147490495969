"""Shell completion for `tensh doc`, `tensh api` and `tensh config set`.

Runs at every Tab: the answer needs no imports.
"""

import os

import tensh

NAMES = os.path.join(os.path.dirname(tensh.__file__), "engine", "methods", "unsupported", "names.txt")


def public_names(incomplete):
    """Yield PyTorch's names that begin with a text, with or without `torch.`, including those that tensh lacks."""
    begin = incomplete if incomplete.startswith("torch.") else f"torch.{incomplete}"
    with open(NAMES, encoding="utf-8") as file:
        record = file.read()
    for section in record.split("\n\n")[1:]:
        space, *names = section.split()
        if f"{space}.".startswith(begin) or begin.startswith(f"{space}."):
            for path in (f"{space}.{name}" for name in names):
                if path.startswith(begin):
                    yield incomplete + path[len(begin) :]


def setting_names(incomplete):
    """Return the settings that begin with a text."""
    from tensh.cli.settings.config import DECLARED

    return [name for name in DECLARED if name.startswith(incomplete)]
