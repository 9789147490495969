"""Fixes by search: small edits to the code that failed, each tried on stand-ins.

A search begins only where the failure itself is seen on stand-ins, too.  Edits are proposed by what a piece of code is
(a class, a method, a tuple, a tensor, a number), never by its message.
"""

import ast
import types
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.explain.calls import names_in, piece
from tensh.explain.causes.situation import replace_node
from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import operand
from tensh.explain.shadow import BUILTINS, Shadow, Unknown, is_module, parse_statement
from tensh.explain.trying import CHANGES, behind

MOST_TRIED = 300
NAMESPACES = ("torch", "nn", "F", "np")
TENSORS = (Tensor, np.ndarray, list, tuple)  # what is one, or what one may be made of
LONGEST = 2000  # characters of a piece of code in which is searched
FUNCTIONS = {
    "mm": "matmul",
    "bmm": "matmul",
    "dot": "matmul",
    "mv": "matmul",
    "view": "reshape",
    "stack": "cat",
    "cat": "stack",
}
"""What a function or method may be replaced by."""
JOINING = frozenset("cat concat concatenate stack hstack vstack dstack column_stack".split())
"""Functions that take a list of tensors."""

WITHOUT_DERIVATIVE = frozenset("argmax argmin long int round sign".split())
"""Methods whose results gradients do not pass."""

AXES = {3: ("permute(2, 0, 1)", "transpose(0, 1)"), 4: ("permute(0, 3, 1, 2)", "transpose(1, 2)")}
"""Other orders of dimensions: channels before the sizes of an image, time and batch exchanged."""


CASTS = {".float()": 1, ".long()": 1, ".double()": 2, ".bool()": 3}
"""Other dtypes, by how seldom they are what was meant."""


class Edit(NamedTuple):
    """Other code in place of a piece: where (start, end), what, how much it changes, and why it may be meant.

    ``shows`` tells of the new value what belongs to the reason.
    """

    span: tuple[int, int]
    text: str
    cost: int
    reason: str
    shows: Callable | None = None


def search(error, segment, shadow, propose, most=2):
    """(Fits, reason) of the cheapest edits after which a piece of code works; nothing where it does not fail on stand-ins.

    ``error`` is how it failed, ``shadow`` evaluates it, and ``propose`` gives the edits.
    """
    if not segment or len(segment) > LONGEST or not fails_alike(error, segment, shadow):
        return (), ""
    found, cheapest, seen = [], None, set()
    proposed = sorted(propose(segment, shadow), key=lambda edit: edit.cost)
    for edit in proposed[:MOST_TRIED]:
        if cheapest is not None and edit.cost > cheapest or len(found) == most:
            break
        code = segment[: edit.span[0]] + edit.text + segment[edit.span[1] :]
        outcome = result_of(code, shadow)
        if outcome is None or (edit.span, outcome) in seen:
            continue
        seen.add((edit.span, outcome))
        cheapest = edit.cost
        found.append((Fit(code, outcome), reason_of(edit, shadow)))
    return tuple(fit for fit, _ in found), found[0][1] if found else ""


def reason_of(edit, shadow):
    """Why an edit may be meant: of a tensor with the dtype or the shape that it has afterwards."""
    if edit.shows is None:
        return edit.reason
    return f"{edit.reason}, and {edit.shows(shadow.value(edit.text))} fits"


def dtype_of(t):
    return str(t.dtype).removeprefix("torch.")


def shape_of(t):
    return str(list(t.shape))


def fails_alike(error, segment, shadow):
    """Whether a piece of code fails on stand-ins as it did."""
    try:
        shadow.value(segment)
    except Unknown:
        return False
    except Exception as seen:
        return type(seen) is type(error)
    return False


def result_of(code, shadow):
    """What a piece of code gives, in words of shapes; None if it fails."""
    try:
        node = parse_statement(code)
        result, given = shadow.evaluate(node), shadow.shapes(node)
    except (Unknown, Exception):
        return None
    return f"{', '.join(map(str, given))} -> {describe_shape(result)}".lstrip()


def describe_shape(value):
    """The shape of a tensor, the shapes of several, or the type of anything else."""
    if isinstance(value, Tensor):
        return str(list(value.shape))
    if type(value) is tuple and value and all(isinstance(each, Tensor) for each in value):
        return ", ".join(describe_shape(each) for each in value)
    return type(value).__name__


