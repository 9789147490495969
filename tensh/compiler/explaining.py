"""``torch._dynamo.explain``: the graphs of a function, and why it is not a single one."""

import traceback
from typing import NamedTuple

from tensh.compiler.compiling import CompiledFunction
from tensh.compiler.steps import READ

MOST = 50  # maximum number of calls until nothing new is found


class Reason(NamedTuple):
    """Why a function is not one graph: the ``reason``, the user's frames, the innermost last, and the break."""

    reason: str
    user_stack: list
    graph_break: bool = True


class ExplainOutput:
    """The result of ``explain``, printed as PyTorch prints it.

    ``graphs`` are the compiled graphs, ``ops_per_graph`` the functions that each one calls, ``break_reasons`` the
    breaks between them.
    """

    def __init__(self, graphs, reasons):
        self.graphs, self.graph_count, self.break_reasons = graphs, len(graphs), reasons
        self.graph_break_count = max(len(graphs) - 1, 0)
        self.ops_per_graph = [[line.function for line in list_calls(graph)] for graph in graphs]
        self.op_count = sum(map(len, self.ops_per_graph))
        self.out_guards, self.compile_times = [], None

    def __str__(self):
        counts = (
            ("Graph Count", self.graph_count),
            ("Graph Break Count", self.graph_break_count),
            ("Op Count", self.op_count),
        )
        lines = [f"{name}: {count}" for name, count in counts]
        lines.append("Break Reasons:")
        for number, each in enumerate(self.break_reasons, 1):
            lines += [f"  Break Reason {number}:", f"    Reason: {each.reason}", "    User Stack:"]
            lines += [f"      {frame}" for frame in each.user_stack]
        lines.append("Ops per Graph:")
        for number, graph in enumerate(self.graphs, 1):
            lines += [f"  Ops {number}:", *(f"    {line.name}" for line in list_calls(graph))]
        return "\n".join(lines)

    __repr__ = __str__


def list_calls(graph):
    """Return the captured lines of a graph's forward pass that call operators."""
    return [line for line in graph.program.forward_lines if line.name != READ]


def explain(f, *extra_args, **extra_kwargs):
    """Return a function that takes the arguments of ``f`` and describes the graphs of ``f`` as an ``ExplainOutput``.

    ``f`` is called until nothing new is found, once for each place where it breaks.

    >>> import tensh as torch
    >>> print(torch._dynamo.explain(lambda x: (x * 2).sin())(torch.ones(2)))
    Graph Count: 1
    Graph Break Count: 0
    Op Count: 2
    Break Reasons:
    Ops per Graph:
      Ops 1:
        mul
        sin
    """

    def look(*args, **kwargs):
        whole = CompiledFunction(getattr(f, "_torchdynamo_orig_callable", f))
        whole.silent = True
        found = None
        for _ in range(MOST):
            whole(args, kwargs)
            parts = list(list_parts(whole))
            state = [(len(part.graphs), part.off, part.reason) for part in parts]
            if state == found:
                break
            found = state
        reasons = {str(part.reason): part.reason for part in parts if part.reason is not None}
        return ExplainOutput(
            [graph for part in parts for graph in part.graphs], [describe(each) for each in reasons.values()]
        )

    return look(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else look


def list_parts(compiled):
    """Yield a compiled function and its parts, the outermost first."""
    yield compiled
    for member in compiled.members:
        yield from list_parts(member)


def describe(reason):
    """Describe a break, with the user's frame in which it was found."""
    place = reason.place
    frames = [] if place is None else [traceback.FrameSummary(place.filename, place.line, place.code.co_name)]
    return Reason(reason.reason, frames)
