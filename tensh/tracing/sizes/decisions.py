"""Decisions of a program on dynamic sizes: what Python compared is what the sizes of other calls must satisfy, too.

Note [Guards]
A trace notes every comparison of a size by the program, with its outcome (``numbers.Decision``). Its operands become
expressions of the names of dimensions: an integer, a name, or (operator, operand, operand). A comparison of one
dimension with a constant narrows the range of that dimension; the others become guards, which a call checks.
"""

import ast
import operator
import re
from math import ceil, floor, inf, prod

from tensh.fx.experimental.size_names import write_sum
from tensh.fx.node import Node
from tensh.tracing.sizes.dims import read_derived
from tensh.tracing.sizes.sums import add, as_sum, write_size

COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}
WRITTEN = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv"}
VIEWS = ("view", "reshape", "unflatten")
QUOTIENT = re.compile(r"\((\w+)//(\d+)\)")
SMALLEST = 2  # smallest size of a dynamic dimension, as in PyTorch


class Unexpressed(Exception):
    """Raised for a number that no expression of the dimensions gives."""


def list_guards(program, dynamic):
    """Return the guards (comparison, expression, expression) of both traces; named sizes stand for values."""
    found = []
    for decision in getattr(program.graph, "decisions", ()):
        name = decision.name if decision.outcome else NEGATED[decision.name]
        try:
            guard = name, express(decision.left, program, dynamic), express(decision.right, program, dynamic)
        except Unexpressed:
            continue
        if guard not in found and (list_names(guard[1]) | list_names(guard[2])):
            found.append(guard)
    for node in program.graph.nodes:  # what is divided into rows must be a multiple of their number
        if getattr(node.target, "_opname", "") in VIEWS and isinstance(node.meta.get("sizes"), list):
            quotients = (QUOTIENT.fullmatch(each) for each in node.meta["sizes"] if isinstance(each, str))
            found += [("eq", ("mod", each[1], int(each[2])), 0) for each in quotients if each]
    return list(dict.fromkeys([*found, *list_slices(program)]))


def list_slices(program):
    """Return the guards that slices end within their tensors, as they do in the example."""
    found = []
    for node in program.graph.nodes:
        if getattr(node.target, "_opname", "") != "slice" or len(node.args) < 4 or not isinstance(node.args[3], Node):
            continue
        source, dim, start, stop = node.args[:4]
        size, text = source.meta["val"].shape[dim], stop.meta.get("sizes")
        if isinstance(text, str) and start in (0, None) and node.meta["val"].shape[dim] == stop.meta["val"]:
            whole = (source.meta.get("sizes") or source.meta["val"].shape)[dim]
            unknown = any(each in text + str(whole) for each in ("//", "?", "Max(", "Min(", "**"))
            if unknown or size < stop.meta["val"]:
                continue
            found.append(("le", parse(text), parse(whole) if isinstance(whole, str) else whole))
    return found


def express(value, program, dynamic):
    """Return the expression of a size, which is a node or a number."""
    if not isinstance(value, Node):
        return int(value)
    if getattr(value.target, "_opname", "") == "sym_size":
        source, dim = value.args
        sizes = (
            dynamic.get(program.inputs.index(source), {}) if source.op == "placeholder" else source.meta.get("sizes")
        )
        name = sizes.get(dim) if isinstance(sizes, dict) else sizes[dim] if sizes else None
        if source.op != "placeholder" and "//" in str(name):  # quotients are guesses
            raise Unexpressed
        return parse(name) if isinstance(name, str) else value.meta["val"]
    if getattr(value.target, "_opname", "") == "sym_numel" and isinstance(value.meta.get("sizes"), str):
        return parse(value.meta["sizes"])
    name = getattr(value.target, "__name__", "")
    if value.op != "call_function" or name not in ARITHMETIC:
        raise Unexpressed
    return (name, *(express(each, program, dynamic) for each in value.args))


def parse(text):
    """Return the expression that a text such as ``2*s0 + 1`` is.  Raise Unexpressed for a size without an expression."""
    if text == "?":
        raise Unexpressed

    def read(tree):
        match tree:
            case ast.BinOp() if type(tree.op) in WRITTEN:
                return WRITTEN[type(tree.op)], read(tree.left), read(tree.right)
            case ast.UnaryOp(op=ast.USub()):
                return "mul", -1, read(tree.operand)
            case ast.Call(func=ast.Name(id="Mod")):
                return "mod", *map(read, tree.args)
            case ast.Name():
                return tree.id
            case ast.Constant(value=int()):
                return tree.value
        raise Unexpressed

    return read(ast.parse(text, mode="eval").body)