def edits(segment, shadow):
    """All edits of the pieces of some code."""
    node = parse_statement(segment)
    top = node.value if isinstance(node, ast.Expr) else node
    if isinstance(top, ast.Call) and isinstance(top.func, ast.Name) and top.func.id in {*BUILTINS} - {"range"}:
        return
    offset = len(segment) - len(segment.lstrip())
    for depth, each in pieces(top):
        text, (start, end) = piece(segment.lstrip(), each, before="")
        span = start + offset, end + offset
        for new, cost, *reason in changes(each, text, each is top, shadow):
            yield Edit(span, new, 10 * cost + depth, *reason)


def edits_of_python(segment, shadow):
    """The same where nothing is a tensor: numbers and lists are what they should be."""
    return (edit for edit in edits(segment, shadow) if not edit.text.startswith("torch.tensor("))


def pieces(top):
    """(depth, expression) of each piece that may be replaced: operands before the whole, outer ones before inner ones."""
    waiting = [(0, top)]
    for depth, node in waiting:
        yield depth, node
        waiting += [(depth + 1, inner) for inner in children(node)]


def children(node):
    """The expressions that an expression is made of."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.keyword):
            inner = inner.value
        if isinstance(inner, ast.expr):
            yield inner


def changes(node, text, is_whole, shadow):
    """(new text, cost, reason) of what may stand in place of one expression."""
    if isinstance(node, ast.Call):
        yield from other_functions(node, text)
        yield from other_calls(node, text, shadow)
        yield from other_arguments(node, text, shadow)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield f"{ast.unparse(node.left)} // {ast.unparse(node.right)}", 1, f"{text} is not a whole number"
    if isinstance(node, ast.GeneratorExp):
        yield f"([{text[1:-1]}])", 1, "a generator is not a list of tensors"
    value = value_of(node, shadow)
    if value is not UNKNOWN and not is_whole:
        yield from changes_of_value(value, text)


UNKNOWN = object()
"""What a value is that cannot be known on shapes only."""


def value_of(node, shadow):
    """The value of an expression on shapes only, or UNKNOWN."""
    try:
        return shadow.evaluate(node)
    except (Unknown, Exception):
        return UNKNOWN


def other_functions(node, text):
    """Functions that do nearly the same, and the call without its last step where that has no derivative."""
    match node:
        case ast.Call(func=ast.Attribute(attr="t", value=owner), args=[]):
            yield behind(ast.unparse(owner), ".mT"), 1, "t() turns matrices, not batches of them"
        case ast.Call(func=ast.Attribute(attr=step, value=owner)) if step in WITHOUT_DERIVATIVE:
            yield ast.unparse(owner), 0, f"{step} has no derivative: the values themselves are wanted"
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    if name in FUNCTIONS:
        _, (_, end) = piece(text, node.func, before="")
        yield text[: end - len(name)] + FUNCTIONS[name] + text[end:], 2, f"{name} does not take these shapes"


def other_arguments(node, text, shadow):
    """The same call with its tensors in a list, or its first two exchanged."""
    for each in node.keywords:
        if each.arg in ("dim", "axis") and isinstance(value_of(each.value, shadow), int):
            last = ast.unparse(each)
            yield text.replace(last, f"{each.arg}=-1"), 1, f"{last} is none of the dimensions"
    if not any(each.arg in ("dim", "axis") for each in node.keywords):
        yield f"{text[:-1]}, dim=-1)", 2, "a dimension is wanted"
    function, given = ast.unparse(node.func), [*map(ast.unparse, node.args)]
    named = [f"{each.arg}={ast.unparse(each.value)}" for each in node.keywords if each.arg]
    values = [value_of(each, shadow) for each in node.args]
    count = next((n for n, each in enumerate(values) if not isinstance(each, Tensor)), len(values))
    if count > 1 and function.rpartition(".")[2] in JOINING:
        listed = [f"[{', '.join(given[:count])}]", *given[count:], *named]
        yield f"{function}({', '.join(listed)})", 0, f"{function} takes the tensors in a list"
    elif count > 1:
        others = [given[1], given[0], *given[2:], *named]
        yield f"{function}({', '.join(others)})", 1, "the two are the other way round"


def other_calls(node, text, shadow):
    """Calls of what cannot be called, and of methods that a number of Python's has no need of."""
    function = value_of(node.func, shadow)
    if function is not UNKNOWN and not callable(function):
        called, given = ast.unparse(node.func), ", ".join(map(ast.unparse, node.args))
        yield (
            f"{called}[{given}]" if given else called,
            0,
            f"{called} is a {type(function).__name__}, which is not called",
        )
    if isinstance(node.func, ast.Attribute) and not node.args:
        owner = value_of(node.func.value, shadow)
        if isinstance(owner, int | float):
            owned = ast.unparse(node.func.value)
            yield owned, 1, f"{owned} is a number of Python's already"


