"""Rules of differentiation, and of conversion to Python numbers."""

import ast
import dataclasses
from dataclasses import replace

from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.pieces import MODULES, is_module, piece
from tensh.explain.source.place import calls_of, loop_around
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.support.language import _


def explain_start_of_several(call, text):
    t = call.arguments[0]
    shape = list(t.value.shape)
    root = t.text or "y"
    ways = [f"{append_to_expression(root, '')}.{way}().backward()" for way in ("sum", "mean")]
    whole = tuple(Fit(way, f"{shape} -> []") for way in ways) if call.segment.endswith(".backward()") else ()
    return Explanation(
        "backward", (operand(t),), _("backward starts from one number, but {tensor} has {count}: which one is meant?").format(tensor=name_or_phrase(t), count=t.value.numel()), whole,
        _("{code}, which is the same as the sum").format(code=f"{append_to_expression(root, '')}.backward(torch.ones({shape}))"),
    )  # fmt: skip


def explain_start_of_complex(call, text):
    """A pass starts from a real number."""
    t = call.arguments[0]
    rule = _("a gradient is that of a real number, but {tensor} is complex").format(tensor=name_or_phrase(t))
    root = append_to_expression(t.text, "") if t.text else "y"
    ways = [f"{root}.{way}.backward()" for way in ("abs()", "real")] if call.segment.endswith(".backward()") else []
    return Explanation("backward", (operand(t),), rule, tuple(map(Fit, ways)))


def explain_unrecorded(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "requires_grad"):
        return None
    return Explanation(
        "backward", (operand(t),), _("nothing that {tensor} was computed from requires grad, or it was detached or computed within no_grad").format(tensor=name_or_phrase(t)), (),
        _("set it on the tensors to differentiate with respect to, before computing: x.requires_grad_()"),
    )  # fmt: skip


def explain_second_pass(call, text):
    root = call.arguments[0].text if call.arguments else None
    return Explanation(
        "backward", (), describe_first_pass(call), (),
        _("compute {root} again before each backward, or keep the graph: {name}.backward(retain_graph=True)").format(root=root or _("the result"), name=root or "y"),
    )  # fmt: skip


def describe_first_pass(call):
    """Tell which backward pass came before this one, as far as the source shows."""
    scope, here = call.place.scope(), call.place.line
    passes = calls_of(scope, "backward") if scope is not None else ()
    before = [line for line, code in passes if line < here and "retain_graph=True" not in code]
    if before:
        text = _("a backward pass frees the values saved in its graph, and this graph was already used on line {line}")
        return text.format(line=before[-1])
    loop = loop_around(scope, here) if scope is not None else None
    if loop:
        text = _("a backward pass frees the values saved in its graph, and this graph was already used in an earlier iteration of the loop on line {line}")  # fmt: skip
        return text.format(line=loop.lineno)
    return _("a backward pass frees the values saved in its graph, and this graph was already used")


