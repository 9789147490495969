"""The iteration of a loop in which a place was reached."""

import ast

from tensh.explain.source.assignments import LOOPS, blocks_around
from tensh.explain.source.place import bindings

MOST_TURNS = 100_000  # elements examined of a list


def find_iteration(place, names):
    """Return (line, iteration) of the innermost loop around a place, counted from 1; None if that is not certain."""
    scope = place.scope()
    if scope is None or isinstance(scope, ast.Lambda):
        return None
    loops = [owner for owner, block in blocks_around(scope, place) if isinstance(owner, LOOPS) and block is owner.body]
    if not loops or not isinstance(loops[-1], ast.For):
        return None
    loop = loops[-1]
    body = ast.Module(loop.body, [])
    targets = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    known = {name: names[name] for name in targets if name in names and not bindings(body, name)}
    number = find_iteration_of_count(loop, known, names) or (
        find_iteration_of_list(loop, known, names) if len(known) == len(targets) else None
    )
    return (loop.lineno, number) if number else None


def find_iteration_of_count(loop, known, names):
    """Return the iteration of `for i in range(...)` or `for i, x in enumerate(...)`; `known` are the loop variables."""
    call = loop.iter
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords or call.func.id in names:
        return None
    target, first, step = loop.target, 0, 1
    if call.func.id == "enumerate" and isinstance(target, ast.Tuple) and len(call.args) == 1:
        target = target.elts[0]
    elif call.func.id == "range":
        numbers = [each.value if isinstance(each, ast.Constant) else None for each in call.args]
        first = numbers[0] if len(numbers) > 1 else 0
        step = numbers[2] if len(numbers) > 2 else 1
    else:
        return None
    value = known.get(target.id) if isinstance(target, ast.Name) else None
    if any(type(each) is not int for each in (value, first, step)) or not step:
        return None
    return (value - first) // step + 1


def find_iteration_of_list(loop, known, names):
    """Return the iteration of a loop over a named list, by the current element if that is unique."""
    items = names.get(loop.iter.id) if isinstance(loop.iter, ast.Name) else None
    if type(items) not in (list, tuple) or len(items) > MOST_TURNS:
        return None
    target = loop.target
    if isinstance(target, ast.Name):
        wanted = known[target.id]
        places = [n for n, item in enumerate(items, 1) if item is wanted]
    elif isinstance(target, ast.Tuple) and all(isinstance(each, ast.Name) for each in target.elts):
        wanted = [known[each.id] for each in target.elts]
        places = [
            n
            for n, item in enumerate(items, 1)
            if type(item) in (tuple, list)
            and len(item) == len(wanted)
            and all(one is two for one, two in zip(item, wanted, strict=True))
        ]
    else:
        return None
    return places[0] if len(places) == 1 else None
