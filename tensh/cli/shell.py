"""Completion in a shell behind `tensh doc`, `tensh api` and `tensh config set`. It runs at every Tab: nothing is imported for the answer."""

import os

import tensh

NAMES = os.path.join(os.path.dirname(tensh.__file__), "engine", "methods", "unsupported", "names.txt")


def public_names(incomplete):
    """The names of PyTorch that begin so, with or without `torch.`; those that tensh lacks can be asked about, too."""
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
    """The settings that begin so."""
    from tensh.cli.config import DECLARED

    return [name for name in DECLARED if name.startswith(incomplete)]
