"""The text of a derivative: the names that it reads, and the functions generated from it.

- ``backward_source``   the derivatives, compiled once for raw arrays and once for tensors (see vocabulary.py)
- ``forward_source``    the tangent of an operator that works element by element, from the same texts
"""

import ast
import functools

from tensh.engine.codegen.scaling import name_numbers
from tensh.engine.codegen.source import INDENT, indent_lines

UNRECORDED = "unrecorded"  # fused=UNRECORDED: one kernel unless it is recorded
LIST = "list"  # outs=LIST: as many outputs as the kernel returns
FACTS = frozenset({"shape", "dtype", "ndim", "strides"})
"""The facts of an array that a derivative may read without keeping the array.

``strides`` are in bytes, and None for an array that owns its memory: it lies row by row, and skipping the
question saves 30 ns.
"""


# ── what it reads ────────────────────────────────────────────────────────────
def reads(text, names):
    """Return the saved values a derivative reads, in order: names, and facts such as ``name.shape`` without the array."""
    found, parents = {}, {}
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            parent = parents.get(node)
            of = isinstance(parent, ast.Attribute) and parent.attr in FACTS and names[node.id]
            found[f"{node.id}.{parent.attr}" if of else node.id] = None
    return list(found)


def saves(op):
    """Saved expression -> the inputs whose derivative reads it."""
    tensors = {*op.inputs, *op.outs, "out"}
    names = {name: name in tensors for name in (*op.parameters, *tensors)}
    kept = {}
    for parameter, text in op.derivatives.items():
        for let in (*op.let.values(), text) if op.let else (text,):
            for read in reads(let, names):
                kept.setdefault(read, {})[parameter] = None
    return {read: list(who) for read, who in kept.items()}


def words_of(text):
    """Return the names in a derivative, except those that its comprehensions bind."""
    names = [node for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return [node.id for node in names if node.id not in bound]


def variable(read):
    """Return the local name of a saved expression: ``input.shape`` -> ``input_shape``."""
    return read.replace(".", "_")


def raw(name, op):
    """Return the expression of a saved value inside the function: the raw array of a tensor, all else unchanged."""
    base, _, attribute = name.partition(".")
    if base == op.sequence and attribute:
        return f"[each.{attribute} for each in {base}_]"
    if base in op.inputs or base == "out" or base in op.outs:
        base += "_"
    if attribute == "strides":
        return f"(None if {base}.base is None else {base}.strides)"
    return f"{base}.{attribute}" if attribute else base


# ── what is written from it ──────────────────────────────────────────────────
def backward_source(op, recorded, derivatives, chains=False):
    """``backward(self, g)``: unpack the saved values, then one expression for every differentiable input.

    With ``chains`` (see chains.py) the derivatives of large arrays are computed block by block.
    """
    lines = [f"def {'backward_graph' if recorded else 'backward'}(self, g):"]
    if not recorded and computes(op, derivatives):
        first = "next(iter(g.values()))" if op.many else "g"
        lines.append(
            f"if {first}.dtype.itemsize == 2: return {'derive_once' if op.fused else 'derive_in_steps'}(self, g)"
        )
    elif recorded and op.fused is True and not op.many:
        lines.append("if g.array.dtype.itemsize == 2: return record_once(self, g)")
    lines += ["if g.size >= MANY and (found := derive(CHAINS, self, g)): return found"] if chains else []
    lines += _write_unpacking(op, recorded)
    if op.many:
        names = "gs" if op.outs == LIST else " ".join(f"g_{o}," for o in op.outs)
        lines.append(f"{names} = fill_gradients(self, g)")
    rewrite = functools.partial(local, op=op, recorded=recorded)
    lines += [f"{name} = {rewrite(text)}" for name, text in op.let.items()]
    if op.sequence:
        lines.append(f"return {rewrite(derivatives[op.sequence])}")
        return indent_lines(lines)
    if len(derivatives) == 1:
        lines.append(f"return ({rewrite(next(iter(derivatives.values())))},)")
        return indent_lines(lines)
    lines.append(f"{' '.join(p + '_n,' for p in derivatives)} = self.inputs")
    values = [f"None if {p}_n is None else {rewrite(text)}," for p, text in derivatives.items()]
    lines.append(f"return ({' '.join(values)})")
    return indent_lines(lines)


def computes(op, derivatives):
    """Return True if one of the derivatives consists of several steps, after each of which 16 bit numbers are rounded.

    Products and quotients of two operands are right as they are, where either may be a number; so are the derivatives of
    several outputs, unless one may be without a gradient.
    """
    if op.fused or op.many and not op.partial:
        return bool(op.fused)
    nodes = [node for text in (*derivatives.values(), *op.let.values()) for node in ast.walk(ast.parse(text))]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    if op.numbers and not names & (op.parameters.keys() - op.inputs.keys()):
        return False
    return any(isinstance(node, (ast.BinOp, ast.UnaryOp)) for node in nodes)


def _write_unpacking(op, recorded):
    """Return the line that gives the saved values their names."""
    saved = "self.unpack()" if recorded else "self.saved"
    return [f"{' '.join(variable(read) + ',' for read in op.saves)} = {saved}"] if op.saves else []


def forward_source(op, recorded, derivatives):
    """``forward(self, tangents)`` of an operator that works element by element: see Note [Forward from backward]."""
    lines = ["def forward(self, tangents):", *_write_unpacking(op, recorded)]
    lines += [f"{' '.join(p + '_t,' for p in derivatives)} = tangents", "total = None"]
    rewrite = functools.partial(local, op=op, recorded=recorded)
    for p, text in derivatives.items():
        share = [
            f"g = {p}_t",
            *(f"{name} = {rewrite(let)}" for name, let in op.let.items()),
            f"share = {rewrite(text)}",
        ]
        share.append("total = share if total is None else total + share")
        lines += [f"if {p}_t is not None:", *(INDENT + line for line in share)]
    return indent_lines([*lines, "return total"])


def local(text, op, recorded):
    """Return the derivative with local names in place of saved expressions such as ``input.shape``."""
    if recorded:
        text = name_numbers(text, op.parameters.keys() - op.inputs.keys())
    for read in op.saves:
        if "." in read:
            text = text.replace(read, variable(read))
    return text
