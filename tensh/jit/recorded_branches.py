"""Scripts whose branches, loops and numbers a trace records: their code runs as that of a file."""

import ast
import io
from contextlib import contextmanager

from tensh.jit._serialization import load
from tensh.jit.files.branching import BranchingFrame
from tensh.jit.files.interpreter import interpreting
from tensh.jit.files.library import join_path
from tensh.jit.files.numbers import READERS
from tensh.jit.language.marks import running
from tensh.jit.script_modules import ScriptModule
from tensh.nn.modules.module import Module
from tensh.support.temporary import temporarily

__all__ = ["keep_branches"]

BRANCHES = (ast.If, ast.For, ast.While)


@contextmanager
def keep_branches(model):
    """Record branches and loops of scripts as ``torch.cond`` and ``torch.while_loop`` where they depend on elements.

    Scripts without any, and those of which no file can be made, run as Python. The scripted modules of ``model`` are
    read before anything is recorded.
    """
    owners = [each for each in walk_modules(model) if isinstance(each, ScriptModule) and not hasattr(each, "_library")]
    files = {id(each): (each, read_back(each)) for each in owners}  # those of functions are added

    def compute_recorded(script, args, kwargs, compute):
        owner = getattr(script, "owner", script)
        if id(owner) not in files:
            files[id(owner)] = owner, read_back(owner)
        file = files[id(owner)][1]
        if file is None:
            return compute(args, kwargs)
        if script._border is not None:
            args, kwargs = script._border.take(args, kwargs)
        method = file.forward if owner is script else getattr(file, script.name)
        return method(*args, **kwargs)

    with temporarily(running, instead=compute_recorded), temporarily(interpreting, frame=BranchingFrame):
        yield


def walk_modules(model):
    """Return a module and those within it; nothing for a function."""
    return model.modules() if isinstance(model, Module) else ()


def decides(node):
    """Return True for a branch, a loop, and a call that makes a number of a tensor."""
    if isinstance(node, ast.Call):
        return (join_path(node.func) or "").removeprefix("torch.") in READERS
    return isinstance(node, BRANCHES)


def read_back(script):
    """Return the module of a script's file, with the members of the script; None for one without branches or a file."""
    file = io.BytesIO()
    try:
        script.save(file)
    except RuntimeError:
        return None
    file.seek(0)
    made = load(file)
    if not any(decides(each) for tree in made._library.spaces for each in ast.walk(tree)):
        return None
    if isinstance(script, Module):
        copies = dict(made.named_modules())
        for path, module in script.named_modules():
            copies[path]._parameters.update(module._parameters)
            copies[path]._buffers.update(module._buffers)
    return made
