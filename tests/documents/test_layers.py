"""Layers: what each part of tensh may import. ARCHITECTURE.md draws them; this reads every import statement.

Only what is imported at the top of a module makes a layer depend on another: an import inside a function is asked for
when it is called, and may go anywhere within its own package.
"""

import ast
import sys
from functools import cache

import pytest

from tests.support.project import ROOT

# Part -> the parts of tensh below it, and libraries. The longest part that fits a module counts; a part may import itself.
# "tensh" is what has no line of its own: the public names, thin namespaces such as tensh.linalg, python -m tensh.
PUBLIC = "tensh.nn tensh.optim tensh.utils tensh.graph tensh.explain tensh.replacing tensh.bounded_json"
ANYBODY = "tensh.escaping"  # which needs nothing, and which all that shows text needs
LAYERS = {
    "tensh": ("tensh.engine " + PUBLIC, "numpy"),
    "tensh.engine": ("", "numpy ml_dtypes"),
    "tensh.nn": ("tensh.engine", "numpy"),
    "tensh.optim": ("tensh.engine tensh.nn", "numpy"),
    "tensh.utils": ("tensh.engine tensh.nn tensh.optim tensh.replacing tensh.bounded_json", "numpy"),
    "tensh.distributions": ("tensh tensh.engine tensh.nn", ""),  # written as a user would: ``import tensh as torch``
    "tensh.replacing": ("", ""),
    "tensh.escaping": ("", ""),
    "tensh.bounded_json": ("", ""),
    "tensh.graph": ("tensh.engine", "numpy"),
    "tensh.explain": ("tensh.engine tensh.nn", "numpy"),
    "tensh.show": ("tensh.engine tensh.graph", "numpy"),
    "tensh.show.bars": ("", "rich"),  # imported when a bar is drawn
    "tensh.cli": ("tensh tensh.engine tensh.show " + PUBLIC, "numpy"),
    "tensh.cli.session": ("tensh tensh.engine tensh.show tensh.cli.config " + PUBLIC, "numpy"),
    "tensh.cli.render": (
        "tensh.engine.methods.printing.format tensh.graph tensh.show tensh.cli tensh.cli.session",
        "numpy rich",
    ),
    "tensh.cli.repl": (
        "tensh.engine tensh.show tensh.cli tensh.cli.program tensh.cli.run tensh.cli.session tensh.cli.render",
        "prompt_toolkit pygments",
    ),
    "tensh.cli.program": ("tensh.cli tensh.cli.session", ""),
    "tensh.cli.documents": ("tensh.bounded_json tensh.cli tensh.cli.program tensh.cli.session", ""),
    "tensh.cli.checking": (
        "tensh tensh.show tensh.cli tensh.cli.documents tensh.cli.program tensh.cli.render tensh.cli.run tensh.cli.session",
        "",
    ),
    "tensh.cli.checking.collecting": (
        "tensh.cli tensh.cli.checking tensh.cli.documents",
        "pytest",
    ),
    "tensh.cli.run": ("tensh tensh.show tensh.cli tensh.cli.session tensh.cli.render", ""),
    "tensh.cli.runs": ("tensh.cli tensh.cli.run", ""),
    "tensh.cli.records": ("tensh.show tensh.cli tensh.cli.render tensh.cli.run tensh.cli.session", ""),
    "tensh.cli.graphs": ("tensh.show tensh.cli tensh.cli.run tensh.cli.session", ""),
    "tensh.cli.watch": ("tensh.cli tensh.cli.program tensh.cli.render tensh.cli.runs", ""),
    "tensh.cli.report": ("tensh tensh.cli tensh.cli.render", ""),
    "tensh.cli.api": ("tensh.show tensh.cli tensh.cli.render", ""),
    "tensh.cli.doc": ("tensh.cli tensh.cli.render", ""),
    "tensh.cli.commands": ("tensh.cli tensh.cli.program tensh.cli.run tensh.cli.report tensh.cli.graphs", "typer"),
    "tensh.__main__": ("tensh.cli", ""),
}
# Inside the engine, from the bottom up: none of a line needs one to its right, not even by way of others.
ENGINE = (
    "clock arrays dtype tensor graph declarations ops functional",
    "clock dtype tensor graph.nodes graph.backward graph.gradients",
    "graph.nodes declarations.inplace declarations.table tangents forward",
    "declarations.source declarations.derivatives declarations.steps declarations.writer declarations.table ops",
    "vocabulary declarations.table ops",
    "vocabulary declarations.mixing declarations.table ops",
    "arrays.memory random ops functional",
    "dtype tensor printing",
)
SILENT = ("tensh.engine", "tensh.cli.session")  # they neither print nor know the terminal

FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "tensh").rglob("*.py"))
}


@cache
def parsed(module):
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@cache
def imports(module, top_only):
    """The names of what a module imports: at its top level, or anywhere."""
    tree, names = parsed(module), []
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively: write the whole name"
            # `from tensh.engine import clock` imports the module tensh.engine.core.clock
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if name in FILES else node.module for name in inner]
    return names


def part_of(module):
    return max((part for part in LAYERS if module == part or module.startswith(part + ".")), key=len)


@pytest.mark.parametrize("module", FILES)
def test_imports_go_downwards(module):
    part = part_of(module)
    below, libraries = (words.split() for words in LAYERS[part])
    for name in imports(module, top_only=True):
        root = name.partition(".")[0]
        if root == "tensh":
            own = part_of(name)
            assert own in (part, ANYBODY, *below) or name in below, f"{module} imports {name}"
        else:
            assert root in sys.stdlib_module_names or root in libraries, f"{module} imports {name}"


@pytest.mark.parametrize("module", [name for name in FILES if part_of(name) != "tensh.cli.commands"])
def test_heavy_libraries_stay_in_their_parts(module):
    """Not even inside a function: Rich belongs to render, prompt_toolkit to repl, typer to commands."""
    allowed = LAYERS[part_of(module)][1].split()
    heavy = {"rich", "typer", "prompt_toolkit", "pygments", "pydantic"}
    used = {name.partition(".")[0] for name in imports(module, top_only=False)} & heavy
    assert used <= set(allowed)


def needed_by(names, needs):
    """All that ``names`` need, by way of others too."""
    found, queue = set(), list(names)
    while queue:
        new = needs.get(queue.pop(), set()) - found
        found |= new
        queue += new
    return found


def engine_part(module, depth):
    """A module of the engine, ``depth`` names long, without "tensh.engine"."""
    return ".".join(module.split(".")[2 : 2 + depth])


def engine_needs(depth):
    """Each part of the engine (1: a module or a folder at its top, 2: also what is in the folders) -> what it imports."""
    needs = {}
    for module in FILES:
        if module.startswith("tensh.engine."):
            part = engine_part(module, depth)
            names = imports(module, top_only=True)
            others = {engine_part(n, depth) for n in names if n.startswith("tensh.engine.")}
            needs.setdefault(part, set()).update(others - {part})
    return needs


@pytest.mark.parametrize("depth", [1, 2])
def test_no_part_of_the_engine_imports_itself_by_way_of_others(depth):
    needs = engine_needs(depth)
    for part in needs:
        assert part not in needed_by([part], needs), part


@pytest.mark.parametrize("line", ENGINE)
def test_the_engine_is_built_from_the_bottom_up(line):
    parts = line.split()
    needs = engine_needs(2) | engine_needs(1)
    for position, part in enumerate(parts):
        needed = needed_by([part], needs)
        needed |= {each.partition(".")[0] for each in needed}
        assert needed & set(parts[position + 1 :]) == set(), f"{part} needs what is above it"


@pytest.mark.parametrize("module", [name for name in FILES if name.startswith(SILENT)])
def test_engine_and_session_are_silent(module):
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "input"), f"{module}:{node.lineno} calls {node.func.id}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            assert node.attr not in ("stdin", "stdout", "stderr"), f"{module}:{node.lineno} uses sys.{node.attr}"