def changes_of_value(value, text):
    """(new text, cost, reason) by what a value is."""
    match value:
        case Size():
            yield f"{text}[0]", 1, f"{text} is a Size: one number for each dimension"
        case type():
            yield f"{text}()", 0, f"{text} is a class: call it to make one"
        case types.MethodType() | types.FunctionType() | types.BuiltinMethodType():
            yield f"{text}()", 0, f"{text} is a {'method' if '.' in text else 'function'} that was not called"
        case _ if is_module(value):
            yield f"{text}.parameters()", 0, f"{text} is a module: what is wanted are its parameters"
        case tuple() | list() if value and all(isinstance(each, Tensor) for each in value):
            kind = type(value).__name__
            shapes = ", ".join(describe_shape(each) for each in value)
            yield f"{behind(text, '')}[0]", 1 + 2 * (kind == "list"), f"{text} is a {kind}: {shapes}"
            yield f"torch.stack({text})", 2, f"{text} is a {kind} of tensors: {shapes}"
        case tuple() if value and isinstance(value[0], Tensor):
            yield f"{behind(text, '')}[0]", 1, f"{text} is a tuple: {', '.join(describe_shape(each) for each in value)}"
        case tuple() | list() if value and not any(isinstance(each, Tensor) for each in value):
            yield f"torch.tensor({text})", 2, f"{text} is a {type(value).__name__}, not a tensor"
        case np.ndarray():
            yield f"torch.from_numpy({text})", 1, f"{text} is an array of NumPy, not a tensor"
            yield f"torch.from_numpy({text}).float()", 2, f"{text} is an array of NumPy, of {value.dtype}"
        case bool():
            pass
        case float() if value.is_integer():
            yield str(int(value)), 1, f"{text} is a float, and a whole number is wanted"
            yield f"torch.tensor({text})", 2, f"{text} is a float, not a tensor"
        case int() | float():
            yield (
                f"torch.tensor({text})",
                2,
                f"{text} is {'an int' if isinstance(value, int) else 'a float'}, not a tensor",
            )
        case Tensor():
            yield from changes_of_tensor(value, text)


def changes_of_tensor(t, text):
    """(new text, cost, reason, what it shows) of a tensor in another dtype, or with other dimensions."""
    for change, cost in CASTS.items():
        if CHANGES[change](t):
            yield behind(text, change), cost, f"{text} holds {dtype_of(t)}", dtype_of
    shaped = [(f".squeeze({dim})", 3) for dim, size in enumerate(t.shape) if size == 1]
    shaped += [(change, 4) for change in (".unsqueeze(0)", ".unsqueeze(-1)", ".flatten(1)", ".mT", ".T")]
    shaped += [*((f".{change}", 5) for change in AXES.get(t.dim(), ())), ("[None, None]", 6)]
    casts = [cast for cast in (".float()", ".long()") if CHANGES[cast](t)]
    for change, cost in shaped:
        if CHANGES.get(change, lambda t: True)(t):
            for cast in ("", *casts):
                yield behind(text, change + cast), cost + 2 * bool(cast), f"{text} is {shape_of(t)}", shape_of


def explain_by_search(situation):
    """The Explanation that a search finds; None if it finds nothing."""
    call, place = situation.call, situation.place
    if isinstance(situation.error, NameError):
        return None
    whole = find_called_attribute(situation) if isinstance(situation.error, AttributeError) else None
    segment = ast.unparse(whole) if whole is not None else call.segment if call else place.segment
    known = {a.text: a.value for a in call.arguments if a.text} if call else {}
    own = {name: situation.names[name] for name in names_in(segment) if name in situation.names}
    has_tensors = call is not None or any(isinstance(value, TENSORS) or is_module(value) for value in own.values())
    if has_tensors:  # the namespaces stay untouched where nothing is a tensor: looking at them loads the engine
        own |= {name: situation.names[name] for name in NAMESPACES if name in situation.names}
    propose = edits if has_tensors else edits_of_python
    found, reason = search(situation.error, segment, Shadow(known, own), propose)
    if not found:
        return None
    if whole is not None:
        found = tuple(fit for each in found if (fit := replace_node(place, whole, each.text)))
    given = tuple(operand(each) for each in call.tensors if each.text) if call else ()
    symbol = call.symbol if call and call.symbol != "[]" else "index"
    return Explanation(symbol, given, reason, found)


def find_called_attribute(situation):
    """The call whose function is the attribute that was not found; None if it is not called."""
    path = situation.place.path()
    tree = situation.place.tree()
    if not path or tree is None:
        return None
    return next((node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.func is path[-1]), None)