def name_result(node):
    """Return the text of what a node computes of sizes; None if that is not known."""
    name = node.target.__name__
    texts = [each.meta.get("sizes") if isinstance(each, Node) else str(each) for each in node.args]
    if any(not isinstance(each, str) for each in texts):
        return None
    if name in ("sym_max", "sym_min"):
        return f"{name[4:].capitalize()}({', '.join(sorted(texts, key=lambda each: not each.isdigit()))})"
    if name == "truediv":
        return f"IntTrueDiv({', '.join(texts)})"
    try:
        parsed = [parse(each) for each in texts]
    except Unexpressed:
        return None
    if name == "neg":
        name, texts, parsed = "mul", ["-1", *texts], [-1, *parsed]
    if name not in ARITHMETIC and name != "pow":
        return None
    if name in ARITHMETIC and (linear := as_linear((name, *parsed))) is not None:
        rest = linear.pop(None, 0)
        return write_sum(linear, rest) if any(linear.values()) else str(rest)
    if name in ("add", "sub") or name in ("mul", "floordiv") and any(isinstance(each, int) for each in parsed[1:]):
        return write_size(as_sum((name, *parsed)))
    first, second = (f"({each})" if " " in each else each for each in texts)
    match name:
        case "mod":
            return f"Mod({', '.join(texts)})"
        case "floordiv":
            return f"({first}//{second})"
        case "mul" | "pow":
            return f"{first}{'*' if name == 'mul' else '**'}{second}"
    return None


def list_names(expression):
    """Return the names in an expression."""
    if isinstance(expression, tuple):
        return set().union(*map(list_names, expression[1:]))
    return {expression} if isinstance(expression, str) else set()


def evaluate(expression, sizes):
    """Return the value of an expression for the sizes of names."""
    if isinstance(expression, tuple):
        return getattr(operator, expression[0])(*(evaluate(each, sizes) for each in expression[1:]))
    return sizes[expression] if isinstance(expression, str) else expression


def holds(guard, sizes):
    """Return True if sizes satisfy a guard."""
    name, left, right = guard
    return getattr(operator, name)(evaluate(left, sizes), evaluate(right, sizes))


def rename(expression, names):
    """Return an expression, or a guard, with other names; operators stay."""
    if isinstance(expression, tuple):
        return (expression[0], *(rename(each, names) for each in expression[1:]))
    return names.get(expression, expression) if isinstance(expression, str) else expression


def write(expression, names, inner=False):
    """Return an expression as Python; ``names`` maps its names to texts."""
    if not isinstance(expression, tuple):
        return names.get(expression, str(expression)) if isinstance(expression, str) else str(expression)
    name, *operands = expression
    if name == "sub" and isinstance(operands[1], int):
        name, operands = "add", [operands[0], -operands[1]]
    if name in ("add", "mul") and isinstance(operands[1], int):  # as PyTorch, which sorts constants first
        operands.reverse()
    symbol = {**ARITHMETIC, **COMPARISONS}[name]
    text = f" {symbol} ".join(write(each, names, inner=name in ("mul", "floordiv", "mod")) for each in operands)
    return f"({text})" if inner and name in ("add", "sub", "floordiv", "mod") else text


def write_condition(expression, names):
    """Return an expression or a guard as in PyTorch's reports; all parts of expressions have parentheses."""
    if not isinstance(expression, tuple):
        return names.get(
            expression, f"({expression})" if isinstance(expression, int) and expression < 0 else str(expression)
        )
    name, *operands = expression
    if name == "sub" and isinstance(operands[1], int):
        name, operands = "add", [operands[0], -operands[1]]
    if name in ("add", "mul") and isinstance(operands[1], int):
        operands.reverse()
    parts = [write_condition(each, names) for each in operands]
    if name in COMPARISONS:
        return f" {COMPARISONS[name]} ".join(parts)
    return f"({('*' if name == 'mul' else f' {ARITHMETIC[name]} ').join(parts)})"


def as_linear(expression):
    """Return name -> factor of a linear expression, the constant under None; None for another one."""
    if not isinstance(expression, tuple):
        return {expression: 1} if isinstance(expression, str) else {None: expression}
    name, *operands = expression
    first, second = map(as_linear, operands)
    if first is None or second is None or name not in ("add", "sub", "mul"):
        return None
    if name == "mul":
        if {*first} != {None}:
            first, second = second, first
        return {key: first[None] * each for key, each in second.items()} if {*first} == {None} else None
    sign = 1 if name == "add" else -1
    return {key: first.get(key, 0) + sign * second.get(key, 0) for key in {**first, **second}}


