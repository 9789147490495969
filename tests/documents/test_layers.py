"""Layers: the parts of tensh that each part may import. ARCHITECTURE.md draws them; this test reads every import statement.

The table is about imports at the top of a module. There are no import cycles, even through imports
inside functions. Namespaces that list modules as text (``tensh``, ``tensh.nn``, ...) are at the top, and
load them on first use.
"""

import ast
import re
import sys
from functools import cache

import pytest

from tensh.engine.core import ports as ports_module
from tests.support.project import ROOT

pytestmark = pytest.mark.thorough

# Part -> the parts of tensh below it, and libraries. The longest part that fits a module counts; a part may import itself.
# "tensh" stands for everything without a line: the public names, thin namespaces such as tensh.linalg, python -m tensh.
PUBLIC = "tensh.alias tensh.switched_off tensh.nn tensh.optim tensh.utils tensh.graph tensh.explain"
ANYBODY = ("tensh.support", "tensh._aten.schema", "tensh._aten.operator_classes")  # which import nothing of tensh
LAYERS = {
    "tensh": ("tensh.engine " + PUBLIC, "numpy"),
    "tensh.engine": ("", "numpy ml_dtypes"),
    "tensh.nn": ("tensh.engine tensh.switched_off", "numpy"),
    "tensh.nn.parallel": ("tensh.distributed tensh.engine tensh.nn tensh.switched_off", ""),
    "tensh.nn.attention.block_mask": ("tensh", ""),  # written as a user would
    "tensh.nn.utils._expanded_weights": ("tensh tensh.nn", ""),  # written as a user would
    "tensh.nn.utils._per_sample_grad": (
        "tensh tensh.nn.utils._expanded_weights tensh.utils",
        "",
    ),  # written as a user would
    "tensh.nn.attention.flex_attention": ("tensh tensh.engine tensh.nn tensh.nn.attention.block_mask", ""),
    "tensh.optim": ("tensh.engine tensh.nn", "numpy"),
    "tensh._aten": ("tensh tensh.engine tensh.nn", "numpy"),
    "tensh._decomp": ("tensh tensh._aten tensh.engine tensh.switched_off", ""),
    "tensh._higher_order_ops": ("tensh tensh.engine tensh.func.trees tensh.switched_off", ""),
    "tensh._higher_order_ops.nested_calls": ("tensh._higher_order_ops.operators tensh.engine tensh.fx", ""),
    "tensh._subclasses": ("tensh tensh.engine tensh.nn tensh.overrides tensh.switched_off tensh.utils", ""),
    "tensh._guards": ("tensh._subclasses tensh.engine tensh.switched_off", ""),
    "tensh.nested": ("tensh tensh.engine tensh._aten tensh.utils.weak", ""),
    "tensh.classes": ("tensh.ops tensh", ""),
    "tensh.ops": ("tensh tensh._aten tensh._higher_order_ops", ""),
    "tensh.utils": (
        "tensh.ops tensh._aten tensh.amp.regions tensh.amp.settings tensh.autograd.multihook tensh.autograd.saving tensh.switched_off tensh.hub "
        "tensh.func.trees tensh.engine tensh.nn tensh.optim",
        "numpy",
    ),
    "tensh.utils.tensorboard": (
        "tensh.engine tensh.fx tensh.jit tensh.nn",
        "numpy tensorboard google PIL matplotlib",
    ),
    # written as a user would: ``import tensh as torch``
    "tensh.distributions": ("tensh tensh.engine tensh.nn", ""),
    "tensh.alias": ("tensh tensh.engine tensh.switched_off", ""),
    "tensh.switched_off": ("tensh.engine", ""),
    "tensh.distributed": ("tensh.engine tensh.futures tensh.switched_off", "numpy"),
    "tensh.distributed.pipelining": (
        "tensh tensh.distributed tensh.engine tensh.export tensh.fx tensh.nn tensh.nn.parallel tensh.switched_off tensh.tracing tensh.utils",
        "",
    ),
    "tensh.distributed.checkpoint": (
        "tensh tensh.distributed tensh.engine tensh.futures tensh.nn tensh.nn.parallel tensh.optim tensh.serialization "
        "tensh.switched_off",
        "",
    ),
    "tensh.distributed.device_mesh": ("tensh tensh.distributed tensh.switched_off", ""),
    "tensh.distributed.tensor": (
        "tensh tensh._aten tensh.distributed tensh.distributed.device_mesh tensh.engine tensh.switched_off",
        "",
    ),
    "tensh.distributed.functional_operators": ("tensh tensh.distributed", ""),
    "tensh.distributed.optim": ("tensh.distributed tensh.engine tensh.optim tensh.switched_off", ""),
    "tensh.futures": ("tensh.engine", ""),
    "tensh.fx": (
        "tensh tensh.engine tensh.nn tensh.switched_off tensh.func.trees tensh.utils._pytree tensh.utils._python_dispatch tensh._aten "
        "tensh.serialization tensh._subclasses",
        "",
    ),
    "tensh.functorch": ("tensh tensh._higher_order_ops tensh.engine tensh.fx tensh.nn tensh.switched_off", ""),
    "tensh.functorch.dim": ("tensh tensh.engine tensh.utils._pytree", ""),
    "tensh.tracing": ("tensh tensh._aten tensh.engine tensh.fx tensh.nn tensh.overrides tensh.utils._pytree_paths", ""),
    "tensh.jit": (
        "tensh tensh._aten tensh.engine tensh.func.trees tensh.futures tensh.fx tensh.nn tensh.serialization tensh.switched_off "
        "tensh.testing tensh.tracing",
        "numpy",
    ),
    "tensh.compiler": (
        "tensh tensh._higher_order_ops tensh._higher_order_ops.nested_calls tensh._subclasses tensh.engine tensh.func.trees tensh.fx tensh.nn "
        "tensh.overrides tensh.tracing tensh.switched_off tensh.graph tensh.utils",
        "numpy",
    ),
    "tensh.export": (
        "tensh tensh._aten tensh._decomp tensh._higher_order_ops tensh.engine tensh.fx tensh.nn tensh.switched_off tensh.tracing "
        "tensh.support tensh.utils._pytree tensh.utils._pytree_json tensh.utils._pytree_paths",
        "",
    ),
    "tensh.export.dynamo": (
        "tensh._aten tensh.compiler tensh.engine tensh.export tensh.func.trees tensh.fx tensh.nn",
        "",
    ),
    "tensh.compiler.testing": ("tensh tensh.functorch.compile", ""),
    "tensh.onnx": (
        "tensh tensh._aten tensh._higher_order_ops tensh.engine tensh.fx tensh.jit.files.operators tensh.jit.recorded_branches tensh.nn "
        "tensh.switched_off tensh.testing tensh.tracing",
        "numpy onnxruntime",
    ),
    "tensh.support": ("", ""),
    "tensh._aten.schema": ("", ""),
    "tensh._aten.operator_classes": ("", ""),
    "tensh.cli.learning": ("", "numpy"),
    "tensh.graph": ("tensh.engine", "numpy"),
    "tensh.explain": ("tensh.engine tensh.graph tensh.nn tensh.optim", "numpy"),
    "tensh.show": ("tensh.compiler tensh.engine tensh.explain tensh.graph tensh.show.loops.tracked", "numpy"),
    "tensh.show.loops.tracked": ("tensh.utils.tensorboard", ""),  # imported for a folder of event files
    "tensh.show.loops.bars": ("", "rich"),  # imported when a bar is drawn
    "tensh.cli": ("tensh tensh.engine tensh.show " + PUBLIC, "numpy"),
    "tensh.cli.session": (
        "tensh tensh.engine tensh.show tensh.cli.learning tensh.cli.settings.config " + PUBLIC,
        "numpy",
    ),
    "tensh.cli.render": (
        "tensh.engine.methods.printing.format tensh.graph tensh.show tensh.cli tensh.cli.session",
        "numpy rich",
    ),
    "tensh.cli.repl": (
        "tensh.engine tensh.show tensh.cli tensh.cli.programs.program tensh.cli.programs.run tensh.cli.session tensh.cli.render",
        "prompt_toolkit pygments",
    ),
    "tensh.cli.kernel": (
        "tensh tensh.alias tensh.show tensh.cli tensh.cli.programs.program tensh.cli.programs.run tensh.cli.session tensh.cli.render",
        "ipykernel IPython",
    ),
    "tensh.cli.programs.program": ("tensh.cli tensh.cli.session", ""),
    "tensh.cli.documents": ("tensh.cli tensh.cli.programs.program tensh.cli.session", ""),
    "tensh.cli.checking": (
        "tensh tensh.show tensh.cli tensh.cli.documents tensh.cli.lessons tensh.cli.programs.program tensh.cli.render tensh.cli.programs.run "
        "tensh.cli.session",
        "",
    ),
    "tensh.cli.checking.collecting": ("tensh.cli tensh.cli.checking tensh.cli.documents", "pytest"),
    "tensh.cli.lessons": (
        "tensh.cli.learning tensh.show tensh.cli tensh.cli.documents tensh.cli.programs.program tensh.cli.render "
        "tensh.cli.programs.run tensh.cli.session",
        "",
    ),
    "tensh.cli.programs.run": (
        "tensh tensh.alias tensh.show tensh.cli tensh.cli.programs.program tensh.cli.programs.reporting tensh.cli.session "
        "tensh.cli.render",
        "",
    ),
    "tensh.cli.programs.reporting": ("tensh.cli tensh.cli.session tensh.cli.render", ""),
    "tensh.cli.programs.runs": ("tensh.cli tensh.cli.programs.run", ""),
    "tensh.cli.launching": ("tensh.cli", ""),
    "tensh.cli.sweeping": (
        "tensh.show tensh.cli tensh.cli.programs.program tensh.cli.programs.run tensh.cli.render tensh.cli.session",
        "numpy",
    ),
    "tensh.cli.watching": (
        "tensh.show tensh.show.loops.tracked tensh.cli tensh.cli.render tensh.cli.sweeping",
        "numpy tensorboard google PIL",
    ),
    "tensh.cli.records": ("tensh.show tensh.cli tensh.cli.render tensh.cli.programs.run tensh.cli.session", ""),
    "tensh.cli.actions.graphs": ("tensh.graph tensh.show tensh.cli tensh.cli.programs.run tensh.cli.session", ""),
    "tensh.cli.actions.model_export": ("tensh.cli tensh.cli.session", ""),
    "tensh.cli.programs.watch": ("tensh.cli tensh.cli.programs.program tensh.cli.render tensh.cli.programs.runs", ""),
    "tensh.cli.programs.whole_programs": ("tensh.alias tensh.cli", ""),
    "tensh.cli.actions.report": ("tensh tensh.show tensh.cli tensh.cli.render", ""),
    "tensh.cli.actions.api": ("tensh.show tensh.cli tensh.cli.render", ""),
    "tensh.cli.actions.doc": ("tensh.cli tensh.cli.render", ""),
    "tensh.cli.commands": (
        "tensh.cli tensh.cli.programs.program tensh.cli.programs.run tensh.cli.actions.report tensh.cli.actions.graphs tensh.cli.sweeping.request "
        "tensh.graph",
        "typer",
    ),
    "tensh.__main__": ("tensh.cli", ""),
}
# From the bottom up: no part imports one to its right, not even indirectly.
ORDER = (
    "tensh.engine: core.clock core.tensor core.nodes core.views core.backward autograd.gradients",
    "tensh.engine: core.backward inplace.writes codegen.node_classes codegen.operator autograd.jvp autograd.tangent_levels",
    "tensh.engine: codegen.source codegen.derivatives codegen.steps codegen.writer codegen.operator codegen.table operators",
    "tensh.engine: codegen.vocabulary codegen.mixing codegen.environment codegen.operator codegen.table operators",
    "tensh.engine: arrays.memory core.tensor codegen.table operators dispatch.vmap.dispatch",
    "tensh.engine: core.tensor methods.printing",
    "tensh.show: drawing reading tables pictures graphs printed",
    "tensh.jit: language running graphs traces files scripting checking",
    "tensh.compiler: configuration breaks programs capture syntax fx_graphs compiling api",
)
SILENT = ("tensh.engine", "tensh.cli.session")  # they neither print nor use the terminal

FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "tensh").rglob("*.py"))
}


@cache
def parsed(module):
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@cache
def imports(module, top_only):
    """The names that a module imports, at its top level or anywhere."""
    tree, names = parsed(module), []
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively: write the whole name"
            # `from tensh.engine.core import clock` imports the module tensh.engine.core.clock
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if name in FILES else node.module for name in inner]
    return names


def part_of(module):
    return max((part for part in LAYERS if module == part or module.startswith(part + ".")), key=len)


def imports_upwards(module):
    """Yield the imports of a module that do not point downwards."""
    part = part_of(module)
    below, libraries = (words.split() for words in LAYERS[part])
    for name in imports(module, top_only=True):
        root = name.partition(".")[0]
        if root == "tensh":
            own = part_of(name)
            lies_below = own in (part, *ANYBODY, *below) or name in below
        else:
            lies_below = root in sys.stdlib_module_names or root in libraries
        if not lies_below:
            yield f"{module} imports {name}"


def test_imports_go_downwards():
    assert FILES and [fault for module in FILES for fault in imports_upwards(module)] == []


HEAVY = {"rich", "typer", "prompt_toolkit", "pygments", "pydantic"}


def heavy_imports(module):
    """The heavy libraries that a module imports anywhere, and that do not belong to its part."""
    used = {name.partition(".")[0] for name in imports(module, top_only=False)} & HEAVY
    return sorted(used - {*LAYERS[part_of(module)][1].split()})


