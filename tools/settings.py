"""Write the settings of PyTorch's compilers, and what they are from the start, into the package.

    python tools/settings.py

Needs PyTorch. A value that is not a literal, or that depends on the machine, is written as "?", and is None in tensh.
"""

import ast
import importlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
FILE = Path(__file__).parents[1] / "tensh" / "compiler" / "configuration" / "settings.txt"


def list_settings():
    """Yield (path of a module, [(name, name of the type, default)]); another name of a setting has the path of that."""
    from tensh.compiler.configuration.config_modules import ALIAS, PATHS

    for path in PATHS:
        module = importlib.import_module(path)
        found = [(name, name_type(module, name), write(value)) for name, value in module.get_config_copy().items()]
        yield path, found + [(name, ALIAS, entry.alias) for name, entry in module._config.items() if entry.alias]


def name_type(module, name):
    """Return the name of the type of a setting, "?" for one that is not checked."""
    kind = module.get_type(name)
    return kind.__name__ if kind in (bool, int, float, str, list, dict, set) else "?"


def write(value):
    """Return a default as text."""
    if value == set():
        return "set()"
    text = repr(value).replace(" ", "")
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return "?"
    return "?" if os.sep in text or " " in repr(value) and isinstance(value, str) else text


def main():
    parts = [
        f"{path}\n" + "".join(f"  {name} {kind} {value}\n" for name, kind, value in found)
        for path, found in list_settings()
    ]
    FILE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
