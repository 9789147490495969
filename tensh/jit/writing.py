"""Writing of TorchScript files: classes with typed members and methods as code, and the weights as a pickle."""

import io
import os

import numpy as np

from tensh.jit.objects import EnumValue
from tensh.jit.python_print import write_function
from tensh.nn.modules.module import Module
from tensh.serialization.records import Records
from tensh.serialization.writing import Writer
from tensh.support.replacing import replace_file

__all__ = ["write_trace"]


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
    name = m.original_name if isinstance(m, Module) else "PlaceholderModule"
    classes = []
    owner = write_class(root, "__torch__." + spell(name), m._programs, codes.constants, classes, write_script)
    codes.add("__torch__", "\n".join(text for _, text in classes))
    put_archive(f, owner, codes.texts, codes.constants, _extra_files)


def put_archive(f, owner, codes, constants, extra_files):
    """Write an archive to a path or binary file; ``codes`` are the texts of code by the names of modules."""
    if hasattr(f, "write"):
        write_archive(f, "archive", owner, codes, constants, extra_files)
        return
    with replace_file(f) as file:
        folder = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"
        write_archive(file, folder, owner, codes, constants, extra_files)


def spell(name):
    return "".join(each if each.isalnum() or each == "_" else "_" for each in name)


def write_class(module, name, programs, constants, classes, write_script):
    """Return the object of a module with its submodules; their classes are added to ``classes`` as (name, text).

    ``write_script`` returns the object of a submodule that is scripted.
    """
    state, lines = {}, []
    for path, value in module._parameters.items():
        state[path] = None if value is None else value.detach().requires_grad_(value.requires_grad)
        lines.append(declare(path, "Tensor" if value is not None else "NoneType"))
    for path, value in module._buffers.items():
        state[path] = value
        lines.append(declare(path, "Tensor" if value is not None else "NoneType"))
    state["training"], state["_is_full_backward_hook"] = module.training, None
    lines += ["  training : bool", "  _is_full_backward_hook : Optional[bool]"]
    for path, child in module._modules.items():
        if child is not None:
            made = write_script(child)
            if made is None:
                made = write_class(child, f"{name}_{spell(path)}", {}, constants, classes, write_script)
            state[path] = made
            lines.append(declare(path, made.name))
    head = [f"class {name.rpartition('.')[2]}(Module):", *list_members(module)]
    methods = []
    for method, program in programs.items():
        text = write_function(program, constants, method, name)
        methods.append("".join(f"  {line}\n" for line in text.splitlines()))
    classes.append((name, "\n".join([*head, *lines, *methods]) + "\n"))
    return ScriptObject(name, state)


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
    # of the operators: with a lower one PyTorch takes older ones, such as a division that floors
    records.put("version", b"10\n")
    records.end()
