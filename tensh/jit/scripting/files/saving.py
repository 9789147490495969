"""Scripted modules and functions as TorchScript files: classes with typed members, methods, and all they call."""

import inspect
import itertools

from tensh.jit.files.writing import ScriptObject, declare, list_members, put_archive, write_trace, write_trace_class
from tensh.jit.graphs.code_text import constant_code
from tensh.jit.scripting.calls.layers import is_layer, name_in_scripts
from tensh.jit.scripting.calls.traces import TraceMethod, add_trace_function, is_trace, make_trace_object
from tensh.jit.scripting.compiling import Program, declared_kind, find_source, is_final
from tensh.jit.scripting.files.class_code import add_kinds, typed
from tensh.jit.scripting.files.context_classes import write_context
from tensh.jit.scripting.files.fixed_members import fix_program, freeze_method
from tensh.jit.scripting.files.printing import annotation_of, write_script
from tensh.jit.scripting.graphs.blocks import lines_of, values_of
from tensh.jit.scripting.kinds import ModuleKind, none
from tensh.jit.scripting.sources import NotScriptable
from tensh.jit.scripting.sugar import class_name, class_of, path_of
from tensh.nn.modules.module import Module

__all__ = ["write_fixed_module", "write_fixed_trace", "write_function_file", "write_module", "write_trace_file"]

NO_PYTHON = (
    "Could not export Python function call '{}'. Remove calls to Python functions before export. Did you forget to add @script or "
    "@script_method annotation? If this is a nn.ModuleList, add it to __constants__:"
)
INTERNAL = frozenset({*Module().__dict__, "training", "_script_types"})


class Codes:
    """The code files: their texts by the name of the module, and the names of what they contain."""

    def __init__(self):
        self.texts, self.classes, self.functions, self.constants = {}, {}, set(), []
        self.own, self.program = set(), Program()  # classes of the program, and their compiled methods

    def add(self, space, text):
        self.texts[space] = self.texts.get(space, "") + text

    def iterate_names(self, path):
        """Yield ``path``, then the names that PyTorch gives to further classes of this name."""
        yield path
        space, _, name = path.rpartition(".")
        for number in itertools.count():
            yield f"{space}.___torch_mangle_{number}.{name}"

    def find_name(self, path):
        """Return a full name like ``path`` that no class has."""
        return next(full for full in self.iterate_names(path) if full not in self.classes)

    def add_class(self, path, write):
        """Add a class unless it is there; ``write`` makes its text from its name.  Return its name, which is unique."""
        for full in self.iterate_names(path):
            text = write(full)
            if self.classes.setdefault(full, text) == text:
                break
        if full not in self.functions:
            self.functions.add(full)
            self.add(full.rpartition(".")[0], text)
        return full


def write_module(module, f, extra_files=None):
    """Write a scripted module to a path or binary file.  Raise RuntimeError for Python that scripts cannot contain."""
    program, codes = Program(), Codes()
    methods = compile_methods(program, module)
    made = make_object(module, methods, codes, {})
    put_archive(f, made, codes.texts, codes.constants, extra_files)


def write_function_file(fn, f, extra_files=None):
    """Write a scripted function to a path or binary file, as the ``forward`` of an empty module."""
    program, codes = Program(), Codes()
    compiled = program.function(fn)
    add_functions(compiled, codes)
    path = "__torch__.PlaceholderModule"
    head = "class PlaceholderModule(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
    codes.add("__torch__", head + write_placeholder(compiled, path))
    put_archive(f, ScriptObject(path, {"training": True}), codes.texts, codes.constants, extra_files)


def write_trace_file(trace, f, extra_files=None):
    """Write a traced function or module to a path or binary file, with the scripts that it calls."""
    codes, made = Codes(), {}
    add_trace(trace, codes)
    write_trace(trace, f, extra_files, codes, lambda child: make_script_object(child, codes, made))


def write_fixed_module(module, kept, f, extra_files):
    """Write a frozen script: its methods with constants in place of members, except the attributes ``kept``."""
    codes, state, lines = Codes(), {"training": False}, ["  training : bool"]
    own = [freeze_method(module, name, kept) for name in methods_of(module) if name == "forward" or name in kept]
    for name, value, kind in plain_members(module, own):
        if any(line.constant == name for each in own for line in lines_of(each.graph) if line.kind().endswith("Attr")):
            state[name] = typed(value, kind)
            lines.append(declare(name, annotation_of(kind)))
    for each in own:
        add_functions(each, codes)

    def write(path):
        head = [f"class {path.rpartition('.')[2]}(Module):", "  __parameters__ = []", "  __buffers__ = []", *lines]
        return "\n".join(head) + "\n" + "".join(write_script(each, path, None, 1, codes.constants) for each in own)

    path = codes.add_class(class_name(module), write)
    put_archive(f, ScriptObject(path, state), codes.texts, codes.constants, extra_files)


