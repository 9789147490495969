"""Methods of frozen scripts: what they call stands in place of the calls, and members of modules are constants."""

import copy
import operator

from tensh.engine.core.tensor import Tensor
from tensh.jit.graphs.graph_objects import type_of
from tensh.jit.graphs.ir import operator_name
from tensh.jit.language.value_text import tensor_text
from tensh.jit.scripting.compiling import Program, find_source
from tensh.jit.scripting.graphs.blocks import blocks_of, lines_of
from tensh.jit.scripting.graphs.building import text_of_constant
from tensh.jit.scripting.graphs.cleaning import clean, name_values, replace
from tensh.jit.scripting.graphs.inlining import inline
from tensh.jit.scripting.sources import NotScriptable
from tensh.nn.modules.module import Module

__all__ = ["fix_program", "freeze_method"]

PLAIN = (bool, int, float, str, type(None))
DROPOUTS = frozenset(
    f"aten::{name}{end}"
    for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
    for end in ("", "_")
)
"""Operators that return their first operand where the third is False."""


def freeze_method(module, name, kept=()):
    """Return a module's method as compiled, with the module's members as constants, except its attributes ``kept``.

    Raise NotScriptable for one that sets members of other modules.
    """
    program = Program()
    compiled = program.compile((id(module), name), find_source(module, name), module)
    inline(compiled, program)
    graph = compiled.graph
    names = fix_members(graph, module, find_set(graph) | {*kept})
    changed = True
    while changed:
        clean(compiled)
        changed = drop_dropouts(graph)
    name_values(graph)
    for line in graph.lines:
        if line in names and isinstance(line.constant, Tensor):
            (value,) = line.given
            value.name, value.shown = f"%self.{names[line]}", type_of(line.constant)
    graph.count_uses()
    return compiled


def find_set(graph):
    """Return the names of the members of the module itself that a method sets."""
    lines = [line for line in lines_of(graph) if line.kind() == "prim::SetAttr"]
    if any(line.taken[0] is not graph.entering[0] for line in lines):
        raise NotScriptable("a method of a frozen module sets members of its submodules")
    return {line.constant for line in lines}


def fix_members(graph, module, kept):
    """Put constants into the places of members; return line of a constant -> the path of the member."""
    modules, names = {graph.entering[0]: ("", module)}, {}
    for block in blocks_of(graph):
        for line in block.lines:
            if line.kind() != "prim::GetAttr" or line.taken[0] not in modules:
                continue
            path, owner = modules[line.taken[0]]
            value, below = getattr(owner, line.constant), f"{path}{line.constant}"
            if isinstance(value, Module):
                modules[line.given[0]] = f"{below}.", value
            elif isinstance(value, (Tensor, *PLAIN)) and not (owner is module and line.constant in kept):
                names[line] = below
                text = tensor_text(value) if isinstance(value, Tensor) else f"[value={text_of_constant(value)}]"
                line.name, line.taken, line.suffix = "prim::Constant", [], ""
                line.attribute = None if value is None else ("value", value, text)
    return names


def drop_dropouts(graph):
    """Put their operands into the places of dropouts that leave them as they are; return True if there are any."""
    renamed = {}
    for block in blocks_of(graph):
        for line in block.lines:
            if (
                line.kind() in DROPOUTS
                and line.taken[2].node().kind() == "prim::Constant"
                and not line.taken[2].node().constant
            ):
                renamed[line.given[0]] = line.taken[0]
        block.lines = [each for each in block.lines if not any(value in renamed for value in each.given)]
    replace(graph, renamed)
    return bool(renamed)


def fix_program(program):
    """Return the program of a trace with members as constants, without calls of submodules and without dropouts."""
    made = copy.copy(program)
    made.graph = copy.deepcopy(program.graph)
    made.constants = dict(program.constants)
    for node in list(made.graph.nodes):
        node.meta = {name: value for name, value in node.meta.items() if name != "calls"}
        if node.op == "get_attr" and node.target not in made.constants:
            made.constants[node.target] = operator.attrgetter(node.target)(program.root).detach()
        if operator_name(node) in DROPOUTS and node.args[2] is False:
            node.replace_all_uses_with(node.args[0])
            made.graph.erase_node(node)
    return made
