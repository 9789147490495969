"""Writing of TorchScript files: classes with typed members and methods as code, and the weights as a pickle."""

import io
import os

import numpy as np

from tensh.jit.python_print import require_uniform, write_function
from tensh.nn.modules.module import Module
from tensh.serialization.records import Records
from tensh.serialization.writing import Writer
from tensh.support.replacing import replace_file

__all__ = ["write_trace"]


class ScriptObject:
    """An object of a TorchScript class, as it is pickled."""

    def __init__(self, name, state):
        self.name, self.state = name, state


class ScriptWriter(Writer):
    """The writer of ``torch.save``, extended by such objects."""

    def save_script_object(self, obj):
        space, _, name = obj.name.rpartition(".")
        self.save(self.mention_global(space, name))
        self.write(b")\x81")  # EMPTY_TUPLE, NEWOBJ
        self.memoize(obj)
        self.save(obj.state)
        self.write(b"b")  # BUILD

    dispatch = Writer.dispatch | {ScriptObject: save_script_object}


def write_trace(m, f, _extra_files=None):
    """Write a traced function or module to a path or binary file; ``_extra_files`` (name -> text) are added."""
    constants = []
    root = m if isinstance(m, Module) else Module()
    name = m.original_name if isinstance(m, Module) else "PlaceholderModule"
    classes = []
    owner = write_class(root, "__torch__." + spell(name), m._programs, constants, classes)
    code = "\n".join(text for _, text in classes)
    if hasattr(f, "write"):
        write_archive(f, "archive", owner, code, constants, _extra_files)
        return
    with replace_file(f) as file:
        write_archive(
            file, os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive", owner, code, constants, _extra_files
        )


def spell(name):
    return "".join(each if each.isalnum() or each == "_" else "_" for each in name)


def write_class(module, name, programs, constants, classes):
    """Return the object of a module with its submodules; their classes are added to ``classes`` as (name, text)."""
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
            made = write_class(child, f"{name}_{spell(path)}", {}, constants, classes)
            state[path] = made
            lines.append(declare(path, made.name))
    lists = (
        ", ".join(f'"{each}"' for each in table) + ", " if table else ""
        for table in (module._parameters, module._buffers)
    )
    head = [
        f"class {name.rpartition('.')[2]}(Module):",
        *(f"  __{kind}__ = [{text}]" for kind, text in zip(("parameters", "buffers"), lists)),
    ]
    methods = []
    for method, program in programs.items():
        require_uniform(program.result)
        text = write_function(program, constants, method, name)
        methods.append("".join(f"  {line}\n" for line in text.splitlines()))
    classes.append((name, "\n".join([*head, *lines, *methods]) + "\n"))
    return ScriptObject(name, state)


def declare(path, kind):
    return f"  {path} : {kind}" if path.isidentifier() else f'  __annotations__["{path}"] = {kind}'


def write_archive(file, folder, owner, code, constants, extra_files):
    """Write the archive to a file from its start."""
    records = Records(file, folder)
    for kind, value in (("data", owner), ("constants", tuple(each.detach() for each in constants))):
        described = io.BytesIO()
        writer = ScriptWriter(described)
        writer.dump(value)
        records.put(f"{kind}.pkl", described.getvalue())
        for key, block in enumerate(writer.blocks):
            records.put(f"{kind}/{key}", memoryview(np.ascontiguousarray(block)).cast("B") if block.nbytes else b"")
    records.put("code/__torch__.py", code.encode())
    for name, content in (extra_files or {}).items():
        records.put(f"extra/{name}", content if isinstance(content, bytes) else content.encode())
    records.put("byteorder", b"little" if np.little_endian else b"big")
    records.put("version", b"3\n")
    records.end()