def test_heavy_libraries_stay_in_their_parts():
    """Not even inside a function: Rich belongs to render, prompt_toolkit to repl, typer to commands."""
    modules = [module for module in FILES if part_of(module) != "tensh.cli.commands"]
    assert {module: heavy for module in modules if (heavy := heavy_imports(module))} == {}


def needed_by(names, needs):
    """All modules that ``names`` import, directly or indirectly."""
    found, queue = set(), list(names)
    while queue:
        new = needs.get(queue.pop(), set()) - found
        found |= new
        queue += new
    return found


@cache
def needs_of_all():
    """Each module -> the modules of tensh that it imports anywhere, inside functions, too."""
    return {module: {*imports(module, top_only=False)} & FILES.keys() - {module} for module in FILES}


def modules_of(name):
    """The modules of a part: a folder, or one file."""
    return {module for module in FILES if module == name or module.startswith(f"{name}.")}


def test_no_module_imports_itself_by_way_of_others():
    assert [module for module in FILES if module in needed_by([module], needs_of_all())] == []


DOORS = """autograd.anomaly_mode autograd.function autograd.grad_mode distributed.tensor.api functorch.compile fx.for_tracers
    fx.passes.tools_common jit._script storage onnx.forms.families onnx.operators.families""".split()
"""Modules that hand on the names of others: PyTorch has them there, or they fill a table first."""


