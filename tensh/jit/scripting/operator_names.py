"""The names of the operators that a scripted module calls."""

from tensh.jit.scripting.blocks import lines_of
from tensh.jit.scripting.compiling import compile_script, find_source
from tensh.jit.scripting.printing import find_overload
from tensh.jit.scripting.saving import methods_of

__all__ = ["list_operators"]


def list_operators(module):
    """Return the names of the operators of ``aten`` in the methods of a module and in all that they call, sorted."""
    found = set()
    for method in methods_of(module):
        graph = compile_script(find_source(module, method), module, inlined=True).graph
        for line in lines_of(graph):
            if line.kind().startswith("aten::"):
                overload = find_overload(line)
                found.add(f"aten::{overload.full}" if overload is not None else line.kind())
    return sorted(found)
