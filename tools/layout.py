"""Count what a reader of the code encounters:  python tools/layout.py

- entries at the top of the engine
- modules in import cycles, imports inside functions included
- operators that a composite looks up in a registry, by a literal or computed name
- lines of the core, and of the core with every function of the engine that generated functions call
- lines of tensh, with and without documentation strings, comments and blank lines
"""

import ast
import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
ENGINE = ROOT / "tensh" / "engine"


def read_imports():
    """Return each module of tensh -> the modules of tensh that it imports anywhere."""
    files = {}
    for path in (ROOT / "tensh").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        files[".".join(parts).removesuffix(".__init__")] = path
    needs = {}
    for module, path in files.items():
        names = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                whole = [f"{node.module}.{each.name}" for each in node.names]
                names |= {each if each in files else node.module for each in whole}
            elif isinstance(node, ast.Import):
                names |= {each.name for each in node.names}
        needs[module] = (names & files.keys()) - {module}
    return needs


def count_in_circles(needs):
    """Return the number of modules in import cycles."""
    circles = 0
    for module in needs:
        seen, stack = set(), list(needs[module])
        while stack:
            each = stack.pop()
            if each not in seen:
                seen.add(each)
                stack += needs[each]
        circles += module in seen
    return circles


def count_lines(paths):
    """Return the number of lines in files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def count_code_lines(paths):
    """Return the number of lines of code, without documentation, comments and blank lines."""
    total = 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        told = set()
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                told |= set(range(node.lineno, node.end_lineno + 1))
        lines = enumerate(text.splitlines(), 1)
        total += sum(number not in told and line.strip() != "" and line.lstrip()[0] != "#" for number, line in lines)
    return total


def count_called_lines():
    """Return the lines of functions and classes outside of the core that generated functions can call."""
    from tensh.engine.codegen.environment import ENVIRONMENT
    from tensh.engine.codegen.vocabulary import OPS

    assert OPS["mul"].fn  # imports the modules that a generated function needs
    counted = set()
    for value in ENVIRONMENT.values():
        try:
            path, (lines, first) = Path(inspect.getsourcefile(value)), inspect.getsourcelines(value)
        except (TypeError, OSError):
            continue
        if path.is_relative_to(ENGINE) and not path.is_relative_to(ENGINE / "core") and "operators" not in path.parts:
            counted |= {(path, number) for number in range(first, first + len(lines))}
    return len(counted)


def main():
    files = list((ROOT / "tensh").rglob("*.py"))
    entries = [p for p in ENGINE.iterdir() if p.suffix in ("", ".py") and p.name not in ("__init__.py", "__pycache__")]
    core = count_lines((ENGINE / "core").glob("*.py"))
    figures = {
        "entries at the top of the engine": len(entries),
        "modules in circles of imports": count_in_circles(read_imports()),
        "operators looked up in registries": sum(
            len(
                re.findall(
                    r"(return|=|with|\() ?(OPS|PUBLIC|METHODS|LAYERS|LINALG)\[.*?\](\.fn)?\(",
                    path.read_text(encoding="utf-8"),
                )
            )
            for path in (ENGINE / "operators").rglob("*.py")
        ),
        "lines of the core": core,
        "lines of the core and of what written functions call": core + count_called_lines(),
        "lines of tensh": count_lines(files),
        "lines of code of tensh": count_code_lines(files),
    }
    for name, figure in figures.items():
        print(f"{figure:8,}  {name}")


if __name__ == "__main__":
    main()
