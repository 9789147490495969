"""The names of the operators that a traced or scripted module calls."""

from tensh.jit.scripting.compiling import compile_script, find_source
from tensh.jit.scripting.files.printing import find_overload
from tensh.jit.scripting.files.saving import methods_of
from tensh.jit.scripting.graphs.blocks import lines_of

__all__ = ["export_opnames"]


def export_opnames(m):
    """Return the names of the operators that a traced or scripted module calls, sorted.

    >>> import tensh as torch
    >>> torch.jit.export_opnames(torch.jit.trace(torch.nn.ReLU(), torch.ones(1)))
    ['aten::relu']
    """
    if hasattr(m, "_programs"):
        return sorted({line.target.name() for line in m._program.graph.nodes if hasattr(line.target, "_opname")})
    found = set()
    for method in methods_of(m):
        graph = compile_script(find_source(m, method), m, inlined=True).graph
        for line in lines_of(graph):
            if line.kind().startswith("aten::"):
                overload = find_overload(line)
                found.add(f"aten::{overload.full}" if overload is not None else line.kind())
    return sorted(found)
