"""``torch._dynamo.explain``: the graphs of a function, and why it is not a single one."""

import traceback
from contextlib import redirect_stdout
from io import StringIO
from typing import NamedTuple

from tensh.compiler.backends import BackendFunction
from tensh.engine.random.generator import default_generator

MOST = 50  # maximum number of calls until nothing new is found


class Reason(NamedTuple):
    """The reason why a function is not one graph: the text (``reason``), the user's frames, innermost last, and the break."""

    reason: str
    user_stack: list
    graph_break: bool = True


class ExplainOutput:
    """The result of ``explain``, printed as PyTorch prints it.

    ``graphs`` are graph modules, ``ops_per_graph`` the functions that each one calls, ``break_reasons`` the breaks between
    them. As in PyTorch, calls of methods are in the graphs and are not counted.
    """

    def __init__(self, graphs, reasons):
        self.graphs, self.graph_count, self.break_reasons = graphs, len(graphs), reasons
        self.graph_break_count = len(graphs) - 1
        self.ops_per_graph = [
            [node.target for node in graph.graph.nodes if node.op == "call_function"] for graph in graphs
        ]
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
        for number, functions in enumerate(self.ops_per_graph, 1):
            lines += [f"  Ops {number}:", *(f"    {each}" for each in functions)]
        return "\n".join(lines)

    __repr__ = __str__


def explain(f, *extra_args, **extra_kwargs):
    """Return a function that takes the arguments of ``f`` and describes the graphs of ``f`` as an ``ExplainOutput``.

    ``f`` is called once, and again for each place where it breaks; what further calls print is discarded, and random
    numbers go on as after the first call.

    >>> import tensh as torch
    >>> print(torch._dynamo.explain(lambda x: (x * 2).sin())(torch.ones(2)))
    Graph Count: 1
    Graph Break Count: 0
    Op Count: 1
    Break Reasons:
    Ops per Graph:
      Ops 1:
        <built-in function mul>
    """

    def look(*args, **kwargs):
        graphs = []

        def collect(graph, examples):
            graphs.append(graph)
            return graph.forward

        whole = BackendFunction(getattr(f, "_torchdynamo_orig_callable", f), collect)
        whole.silent = True
        whole(args, kwargs)
        parts, found, state = list(list_parts(whole)), None, default_generator.get_state()
        for _ in range(MOST):
            if all(map(is_settled, parts)) or found == (found := [list_facts(part) for part in parts]):
                break
            with redirect_stdout(StringIO()):
                whole(args, kwargs)
            parts = list(list_parts(whole))
        default_generator.set_state(state)
        reasons = {str(part.reason): part.reason for part in parts if part.reason is not None}
        return ExplainOutput(graphs, [describe(each) for each in reasons.values()])

    return look(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else look


def list_parts(compiled):
    """Yield a compiled function and its parts, the outermost first."""
    yield compiled
    for member in compiled.members:
        yield from list_parts(member)


def list_facts(part):
    """Return what is known of a function or a part of one."""
    return len(part.graphs), part.off, part.reason


def is_settled(part):
    """Return True if another call with these arguments finds nothing new of a part."""
    return bool(part.graphs) or part.off or part.parts is not None


def describe(reason):
    """Describe a break, with the user's frame in which it was found."""
    place = reason.place
    frames = [] if place is None else [traceback.FrameSummary(place.filename, place.line, place.code.co_name)]
    return Reason(reason.reason, frames)
