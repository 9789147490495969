"""Layers: what each part of tensh may import. ARCHITECTURE.md draws them; this reads every import statement.

Only what is imported at the top of a module makes a layer depend on another: an import inside a function is asked for
when it is called, and may go anywhere within its own package.
"""

import ast
import sys

import pytest
from conftest import ROOT

# Part -> the parts of tensh below it, and libraries. The longest part that fits a module counts; a part may import itself.
# "tensh" is what has no line of its own: the public names, thin namespaces such as tensh.linalg, python -m tensh.
PUBLIC = "tensh.nn tensh.optim tensh.utils tensh.graph"
LAYERS = {
    "tensh": ("tensh.engine " + PUBLIC, "numpy"),
    "tensh.engine": ("", "numpy ml_dtypes"),
    "tensh.nn": ("tensh.engine", "numpy"),
    "tensh.optim": ("tensh.engine tensh.nn", "numpy"),
    "tensh.utils": ("tensh.engine tensh.nn tensh.optim", "numpy"),
    "tensh.graph": ("tensh.engine", ""),
    "tensh.cli": ("tensh tensh.engine " + PUBLIC, "numpy"),
    "tensh.cli.session": ("tensh tensh.engine " + PUBLIC, "numpy"),
    "tensh.cli.render": ("tensh.engine.format tensh.graph tensh.cli tensh.cli.session", "numpy rich"),
    "tensh.cli.repl": ("tensh.engine tensh.cli tensh.cli.session tensh.cli.render", "prompt_toolkit pygments"),
    "tensh.cli.program": ("tensh.cli tensh.cli.session", ""),
    "tensh.cli.run": ("tensh tensh.cli tensh.cli.session tensh.cli.render", ""),
    "tensh.cli.report": ("tensh tensh.cli tensh.cli.render", ""),
    "tensh.cli.commands": ("tensh.cli tensh.cli.program tensh.cli.run tensh.cli.report", "typer"),
    "tensh.__main__": ("tensh.cli", ""),
}
# Inside the engine, from the bottom up: a module imports from the lines above its own, and from its own line.
ENGINE = """
    clock device distributions printoptions vocabulary writer
    dtype discrete memory
    errors info tensor
    arguments format generator graph
    backward inplace mixing rejection
    table gradients
    ops
    functional
    members create random function modes protocols legacy
"""
SILENT = ("tensh.engine", "tensh.cli.session")  # they neither print nor know the terminal

FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "tensh").rglob("*.py"))
}


def imports(module, tree, top_only):
    """The names of what a module imports: at its top level, or anywhere."""
    for node in ast.walk(tree):
        if top_only and node not in tree.body:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively: write the whole name"
            # `from tensh.engine import clock` imports the module tensh.engine.clock
            yield from (
                f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in FILES else node.module for a in node.names
            )


def part_of(module):
    return max((part for part in LAYERS if module == part or module.startswith(part + ".")), key=len)


def parsed(module):
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", FILES)
def test_imports_go_downwards(module):
    part = part_of(module)
    below, libraries = (words.split() for words in LAYERS[part])
    for name in imports(module, parsed(module), top_only=True):
        root = name.partition(".")[0]
        if root == "tensh":
            own = part_of(name)
            assert own in (part, *below) or name in below, f"{module} imports {name}"
        else:
            assert root in sys.stdlib_module_names or root in libraries, f"{module} imports {name}"


@pytest.mark.parametrize("module", [name for name in FILES if part_of(name) != "tensh.cli.commands"])
def test_heavy_libraries_stay_in_their_parts(module):
    """Not even inside a function: Rich belongs to render, prompt_toolkit to repl, typer to commands."""
    allowed = LAYERS[part_of(module)][1].split()
    heavy = {"rich", "typer", "prompt_toolkit", "pygments", "pydantic"}
    used = {name.partition(".")[0] for name in imports(module, parsed(module), top_only=False)} & heavy
    assert used <= set(allowed)


RANKS = {name: rank for rank, line in enumerate(ENGINE.split("\n")) for name in line.split()}


@pytest.mark.parametrize("module", [name for name in FILES if name.startswith("tensh.engine.")])
def test_the_engine_is_built_from_the_bottom_up(module):
    rank = RANKS.get(module.split(".")[2])
    for name in imports(module, parsed(module), top_only=True) if rank is not None else ():
        if name.startswith("tensh.engine."):
            other = name.split(".")[2]
            assert RANKS.get(other, -1) <= rank, f"{module} imports {name}, which is above it"


@pytest.mark.parametrize("module", [name for name in FILES if name.startswith(SILENT)])
def test_engine_and_session_are_silent(module):
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "input"), f"{module}:{node.lineno} calls {node.func.id}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            assert node.attr not in ("stdin", "stdout", "stderr"), f"{module}:{node.lineno} uses sys.{node.attr}"