def explain_write_to_leaf(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    name = t.text or "w"
    statement = call.segment if call.symbol != "[]" else call.place.text.strip()
    found = fits(call, [f"with torch.no_grad(): {statement}"])
    if statement != call.segment:
        found = tuple(fit._replace(line=call.place.line) for fit in found)
    advice = (
        _("compute a new tensor instead of writing into {name}")
        if found
        else _("write within torch.no_grad(), or compute a new tensor instead of writing into {name}")
    )
    rule = (
        _("{tensor} is a leaf that requires grad: it cannot be modified in place while gradients are recorded")
        if t.value.is_leaf
        else _(
            "{tensor} is part of a leaf that requires grad: it cannot be modified in place while gradients are recorded"
        )
    )
    rule = rule.format(tensor=name_or_phrase(t))
    return Explanation(call.symbol, (operand(t),), rule, found, advice.format(name=name))


def explain_flag_of_computed(call, text):
    """Explain `v.requires_grad = False` of a computed tensor."""
    t = call.arguments[0]
    match ast.parse(call.place.text.strip()).body:
        case [ast.Assign(targets=[ast.Attribute(value=owner, attr="requires_grad")], value=ast.Constant(value=False))]:
            name = ast.unparse(owner)
        case _:
            return None
    fit = Fit(f"{name} = {name}.detach()", "", call.place.line)
    rule = _("{tensor} was computed, so it belongs to a graph: detach() returns the same numbers without one").format(
        tensor=name
    )
    return Explanation(
        "flag", (operand(replace(t, text=name)),), rule, (fit,) if isinstance(owner, ast.Name | ast.Attribute) else ()
    )


def explain_numpy_of_recorded(call, text):
    t = call.arguments[0]
    tree = parse_expression(call.segment)
    is_one_of_many = isinstance(tree, ast.Call) and len(tree.args) > 1
    if is_one_of_many and not getattr(call.names.get(t.text), "requires_grad", False):
        return None  # another argument of a NumPy function
    code = t.text and call.rewrite({t: detach_each(t.text, call.names) or append_to_expression(t.text, ".detach()")})
    t = dataclasses.replace(t, text=first_requiring(t.text, call.names)) if t.text else t
    is_function = code and not call.segment.startswith(t.text)  # `np.array(t)` cannot be tried on stand-ins
    return Explanation(
        "numpy",
        (operand(t),),
        _("{tensor} requires grad, but an array cannot record gradients").format(tensor=name_or_phrase(t)),
        (Fit(code),) if is_function else fits(call, [code]),
    )


def detach_each(text, names):
    """Rewrite `[a, b]` to `[a.detach(), b.detach()]`, but for arrays, also of a comprehension; None for other code."""
    tree = parse_expression(text)
    if isinstance(tree, ast.List | ast.Tuple):
        others = [each for each in tree.elts if is_array(each, names)]
        texts = [ast.unparse(each) if each in others else detach(each) for each in tree.elts]
        return f"[{', '.join(texts)}]"
    if isinstance(tree, ast.ListComp):
        tree.elt = ast.parse(detach(tree.elt), mode="eval").body
        return ast.unparse(tree)
    return None


def is_array(node, names):
    """Return True for the name of a NumPy array, and for a call of a function of NumPy."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return getattr(names.get(function.value.id), "__name__", None) == "numpy"
    return type(names.get(getattr(node, "id", None))).__module__ == "numpy"


def first_requiring(text, names):
    """Return the element of a written list that requires grad, by its name; the whole text if that is unknown."""
    tree = parse_expression(text)
    for each in tree.elts if isinstance(tree, ast.List | ast.Tuple) else ():
        if getattr(names.get(getattr(each, "id", None)), "requires_grad", False):
            return ast.unparse(each)
    return text


def detach(node):
    return append_to_expression(ast.unparse(node), ".detach()")


def explain_conversion_to_number(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    path = call.place.path()
    tree = parse_expression(call.segment)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mod) and not isinstance(tree.right, ast.Tuple):
        return put_into_text(call.segment, tree, t)
    if call.name == "item" and t.text and is_length(path):
        rule = _("len counts the elements of {tensor}, and a number has none").format(tensor=t.text)
        fit = replace_node(call.place, path[-2], f"len({t.text})")
        return Explanation(call.symbol, (operand(t),), rule, (fit,) if fit else ())
    if not t.value.numel():
        rule = _("{tensor} has no elements; expected a single number").format(tensor=name_or_phrase(t))
        return Explanation(
            call.symbol, (operand(t),), rule, (), _("find out why, or test how many it has: numel() > 0")
        )
    is_number = len(path) > 1 and not is_shown(path[-2])
    ways = [f".sum().{call.name}()", f".mean().{call.name}()"] if is_number and call.name == "item" else [".tolist()"]
    return Explanation(
        call.symbol, (operand(t),), _("{tensor} has {count} elements; expected a single number").format(tensor=name_or_phrase(t), count=t.value.numel()),
        fits(call, [t.text and append_to_expression(t.text, way) for way in ways]),
        _("pick one of them with an index, or take their sum or mean first") if ways[1:] == [] else _("pick one of them with an index"),
    )  # fmt: skip


def is_length(path):
    """Return True if code is the argument of `len`."""
    return len(path) > 1 and isinstance(path[-2], ast.Call) and ast.unparse(path[-2].func) == "len"


def put_into_text(segment, tree, t):
    """Explain `"%d" % x` of a tensor with several elements."""
    text, (first, _last) = piece(segment, tree.right)
    t = replace(t, text=text)
    start = segment[:first] + append_to_expression(text, "")
    ways = [f"{start}.mean().item()", f"{start}.sum().item()"][not t.value.is_floating_point() :]
    rule = _("{tensor} has {count} elements; expected a single number").format(
        tensor=name_or_phrase(t), count=t.value.numel()
    )
    return Explanation("%", (operand(t),), rule, tuple(map(Fit, ways)), _("pick one of them with an index"))


def is_shown(node):
    """Return True if code shows, stores or returns a value, so that a list serves as well as a number."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2] in ("print", "repr", "str", "append", "format")
    if isinstance(node, ast.AugAssign):
        return False
    return isinstance(node, ast.stmt | ast.FormattedValue | ast.List | ast.Tuple | ast.Dict)


def explain_ambiguous_bool(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    if not t.value.numel():
        rule = _("{tensor} has no elements, so it is neither true nor false").format(tensor=name_or_phrase(t))
        return Explanation("bool", (operand(t),), rule, (), _("test how many it has: numel() > 0"))
    function = comparing_function(call.segment)
    tree = parse_expression(call.segment)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute) and is_module(tree.func.value, MODULES):
        return None  # the tensor was passed in the place of a flag
    if function:
        rule = _("{function} compares its elements, but each is a tensor of several numbers").format(function=function)
        return Explanation(
            "bool",
            (),
            rule,
            (),
            _("pass key=, a function that returns one number for each: key=lambda t: t.sum().item()"),
        )
    between = elementwise(call.segment)
    joins = any(f" {word} " in call.place.text for word in ("and", "or", "not"))
    t = replace(t, text=t.text or find_first_asked(call.segment))
    candidates = (
        [between] if between else [t.text and append_to_expression(t.text, way) for way in (".all()", ".any()")]
    )
    return Explanation(
        "bool", (operand(t),), _("{tensor} has {count} elements: should all of them be true, or any?").format(tensor=name_or_phrase(t), count=t.value.numel()),
        fits(call, candidates), _("between tensors, use & and | instead of `and` and `or`") if joins and not between else None,
    )  # fmt: skip


def comparing_function(segment):
    """Return the Python function that compares elements of its argument, such as `max`; None if there is none."""
    tree = parse_expression(segment)
    is_called = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and len(tree.args) == 1
    return tree.func.id if is_called and tree.func.id in ("sorted", "max", "min") else None


def elementwise(segment):
    """Rewrite `a and b`, `a or b`, `not a`, `a < b < c` for tensors; None for other code."""
    tree = parse_expression(segment)
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return "~" + bracket(tree.operand)
    if isinstance(tree, ast.Compare) and len(tree.ops) > 1:
        return " & ".join(map(bracket, links_of(tree)))
    if not isinstance(tree, ast.BoolOp):
        return None
    return (" & " if isinstance(tree.op, ast.And) else " | ").join(bracket(each) for each in tree.values)


def find_first_asked(segment):
    """Return the operand of `a and b`, `a or b` or `a < b < c` whose truth value Python takes; "" for other code."""
    tree = parse_expression(segment)
    parts = tree.values if isinstance(tree, ast.BoolOp) else links_of(tree) if isinstance(tree, ast.Compare) else []
    return ast.unparse(parts[0]) if len(parts) == 2 else ""


def links_of(comparison):
    """Return the pairwise comparisons in `a < b < c`."""
    sides = [comparison.left, *comparison.comparators]
    return [
        ast.Compare(left, [op], [right]) for left, op, right in zip(sides[:-1], comparison.ops, sides[1:], strict=True)
    ]


def parse_expression(segment):
    """Parse an expression; None for other code."""
    try:
        return ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def bracket(node):
    """Put an expression in parentheses if an operator beside it needs them."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant) else f"({text})"