def narrow(guards, ranges):
    """Return (ranges, guards that these do not imply) of dimensions; ``ranges`` is name -> (smallest, largest or None)."""
    limits = {name: (max(low or 0, SMALLEST), inf if high is None else high) for name, (low, high) in ranges.items()}
    facts = [fact for guard in guards for fact in as_facts(guard)]
    for _ in range(3):  # a fact on two dimensions passes the limits of one on to the other
        for fact in facts:
            tighten(fact, limits)
    rest = [guard for guard in dict.fromkeys(guards) if not is_implied(guard, limits)]
    found = {name: (low, None if high == inf else int(high)) for name, (low, high) in limits.items()}
    return found, rest


def as_facts(guard):
    """Return linear expressions (name -> factor) that a guard says to be at least zero."""
    name, left, right = guard
    if name == "ne":
        return []
    found = as_sum(("sub", left, right))
    negative = {key: -each for key, each in found.items()}
    above, below = ([found] if name in ("gt", "ge", "eq") else []), ([negative] if name in ("lt", "le", "eq") else [])
    strict = 1 if name in ("gt", "lt") else 0
    return [solve_quotient(each | {None: each.get(None, 0) - strict}) for each in above + below]


def solve_quotient(fact):
    """Return a fact on one quotient as a fact on its dividend; other facts unchanged."""
    match [each for each in fact.items() if each[0] is not None]:
        case [(("floordiv", dividend, int(divisor)), factor)] if factor > 0:
            return solve_quotient(add(as_sum(dividend), {None: divisor * (fact.get(None, 0) // factor)}))
        case [(("floordiv", dividend, int(divisor)), factor)]:
            most = divisor * (fact.get(None, 0) // -factor + 1) - 1
            return solve_quotient(add({None: most}, as_sum(dividend), -1))
    return fact


def tighten(fact, limits):
    """Narrow the limits of the dimensions in a fact.

    A fact about products and quotients of several narrows nothing.
    """
    if any(isinstance(term, tuple) for term in fact):
        return
    for name, factor in fact.items():
        if name is None or not factor:
            continue
        most = sum(
            each * (1 if other is None else limits[other][each > 0])
            for other, each in fact.items()
            if other != name and each
        )
        low, high = limits[name]
        if factor > 0 and most < inf:
            limits[name] = max(low, ceil(-most / factor)), high
        elif most < inf:
            limits[name] = low, min(high, floor(most / -factor))


def is_implied(guard, limits):
    """Return True if all sizes within the limits satisfy a guard, as far as that is known."""
    name, left, right = guard
    if name == "ne":
        return any(is_implied((other, left, right), limits) for other in ("lt", "gt"))
    match guard:
        case ("eq", ("mod", dividend, int(divisor)), 0) if (factors := as_linear(dividend)) is not None:
            if all(each % divisor == 0 for each in factors.values()):
                return True
    return bool(facts := as_facts(guard)) and all(least_of(fact, limits) >= 0 for fact in facts)


def least_of(fact, limits):
    """Return the smallest value of a linear expression within the limits."""
    return sum(each * find_bounds(term, limits)[each < 0] for term, each in fact.items() if each)


def find_bounds(term, limits):
    """Return (smallest, largest) value of a term of a sum."""
    match term:
        case None:
            return 1, 1
        case ("add" | "sub", _, _):
            terms = as_sum(term)
            return least_of(terms, limits), -least_of({key: -each for key, each in terms.items()}, limits)
        case ("floordiv", dividend, int(divisor)):
            low, high = find_bounds(("add", dividend, 0), limits)
            return low // divisor, high // divisor
        case ("mod", _, int(divisor)):
            return 0, divisor - 1
        case ("mul", *factors):
            bounds = [find_bounds(each, limits) for each in factors if not isinstance(each, int)]
            known = bounds and all(low >= 0 for low, _ in bounds)
            return (prod(low for low, _ in bounds), prod(high for _, high in bounds)) if known else (-inf, inf)
        case str():
            return limits[term]
    return -inf, inf


def find_multiple(guard):
    """Return (name, divisor) of a guard that a dimension is a multiple of a number; None for another guard."""
    match guard:
        case ("eq", ("mod", dividend, int(divisor)), 0):
            match [*as_sum(dividend).items()]:
                case [(str(name), factor)] if divisor % factor == 0:
                    return name, divisor // factor
        case ("eq", left, right):
            match sorted(add(as_sum(left), as_sum(right), -1).items(), key=lambda each: isinstance(each[0], str)):
                case [(("floordiv", str(whole), int(divisor)), one), (str(name), two)] if whole == name:
                    return (name, divisor) if one == -divisor * two else None
                case [(("floordiv", str(one), int(first)), left), (("floordiv", str(two), int(second)), right)] if (
                    one == two
                ):
                    small, large = sorted(((first, left), (second, right)))
                    return (one, large[0]) if large[0] * -small[1] == large[1] * small[0] else None
    return None


def roots_of(names):
    """Return the names whose sizes decide those of dimensions, in order."""
    return list(dict.fromkeys((read_derived(name) or (name,))[0] for name in names))
