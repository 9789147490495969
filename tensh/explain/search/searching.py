"""Fixes found by search: edits of the failing code, each tried on stand-ins.

A search requires that the failure itself occurs on stand-ins, too.
"""

import ast

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import operand
from tensh.explain.search.edits import edits, edits_of_python
from tensh.explain.source.pieces import names_in
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.afterwards import afterwards
from tensh.explain.trials.fixes import depends_on_values, describe_shape
from tensh.explain.trials.parsing import parse_statement
from tensh.explain.trials.shadow import Shadow
from tensh.explain.trials.trusted import Unknown, is_module
from tensh.support.language import _

MOST_TRIED = 300  # edits
LONGEST = 2000  # characters of the code that is searched
NAMESPACES = ("torch", "nn", "F", "np")
TENSORS = (Tensor, np.ndarray, list, tuple)  # tensors, and what tensors are made from


def search(error, segment, shadow, propose, most=2, fails_later=lambda fit: False):
    """Return (Fits, reason) for the cheapest edits that make code work; ((), "") if it does not fail on stand-ins.

    ``error`` is its failure, ``shadow`` evaluates it, and ``propose`` yields the edits. ``fails_later`` tells whether
    the rest of the statement would fail with a Fit: such a Fit is used only if there is no other.
    """
    if not segment or len(segment) > LONGEST or not fails_alike(error, segment, shadow):
        return (), ""
    found, cheapest, seen, last = [], None, set(), ()
    proposed = sorted(propose(segment, shadow), key=lambda edit: edit.cost)
    for edit in proposed[:MOST_TRIED]:
        if cheapest is not None and edit.cost > cheapest or len(found) == most:
            break
        code = segment[: edit.span[0]] + edit.text + segment[edit.span[1] :]
        outcome = result_of(code, shadow)
        if outcome is None or (edit.span, outcome) in seen:
            continue
        seen.add((edit.span, outcome))
        fit = Fit(code, outcome)
        if fails_later(fit):
            last = last or [(fit, reason_of(edit, shadow))]
            continue
        cheapest = edit.cost
        found.append((fit, reason_of(edit, shadow)))
    found = found or last
    return tuple(fit for fit, _ in found), found[0][1] if found else ""


def reason_of(edit, shadow):
    """Return the reason for an edit, with the new dtype or shape of the tensor."""
    if edit.shows is None:
        return edit.reason
    return _("{reason}, and {value} fits").format(reason=edit.reason, value=edit.shows(shadow.value(edit.text)))


def leave_out_failing(situation, fits):
    """Return the Fits that do not fail on stand-ins themselves, as `x[5]` of five elements in place of `x(5)`.

    Only changes of the failing line are tried: for a line elsewhere the names may have other values.
    """
    place = situation.place
    return tuple(fit for fit in fits if fit.line is None or fit.line != place.line or not fails(situation, fit))


def fails(situation, fit):
    """Return True if a line that a Fit writes is sure to fail: an index in it is out of range."""
    if fit.more or fit.side or len(fit.text) > LONGEST:
        return False
    try:
        tree = parse_statement(fit.text)
    except Unknown:
        return False
    names = {name: situation.names[name] for name in names_in(fit.text) if name in situation.names}
    shadow = Shadow({}, names)
    return any(is_out_of_range(node, shadow) for node in ast.walk(tree) if isinstance(node, ast.Subscript))


def is_out_of_range(node, shadow):
    try:
        shadow.evaluate(node)
    except IndexError:
        return True
    except Exception:  # what fails for another reason, or cannot be tried, is not judged
        pass
    return False


def fails_alike(error, segment, shadow):
    """Return True if code fails on stand-ins with the same type of error."""
    try:
        shadow.value(segment)
    except Unknown:
        return False
    except Exception as seen:
        return type(seen) is type(error)
    return False


def result_of(code, shadow):
    """Describe the result of code by shapes; None if it fails."""
    try:
        node = parse_statement(code)
        result, given = shadow.evaluate(node), shadow.shapes(node)
    except Exception:  # the code of the program, on stand-ins
        return None
    return (
        "" if depends_on_values(node, shadow) else f"{', '.join(map(str, given))} -> {describe_shape(result)}".lstrip()
    )


def explain_by_search(situation):
    """Return the Explanation found by search; None if nothing is found."""
    call, place = situation.call, situation.place
    if isinstance(situation.error, NameError | ZeroDivisionError) or is_own_tuple(situation) or is_size(situation):
        return None
    if call is not None and call.name == "einsum":  # any shape fits some equation
        return None
    if situation.says("could not be broadcast together"):  # arrays: adding dimensions would change the meaning
        return None
    whole = find_called_attribute(situation) if isinstance(situation.error, AttributeError) else None
    segment = ast.unparse(whole) if whole is not None else call.segment if call else place.segment
    known = {a.text: a.value for a in call.arguments if a.text and is_that(a)} if call else {}
    own = {name: situation.names[name] for name in names_in(segment) if name in situation.names}
    has_tensors = (
        call is not None
        or not own.keys().isdisjoint(NAMESPACES)
        or any(isinstance(value, TENSORS) or is_module(value) for value in own.values())
    )
    if has_tensors:  # accessing the namespaces loads the engine: not if there is no tensor
        own |= {name: situation.names[name] for name in NAMESPACES if name in situation.names}
    propose = edits if has_tensors else edits_of_python
    later = (lambda fit: afterwards(call, fit) is not None) if call and whole is None else (lambda fit: False)
    found, reason = search(situation.error, segment, Shadow(known, own), propose, fails_later=later)
    if not found:
        return None
    if whole is not None:
        found = tuple(fit for each in found if (fit := replace_node(place, whole, each.text)))
    given = tuple(operand(each) for each in call.tensors if each.text and is_that(each)) if call else ()
    symbol = call.symbol if call and call.symbol != "[]" else "index"
    return Explanation(symbol, given, reason, found)


def is_that(argument):
    """Return True unless an argument is a literal of another type: operands may arrive in another order."""
    try:
        written = ast.literal_eval(argument.text)
    except (ValueError, SyntaxError):
        return True
    return type(written) is type(argument.value)


def is_size(situation):
    """Return True if a size was not found: another shape of the tensor is not what was meant."""
    path = situation.place.path()
    owner = path[-1].value if path and isinstance(path[-1], ast.Subscript) else None
    return isinstance(owner, ast.Attribute) and owner.attr == "shape"


def is_own_tuple(situation):
    """Return True if an attribute is missing on the user's tuple of tensors with different shapes: any may be meant."""
    path = situation.place.path()
    owner = path[-1].value if path and isinstance(path[-1], ast.Attribute) else None
    made = situation.find_assignment(owner.id) if isinstance(owner, ast.Name) else None
    if not isinstance(getattr(made, "value", None), ast.Tuple | ast.List):
        return False
    values = situation.names[owner.id]
    return all(isinstance(each, Tensor) for each in values) and len({tuple(each.shape) for each in values}) > 1


def find_called_attribute(situation):
    """Return the call of the missing attribute; None if it is not called."""
    path = situation.place.path()
    tree = situation.place.tree()
    if not path or tree is None:
        return None
    return next((node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.func is path[-1]), None)
