"""Write tensh/engine/codegen/index.txt: which module of the engine declares which names.

    python tools/index.py [--check]

A line is a module and its names; methods and properties of Tensor begin with a dot.

Every module of the engine is read, and what has come into the registries meanwhile is noted for it. With ``--check``
nothing is written, and the exit status is 1 if the file would change.
"""

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
FILE = ROOT / "tensh" / "engine" / "codegen" / "index.txt"
ENGINE = "tensh.engine."


class Noted(SourceFileLoader):
    """Reads modules as usual, and records what each declares itself."""

    reading: list = [ENGINE]  # the modules being read, each imported by the one before
    declared: dict = {}  # (registry, name) -> what is declared, and by which module
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


def declared():
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


def text():
    """Return the text of the file: a line for each module, starting with its name."""
    return "".join(f"{module} {' '.join(names)}\n" for module, names in sorted(declared().items()))


def main(arguments):
    found = text()
    if "--check" in arguments:
        if FILE.read_text(encoding="utf-8") != found:
            print(f"{FILE.relative_to(ROOT)} is not what is declared: python tools/index.py")
            return 1
        return 0
    FILE.write_text(found, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
