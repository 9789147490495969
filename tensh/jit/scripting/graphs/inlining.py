"""The graph of a script with the graphs of what it calls in place of the calls."""

from tensh.jit.scripting.graphs.blocks import Block, Line, ScriptValue
from tensh.jit.scripting.graphs.cleaning import pool, replace
from tensh.jit.scripting.sources import NotScriptable

__all__ = ["inline"]


def inline(compiled, program):
    """Replace the calls in a compiled function by what they call, as far as that is compiled; return the graph."""
    graph = compiled.graph
    inline_block(graph, graph, program)
    pool(graph)
    graph.count_uses()
    return graph


def inline_block(graph, block, program):
    lines, renamed = [], {}
    for line in block.lines:
        for each in line.within:
            inline_block(graph, each, program)
        called = find_called(line, program)
        if called is None:
            lines.append(line)
            continue
        taken = line.taken[1:] if line.kind() == "prim::CallFunction" else line.taken
        copies = dict(zip(called.entering, (renamed.get(each, each) for each in taken)))
        lines += [copy_line(each, block, copies) for each in called.lines]
        result = renamed[line.given[0]] = copies[called.left[0]]
        if line.given[0].named:
            result.name = line.given[0].name
    block.lines = lines
    replace(graph, renamed)


def find_called(line, program):
    """Return the graph that a line calls, itself without calls; None if there is none."""
    called = line.called
    if called is None:
        return None
    if called.graph is None:  # a layer, which was only declared
        try:
            called = program.layer(called)
        except NotScriptable:
            return None
    inline_block(called.graph, called.graph, program)
    return called.graph


def copy_line(line, block, copies):
    """Copy a line into another block; ``copies`` maps values to those that replace them."""
    made = Line(block, line.kind(), [], line.suffix, line.attribute)
    made.taken = [copies.get(each, each) for each in line.taken]
    made.writes, made.parameters, made.path, made.called = line.writes, line.parameters, line.path, line.called
    for each in line.given:
        copies[each] = ScriptValue(each.name, each.value_kind, made)
        made.given.append(copies[each])
    for each in line.within:
        inner = Block(made)
        made.within.append(inner)
        for value in each.entering:
            copies[value] = inner.add_input(value.debugName(), value.value_kind)
        inner.lines = [copy_line(part, inner, copies) for part in each.lines]
        inner.left = [copies.get(value, value) for value in each.left]
    return made