def write_fixed_trace(trace, f, extra_files):
    """Write a frozen trace: its programs with constants in place of members."""
    codes, programs = Codes(), {name: fix_program(each) for name, each in trace._programs.items()}
    add_trace(trace, codes)
    owner = write_trace_class(Module(), class_name(trace), programs, codes, lambda child: None)
    put_archive(f, owner, codes.texts, codes.constants, extra_files)


def make_script_object(module, codes, made):
    """Return the object of a scripted submodule of a trace; None for a submodule that is part of the trace."""
    if not isinstance(getattr(type(module), "_original", None), type) or is_trace(module):
        return None
    return make_object(module, compile_methods(Program(), module), codes, made)


def add_scripts(functions, codes):
    """Add the code of scripted functions, and of all that they call."""
    program = Program()
    for fn in functions:
        compiled, path = program.function(fn), path_of(fn)
        if path not in codes.functions:
            codes.functions.add(path)
            add_functions(compiled, codes)
            space, _, name = path.rpartition(".")
            codes.add(space, write_script(compiled, None, name))


def write_placeholder(compiled, path):
    lines = write_script(compiled, None, "forward", 1).split("\n", 1)
    opened = lines[0].replace("def forward(", f"def forward(self: {path},\n    ")
    return f"{opened}\n{lines[1]}".replace(",\n    )", ")")


# ── what is compiled ─────────────────────────────────────────────────────────
def compile_methods(program, root):
    """Return id of a module -> its compiled methods, with all that they call.

    Methods that nothing calls are included if they can be compiled.
    """
    for module in modules_to_compile(root):
        for name in methods_of(module):
            fn = find_source(module, name)
            try:
                program.compile((id(module), name), fn, module)
            except NotScriptable:
                if module is root or name != "forward":
                    raise
    seen, found, waiting = set(), {}, list(program.found.items())
    while waiting:
        for key, compiled in waiting:
            seen.add(key)
            for line in lines_of(compiled.graph):
                if line.called is not None and line.called.graph is None and not isinstance(line.called, TraceMethod):
                    program.layer(line.called)
            if isinstance(key[0], int):
                found.setdefault(key[0], []).append(compiled)
        waiting = [each for each in program.found.items() if each[0] not in seen]
    return found


def modules_to_compile(root):
    """Yield a module and its submodules, without those that were traced."""
    if not is_trace(root):
        yield root
        for each in root._modules.values():
            if each is not None:
                yield from modules_to_compile(each)


def methods_of(module):
    """Return the names of the methods that every file has: ``forward``, and exported ones."""
    cls = class_of(module)
    names = ["forward"] if inspect.isfunction(find_source(module, "forward")) else []
    if cls.__name__ in ("ModuleList", "ModuleDict", "Module") or find_source(module, "forward") is Module.forward:
        names = []
    exported = (
        name for name in dir(cls) if getattr(inspect.getattr_static(cls, name), "_torchscript_modifier", "") == "export"
    )
    return [*names, *exported]


def add_functions(compiled, codes):
    """Add the functions that a compiled function calls, directly or indirectly, and its named tuples."""
    for kind in {each.value_kind for each in values_of(compiled.graph)} | {*compiled.kinds.values(), compiled.result}:
        add_kinds(kind, codes, add_functions)
    for line in lines_of(compiled.graph):
        if line.kind() == "prim::CallFunction" and line.called is not None:
            path = line.taken[0].node().path
            if path not in codes.functions:
                codes.functions.add(path)
                if isinstance(line.called, TraceMethod):
                    add_trace(line.called.trace, codes)
                    add_trace_function(line.called, path, codes)
                    continue
                add_functions(line.called, codes)
                space, _, name = path.rpartition(".")
                codes.add(space, write_script(line.called, line.called.owner, name))
        elif line.kind() == "prim::CallFunction":
            raise NotScriptable(
                f"{line.taken[0].node().path} has no TorchScript code{line.suffix.replace(' # ', ', called at ')}"
            )
        elif line.kind() == "prim::CreateObject":
            if isinstance(line.given[0].value_kind, ModuleKind):
                codes.add_class(line.given[0].value_kind.__name__, write_context)
        elif line.kind().startswith("^"):
            raise RuntimeError(
                f"\n{NO_PYTHON.format(line.kind()[1:].partition('[')[0].removesuffix('()'))}\n{line.suffix[3:]}"
            )


