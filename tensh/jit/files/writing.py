"""Writing of TorchScript files: classes with typed members and methods as code, and the weights as a pickle."""

import io
import os

import numpy as np

from tensh.jit.files.objects import EnumValue
from tensh.jit.graphs.python_print import write_function
from tensh.jit.language.type_names import class_of
from tensh.jit.language.types import class_path
from tensh.jit.traces.parts import name_methods
from tensh.nn.modules.module import Module
from tensh.serialization.records import Records
from tensh.serialization.whole_writes import write_whole
from tensh.serialization.writing import Writer
from tensh.support.replacing import replace_file

__all__ = ["ScriptObject", "declare", "list_members", "put_archive", "write_trace", "write_trace_class"]


class ScriptObject:
    """An object of a TorchScript class, as it is pickled."""

    def __init__(self, name, state):
        self.name, self.state = name, state


class TypedValue:
    """A list or a dictionary with its type, which a function of ``torch.jit._pickle`` restores."""

    def __init__(self, function, value, kind=None):
        self.function, self.value, self.kind = function, value, kind


class ScriptWriter(Writer):
    """The writer of ``torch.save``, extended by such objects."""

    def save_typed_value(self, obj):
        self.save(self.mention_global("torch.jit._pickle", obj.function))
        self.save((obj.value,) if obj.kind is None else (obj.value, obj.kind))
        self.write(b"R")  # REDUCE

    def save_script_object(self, obj):
        space, _, name = obj.name.rpartition(".")
        self.save(self.mention_global(space, name))
        self.write(b")\x81")  # EMPTY_TUPLE, NEWOBJ
        self.save(obj.state)
        self.write(b"b")  # BUILD, which makes the object in PyTorch: before, there is none to remember
        self.memoize(obj)

    def save_enum_value(self, obj):
        space, _, name = obj.name.rpartition(".")
        self.save(self.mention_global(space, name))
        self.save(obj.value)
        self.write(b"R")  # REDUCE

    dispatch = Writer.dispatch | {
        ScriptObject: save_script_object, TypedValue: save_typed_value, EnumValue: save_enum_value,
    }  # fmt: skip


def write_trace(m, f, _extra_files, codes, write_script):
    """Write a traced function or module to a path or binary file; ``_extra_files`` (name -> text) are added.

    ``codes`` has the code that is known so far; ``write_script`` adds that of a scripted submodule, and returns its object.
    """
    root = m if isinstance(m, Module) else Module()
    name = class_path(class_of(m)) if isinstance(m, Module) else "__torch__.PlaceholderModule"
    owner = write_trace_class(root, name, m._programs, codes, write_script)
    put_archive(f, owner, codes.texts, codes.constants, _extra_files)


def put_archive(f, owner, codes, constants, extra_files):
    """Write an archive to a path or binary file; ``codes`` are the texts of code by the names of modules."""
    if hasattr(f, "write"):
        write_archive(write_whole(f), "archive", owner, codes, constants, extra_files)
        return
    with replace_file(f) as file:
        folder = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"
        write_archive(file, folder, owner, codes, constants, extra_files)


def write_trace_class(module, name, programs, codes, write_script):
    """Return the object of a traced module with its submodules; their classes are added to the code.

    ``programs`` are those of its methods by name; ``write_script`` returns the object of a submodule that is scripted. Calls of
    submodules become methods of theirs.
    """
    parts = name_methods(programs.values(), module)

    def write(module, name, path, programs):
        name = codes.find_name(name)
        codes.classes[name] = ""
        state, lines = {}, []
        for each, value in module._parameters.items():
            state[each] = None if value is None else value.detach().requires_grad_(value.requires_grad)
            lines.append(declare(each, "Tensor" if value is not None else "NoneType"))
        for each, value in module._buffers.items():
            state[each] = value
            lines.append(declare(each, "Tensor" if value is not None else "NoneType"))
        state["training"], state["_is_full_backward_hook"] = module.training, None
        lines += ["  training : bool", "  _is_full_backward_hook : Optional[bool]"]
        for each, child in module._modules.items():
            if child is not None:
                made, below = write_script(child), f"{path}.{each}" if path else each
                if made is None:
                    methods = {part.method: part for part in parts.get(below, ())}
                    made = write(child, class_path(class_of(child)), below, methods)
                state[each] = made
                lines.append(declare(each, made.name))
        head = [f"class {name.rpartition('.')[2]}(Module):", *list_members(module)]
        methods = []
        for method, program in programs.items():
            text = write_function(program, codes.constants, method, name)
            methods.append("".join(f"  {line}\n" for line in text.splitlines()))
        codes.classes[name] = "\n".join([*head, *lines, *methods]) + "\n"
        codes.add(name.rpartition(".")[0], codes.classes[name])
        return ScriptObject(name, state)

    return write(module, name, "", programs)


def list_members(module):
    """Return the lines of a class that name its parameters and buffers."""
    tables = {"parameters": module._parameters, "buffers": module._buffers}
    lists = {kind: "".join(f'"{each}", ' for each in table) for kind, table in tables.items()}
    return [f"  __{kind}__ = [{text}]" for kind, text in lists.items()]


def declare(path, kind):
    return f"  {path} : {kind}" if path.isidentifier() else f'  __annotations__["{path}"] = {kind}'


def write_archive(file, folder, owner, codes, constants, extra_files):
    """Write the archive to a file from its start."""
    records = Records(file, folder)
    for kind, value in (("data", owner), ("constants", tuple(each.detach() for each in constants))):
        described = io.BytesIO()
        writer = ScriptWriter(described)
        writer.dump(value)
        records.put(f"{kind}.pkl", described.getvalue())
        for key, block in enumerate(writer.blocks):
            records.put(f"{kind}/{key}", memoryview(np.ascontiguousarray(block)).cast("B") if block.nbytes else b"")
    for name, code in codes.items():
        records.put(f"code/{name.replace('.', '/')}.py", code.encode())
    for name, content in (extra_files or {}).items():
        records.put(f"extra/{name}", content if isinstance(content, bytes) else content.encode())
    records.put("byteorder", b"little" if np.little_endian else b"big")
    # the version of the operators: with a lower one PyTorch takes older ones, such as a division that floors
    records.put("version", b"10\n")
    records.end()
