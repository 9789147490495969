"""Write tensh/engine/codegen/index.txt: which module of the engine declares which names.

    python tools/index.py [--check]

A line is a module and its names; methods and properties of Tensor begin with a dot.

Every module of the engine is imported, and the names that it adds to the registries are noted. With ``--check``
nothing is written, and the exit status is 1 if the file would change.
"""

import sys
from importlib.machinery import SourceFileLoader

from generated import ROOT, update_files

FILE = ROOT / "tensh" / "engine" / "codegen" / "index.txt"
ENGINE = "tensh.engine."


class Noted(SourceFileLoader):
    """Imports modules as usual, and records the declarations of each."""

    reading: list = [ENGINE]  # the modules being read, each imported by the one before
    declared: dict = {}  # (registry, name) -> the declaration, and its module
    read = SourceFileLoader.exec_module

    def exec_module(self, module):
        Noted.note()
        Noted.reading.append(module.__name__)
        try:
            Noted.read(self, module)
        finally:
            Noted.note()
            Noted.reading.pop()

    @staticmethod
    def note():
        registry = sys.modules.get("tensh.engine.codegen.registry")
        for each in getattr(registry, "REGISTRIES", ()):
            for name, value in dict.items(each):
                before, module = Noted.declared.setdefault((each.kind, name), (value, Noted.reading[-1]))
                if before is not value and each.kind != "TENSORS":
                    raise SystemExit(f"{each.kind}[{name!r}] is declared by {module} and by {Noted.reading[-1]}")


def find_declarations():
    """Return module -> the names that it declares, with a dot before those of Tensor."""
    SourceFileLoader.exec_module = Noted.exec_module
    from tensh.engine.codegen import registry

    registry.read_all()
    found = {}
    for (kind, name), (_, module) in Noted.declared.items():
        names = found.setdefault(module.removeprefix(ENGINE), set())
        names.add(f".{name}" if kind in ("METHODS", "MEMBERS") else name)
    return {
        m: sorted(n for n in names if f".{n}" not in names) for m, names in found.items() if m and m != "tensh.engine"
    }


def format_index():
    """Return the text of the file: a line for each module, starting with its name."""
    return "".join(f"{module} {' '.join(names)}\n" for module, names in sorted(find_declarations().items()))


if __name__ == "__main__":
    sys.exit(update_files(__doc__, lambda: [(FILE, format_index())]))
