"""The sizes that a program takes, held against those that were declared."""

from tensh.export.dimensions.violations import Violation, make_error
from tensh.tracing.sizes.decisions import find_multiple, list_names, write_condition
from tensh.tracing.sizes.declared import Unnamed
from tensh.tracing.sizes.dims import INFINITY, Dim


def check_limits(known, ranges, limits, guards):
    """Return the ranges of dimensions, narrowed by the program where they have no names.

    Raise UserError if the program does not take all sizes of a named dimension. ``limits`` and ``guards`` are the
    program's.
    """
    found, multiples, texts = dict(ranges), {}, []
    unnamed = {name for name in limits if isinstance(name, Unnamed)}
    for guard in guards:
        names = list_names(guard[1]) | list_names(guard[2])
        if len(names) == 1 and (name := names.pop()) not in unnamed:
            texts.append((name, f"{write_condition(guard, {name: known[name][0].source})}."))
            multiples[name] = max(multiples.get(name, 1), (find_multiple(guard) or (name, 1))[1])
    for name, (low, high) in limits.items():
        if name in unnamed:
            found[name] = low, high
        elif is_narrower((low, high), ranges.get(name)):
            source = known[name][0].source
            texts.append((name, f"{low} <= {source} and {source} <= {'IntInfinity()' if high is None else high}"))
            multiples.setdefault(name, 1)
    if texts:
        unfit = [describe_unfit(name, text, known[name][0].source, ranges.get(name)) for name, text in texts]
        fixes = suggest_fixes(limits, ranges, multiples)
        raise make_error([*unfit, *(Violation(None, None, fix) for fix in fixes)])
    return found


def is_narrower(limits, declared):
    """Return True if (smallest, largest size) leaves out sizes of the declared range, which is None without limits."""
    (low, high), (least, most) = limits, declared or (None, None)
    return low > max(least or 0, 2) or high != most


def describe_unfit(name, condition, source, declared):
    """Return the violation of a dimension, not all of whose declared sizes meet a condition of the program."""
    low, high = declared or (None, None)
    below = f"{low} <= " if low is not None and low > 2 else ""
    above = f" <= {high}" if high is not None else ""
    where = f" {below}{name}{above}" if below or above else ""
    text = f"Not all values of {name} = {source} in the specified range{where} satisfy the generated guard {condition}"
    return Violation(name, text, None)


def suggest_fixes(limits, ranges, multiples):
    """Return declarations that fit the program: parts of dimensions that are multiples, then whole dimensions."""
    parts, wholes = [], []
    for name, (low, high) in sorted(limits.items()):
        if (multiple := multiples.get(name, 1)) > 1:
            most = "oo" if high is None else high // multiple
            parts.append(f"_{name} = {Dim.write(f'_{name}', -(-low // multiple), INFINITY)[:-1]}, max={most})")
            wholes.append(f"{name} = {multiple}*_{name}")
        elif name in multiples and is_narrower((low, high), ranges.get(name)):
            wholes.append(f"{name} = {Dim.write(name, low, INFINITY if high is None else high)}")
    return parts + wholes