@cache
def names_from_elsewhere(module):
    """The names at the top of a module that it imports and does not define."""
    found = [n for n in parsed(module).body if isinstance(n, ast.ImportFrom) and n.module in FILES]
    imported = {alias.asname or alias.name for node in found for alias in node.names}
    assigned = {n.id for n in ast.walk(parsed(module)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return imported - assigned


def detours(module):
    """Yield the imports of a module that name a module which imports the name itself."""
    asked = [n for n in ast.walk(parsed(module)) if isinstance(n, ast.ImportFrom) and n.module in FILES]
    for node in asked:
        if FILES[node.module].name != "__init__.py" and node.module.removeprefix("tensh.") not in DOORS:
            for name in {alias.name for alias in node.names} & names_from_elsewhere(node.module):
                yield f"{module}:{node.lineno} imports {name} from {node.module}"


def test_names_are_imported_from_the_module_that_defines_them():
    assert FILES and [place for module in FILES for place in detours(module)] == []


@pytest.mark.parametrize("line", ORDER)
def test_packages_are_built_from_the_bottom_up(line):
    package, _, names = line.partition(": ")
    parts = [f"{package}.{name}" for name in names.split()]
    for position, part in enumerate(parts):
        needed = needed_by(modules_of(part), needs_of_all())
        for above in parts[position + 1 :]:
            assert modules_of(above), above
            assert not needed & modules_of(above), f"{part} needs {above}"


REGISTRIES = {"OPS", "PUBLIC", "METHODS", "LAYERS", "LINALG", "FFT", "SPECIAL"}


def looked_up(module):
    """Places in functions of a module that look up another function in a registry."""
    for function in (node for node in ast.walk(parsed(module)) if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            subscript = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
            if subscript and ast.unparse(node.value) in REGISTRIES:
                yield f"{module}:{node.lineno} {ast.unparse(node)}"


def test_operators_are_imported_or_stand_in_tables():
    """No function looks up another in a registry, by a literal or computed name."""
    modules = [name for name in FILES if name.startswith("tensh.engine.operators.")]
    assert modules and [place for module in modules for place in looked_up(module)] == []


PORTS = "construct is_generator batched_operator batched_function batched_custom batched_grad grad_by_batches reduce_tensor reduce_parameter reduce_storage dispatch_override answer_override make_subclass tensor_html torch_function make_wrapper_subclass dispatch_aten dispatch_operator dispatch_lifted run_watched make_sparse call_node make_leaf mark_inference inference_operand compile_forward"
"""All ways upwards: see engine/core/ports.py, and the list in ARCHITECTURE.md."""


def test_ports_are_those_that_are_listed():
    ports = {name: port for name, port in vars(ports_module).items() if isinstance(port, ports_module.Port)}
    assert sorted(ports) == sorted(PORTS.split())
    rows = [line for line in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    for name, port in ports.items():
        assert callable(port.function), name
        # the row of the port names its module, or the folder of that
        module = port.module.removeprefix("engine.").replace(".", "/")
        named = re.compile(rf"`(tensh/)?({module}|{module.rpartition('/')[0] or module})`")
        assert any(f"`{name}`" in row.split("|")[1] and named.search(row.split("|")[3]) for row in rows), name


def heard(module):
    """Places where a module prints, reads or takes one of the process's streams."""
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
            yield f"{module}:{node.lineno} calls {node.func.id}"
        stream = isinstance(node, ast.Attribute) and node.attr in ("stdin", "stdout", "stderr")
        if stream and ast.unparse(node.value) == "sys":
            yield f"{module}:{node.lineno} uses sys.{node.attr}"


def test_engine_and_session_are_silent():
    modules = [name for name in FILES if name.startswith(SILENT)]
    assert modules and [place for module in modules for place in heard(module)] == []