def add_trace(trace, codes):
    """Add the scripts that a trace calls."""
    nodes = [node for program in trace._programs.values() for node in program.graph.nodes]
    add_scripts({node.target._fn for node in nodes if getattr(node.target, "script_path", None)}, codes)


# ── objects ──────────────────────────────────────────────────────────────────
def make_object(module, methods, codes, made):
    """Return the object of a module, with those of its submodules; their classes are added to the code."""
    if id(module) in made:
        return made[id(module)]
    if is_trace(module):
        add_trace(module, codes)
        made[id(module)] = make_trace_object(module, codes, lambda child: make_script_object(child, codes, made))
        return made[id(module)]
    own = methods.get(id(module), [])
    state, lines = write_members(module, own, codes, lambda child: make_object(child, methods, codes, made))
    for each in own:
        add_functions(each, codes)
    hooks = compile_hooks(module)

    def write(path):
        head = [f"class {path.rpartition('.')[2]}(Module):", *list_members(module), *list_hooks(hooks), *lines]
        texts = [write_script(each, path, name, 1) for each in own for name in names_of(module, each.name)]
        texts += [write_script(each, path, None, 1) for each in {each.name: each for each in sum(hooks, [])}.values()]
        return "\n".join(head) + "\n" + "".join(texts)

    path = codes.add_class(class_name(module), write)
    made[id(module)] = ScriptObject(path, state)
    return made[id(module)]


def write_members(module, methods, codes, make_child):
    """Return (name -> value, lines of declarations) of a module's members; ``make_child`` makes the object of a submodule."""
    state, lines = {}, []

    def put(name, value, kind):
        state[name] = typed(value, kind)
        add_kinds(kind, codes, add_functions)
        lines.append(declare(name, kind.__name__ if isinstance(kind, ModuleKind) else annotation_of(kind)))

    for name, value in module._parameters.items():
        kept = None if value is None else value.detach().requires_grad_(value.requires_grad)
        put(name, kept, declared_kind(module, name, value))
    for name, value in module._buffers.items():
        put(name, value, declared_kind(module, name, value))
    for name, value, kind in plain_members(module, methods):
        put(name, value, kind)
    put("training", module.training, bool)
    put("_is_full_backward_hook", None, none)
    for name, child in module._modules.items():
        if child is None:
            put(name, None, none)
        else:
            inner = make_child(child)
            put(name, inner, ModuleKind(inner.name))
    for name, value in constants_of(module):
        lines.append(f"  {name} : Final[{annotation_of(type(value))}] = {constant_code(value)}")
    return state, lines


def compile_hooks(module):
    """Return the hooks of a module before and after ``forward``, as compiled."""
    program, tables = Program(), (module._forward_pre_hooks, module._forward_hooks)
    return [[program.hook(module, each) for each in table.values()] for table in tables]


def list_hooks(hooks):
    """Return the lines of a class that name the hooks of its modules."""
    texts = ["".join(f'"{each.name}", ' for each in table) for table in hooks]
    names = ("__forward_pre_hooks__", "__forward_hooks__")
    return [f"  {name} = [{text}]" for name, text in zip(names, texts) if text]


def names_of(module, method):
    """Return the names of a method in a file: its own, and the one by which scripts call the method."""
    return dict.fromkeys((method, name_in_scripts(module, method)))


def plain_members(module, methods):
    """Yield (name, value, type) of the attributes other than tensors of the state and modules.

    Of a layer, these are the attributes that are read.
    """
    read = {
        line.constant
        for each in methods
        for line in lines_of(each.graph)
        if line.kind() in ("prim::GetAttr", "prim::SetAttr")
    }
    fixed = [name for name, _ in constants_of(module)]
    for name, value in module.__dict__.items():
        if name in {*INTERNAL, *fixed} or name.startswith("__") or is_layer(module) and name not in read:
            continue
        kind = declared_kind(module, name, value)
        if kind is not None and not isinstance(kind, ModuleKind) and not inspect.isfunction(value):
            yield name, value, kind


def constants_of(module):
    """Return (name, value) of numbers and texts that the class declares as constants."""
    cls = class_of(module)
    names = [name for name in getattr(module, "__constants__", ()) if not is_layer(module)]
    names += [name for name in module.__dict__ if name not in names and is_final(cls, name)]
    found = ((name, getattr(module, name, None)) for name in names)
    return [(name, value) for name, value in found if isinstance(value, (bool, int, float, str))]
