"""Small edits of code that failed, each with a cost and a reason.

They are proposed by the kind of a piece of code (a class, a method, a tuple, a tensor, a number), never by the error
message.
"""

import ast
import types
from collections.abc import Callable
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device as Device
from tensh.engine.dtypes.dtype import dtype as Dtype
from tensh.explain.search.other_values import changes_of_value, describe_uncallable, tensors_of_arguments
from tensh.explain.source.pieces import piece
from tensh.explain.trials.attempts import UNKNOWN, try_value
from tensh.explain.trials.fixes import append_to_expression, describe_shape
from tensh.explain.trials.parsing import canonical, parse_statement
from tensh.explain.trials.shadow import BUILTINS
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

FUNCTIONS = {
    "mm": "matmul",
    "bmm": "matmul",
    "dot": "matmul",
    "mv": "matmul",
    "view": "reshape",
    "stack": "cat",
    "cat": "stack",
    "transpose": "permute",
    "inverse": "pinverse",
    "inv": "pinv",
}
"""Replacements of a function or method."""


JOINING = frozenset("cat concat concatenate stack hstack vstack dstack column_stack".split())
"""Functions that take a list of tensors."""


SEQUENCES = frozenset("pad_sequence pack_sequence".split())
"""Functions that take a list of tensors of several lengths."""


OVER_STEPS = frozenset(
    "RNNBase MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder Transformer _ConvNd".split()
)
"""Layers whose inputs have a dimension of steps or of places beside that of features."""


OF_SIZES = frozenset(
    "zeros ones empty rand randn view reshape expand repeat tile permute new_zeros new_ones new_empty".split()
)
"""Functions that take any number of sizes."""


OVER_CLASSES = frozenset("cross_entropy nll_loss CrossEntropyLoss NLLLoss".split())
"""Losses whose scores have a dimension of classes."""


WITHOUT_DERIVATIVE = frozenset("argmax argmin long int round sign".split())
"""Methods whose results have no gradient."""


DTYPES = frozenset(
    """
        float16 float32 float64 bfloat16 float double half uint8 int8 int16 int32 int64 short int long bool complex64
        complex128
    """.split()
)
"""Names of dtypes, which NumPy users write in quotes."""


SETTINGS = {Dtype: "dtype", Device: "device"}
"""Types of settings, and their keywords."""


class Edit(NamedTuple):
    """A replacement of a piece of code: its span (start, end), the new text, its cost, and why it may be meant.

    ``shows`` returns the part of the new value that completes the reason.
    """

    span: tuple[int, int]
    text: str
    cost: int
    reason: str
    shows: Callable | None = None


def edits(segment, shadow):
    """Yield all edits of the pieces of some code."""
    node = parse_statement(segment)
    top = node.value if isinstance(node, ast.Expr) else node
    if isinstance(top, ast.Call) and isinstance(top.func, ast.Name) and top.func.id in {*BUILTINS} - {"range"}:
        return
    offset = len(segment) - len(segment.lstrip())
    parents = {inner: outer for outer in ast.walk(top) for inner in ast.iter_child_nodes(outer)}
    for depth, each in pieces(top):
        text, (start, end) = piece(segment.lstrip(), each, before="")
        span = start + offset, end + offset
        is_indexed = isinstance(parents.get(each), ast.Subscript) and each is parents[each].value
        is_whole = is_list_of(each, parents.get(each))
        is_size = not isinstance(parents.get(each), ast.BinOp)  # what is added to a tuple is no size
        is_step = feeds_steps(each, parents, shadow) or is_scores(each, parents.get(each), shadow)
        for new, cost, *reason in changes(each, text, each is top or is_indexed, shadow):
            if (
                is_whole
                and new == f"{text}[0]"
                or is_step
                and ".flatten(" in new
                or not is_size
                and new == f"({text},)"
            ):
                continue
            yield Edit(span, bracket(new, segment, span), 10 * cost + depth, *reason)


def is_list_of(node, call):
    """Return True for the first argument of a function that takes a list of tensors: one of them cannot be meant."""
    if not isinstance(call, ast.Call) or node not in call.args[:1]:
        return False
    return ast.unparse(call.func).rpartition(".")[2] in SEQUENCES and isinstance(node, ast.Name)


def feeds_steps(node, parents, shadow):
    """Return True if a layer over steps or places uses an expression, whose dimensions flattening would mix up."""
    while (node := parents.get(node)) is not None:
        layer = try_value(node.func, shadow, UNKNOWN) if isinstance(node, ast.Call) else None
        if is_module(layer) and any(each.__name__ in OVER_STEPS for each in type(layer).__mro__):
            return True
    return False


def is_scores(node, call, shadow):
    """Return True for the scores of a loss over classes: flattened, they have other classes."""
    if not isinstance(call, ast.Call) or node not in call.args[:1]:
        return False
    name = ast.unparse(call.func).rpartition(".")[2]
    return name in OVER_CLASSES or type(try_value(call.func, shadow, UNKNOWN)).__name__ in OVER_CLASSES


def bracket(new, segment, span):
    """Put replacement code in parentheses if operators around the span would bind differently."""
    whole = [f"{segment[: span[0]]}{text}{segment[span[1] :]}" for text in (new, f"({new})")]
    return new if is_same(*whole) else f"({new})"


def is_same(one, other):
    """Return True if two pieces of code have one syntax tree."""
    if canonical(one) == canonical(other):
        return True
    try:
        return ast.dump(ast.parse(one.strip())) == ast.dump(ast.parse(other.strip()))  # statements
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def edits_of_python(segment, shadow):
    """Return the edits where no value is a tensor, without those that make tensors of numbers and lists."""
    return (edit for edit in edits(segment, shadow) if not edit.text.startswith("torch.tensor("))


def pieces(top):
    """Yield (depth, expression) for each piece that may be replaced, outer ones first."""
    waiting = [(0, top)]
    for depth, node in waiting:
        yield depth, node
        waiting += [(depth + 1, inner) for inner in children(node)]


def children(node):
    """Yield the direct subexpressions of an expression."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.keyword):
            inner = inner.value
        if isinstance(inner, ast.expr):
            yield inner


def changes(node, text, is_whole, shadow):
    """Yield (new text, cost, reason) for the replacements of an expression."""
    if isinstance(node, ast.Call):
        yield from swap_tensor_and_stack(node, shadow)
        yield from other_functions(node, text, shadow)
        yield from other_calls(node, text, shadow)
        yield from other_dims(node, text, shadow)
        yield from other_arguments(node, shadow)
        yield from tensors_of_arguments(node, [try_value(each, shadow, UNKNOWN) for each in node.args])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield (
            f"{ast.unparse(node.left)} // {ast.unparse(node.right)}",
            1,
            _("{text} is not a whole number").format(text=text),
        )
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1:
        yield from index_of_part(node, shadow)
        fewer = ast.unparse(ast.Tuple(node.slice.elts[:-1])).strip("()").rstrip(",")
        yield (
            f"{ast.unparse(node.value)}[{fewer}]",
            2,
            _("each index removes a dimension from {text}").format(text=text),
        )
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from read_text_argument(node.value)
    if isinstance(node, ast.GeneratorExp):
        yield f"([{text[1:-1]}])", 1, _("a generator is not a list of tensors")
    value = try_value(node, shadow, UNKNOWN)
    if value is not UNKNOWN and not is_whole:
        yield from changes_of_value(value, text)


def index_of_part(node, shadow):
    """Propose `out[0][:, -1]` for `out[:, -1]` of a recurrent layer's result, a tensor and its last state."""
    owner, text = try_value(node.value, shadow, UNKNOWN), ast.unparse(node.value)
    if type(owner) in (tuple, list) and owner and isinstance(owner[0], Tensor):
        shapes = ", ".join(describe_shape(each) for each in owner)
        reason = _("{text} is a {kind}: {shapes}").format(text=text, kind=type(owner).__name__, shapes=shapes)
        yield f"{append_to_expression(text, '[0]')}[{ast.unparse(node.slice).strip('()')}]", 1, reason


def read_text_argument(text):
    """Propose the dtype for its name in quotes."""
    if text in DTYPES:
        yield f"torch.{text}", 1, _('"{text}" is a string; expected the dtype of that name').format(text=text)


def other_functions(node, text, shadow):
    """Propose similar functions, and the call without a last step that has no derivative."""
    match node:
        case ast.Call(func=ast.Attribute(attr="t", value=owner), args=[]):
            yield append_to_expression(ast.unparse(owner), ".mT"), 1, _("t() transposes matrices, not batches of them")
        case ast.Call(func=ast.Attribute(attr=step, value=owner), keywords=[]) if (
            step in WITHOUT_DERIVATIVE
            and isinstance(try_value(owner, shadow, UNKNOWN), Tensor)
            and try_value(node, shadow, UNKNOWN) is not UNKNOWN  # the step itself works
        ):
            yield (
                ast.unparse(owner),
                0,
                _("{step} has no derivative: use the values themselves").format(step=step),
            )
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    if name in FUNCTIONS:
        end = piece(text, node.func, before="")[1][1]
        yield (
            text[: end - len(name)] + FUNCTIONS[name] + text[end:],
            2,
            _("transpose swaps two dimensions; permute takes all of them in their new order")
            if name == "transpose"
            else _("a singular matrix has no inverse: pinv computes the closest substitute")
            if name in ("inv", "inverse") and is_square(node, shadow)
            else _("{name} does not accept these shapes").format(name=name),
        )


def is_square(call, shadow):
    """Return True if what a function or a method is called of has as many rows as columns."""
    values = [try_value(each, shadow, UNKNOWN) for each in (*call.args, call.func.value)]
    t = next((each for each in values if isinstance(each, Tensor)), None)
    return t is not None and t.dim() > 1 and t.shape[-1] == t.shape[-2]


def swap_tensor_and_stack(node, shadow):
    """Propose `torch.stack` for `torch.tensor` of a list of tensors, and vice versa for lists of numbers."""
    function = ast.unparse(node.func)
    if function not in ("torch.tensor", "torch.stack", "torch.cat") or not node.args:
        return
    values, given = try_value(node.args[0], shadow, UNKNOWN), ast.unparse(node.args[0])
    if type(values) not in (list, tuple) or not values:
        return
    if function == "torch.tensor" and all(isinstance(each, Tensor) for each in values):
        yield (
            f"torch.stack({given})",
            -1,
            _("{given} is a list of tensors, which stack combines").format(given=given),
        )
    elif function != "torch.tensor" and all(type(each) in (int, float) for each in values):
        yield f"torch.tensor({given})", -1, _("{given} is a list of numbers, not of tensors").format(given=given)
    elif function != "torch.tensor" and all(type(each) is list for each in values):
        yield (
            f"torch.tensor({given})",
            -1,
            _("{given} is a list of lists of numbers, not of tensors").format(given=given),
        )


def other_dims(node, text, shadow):
    """Propose the call with another dimension, or with the last one if none is given."""
    given = dim_in(node, shadow)
    count = ndim_of(node, shadow)
    if given is not None and isinstance(dim := try_value(given, shadow, UNKNOWN), int):
        span = piece(text, given, before="")[1]
        rule = (
            _("dim {dim} does not fit these sizes")
            if -count <= dim < count
            else _("there is no {last}")
        )  # fmt: skip
        last = count - 1 if count and dim >= 0 else -1
        for other in (last, *range(count - 1)):
            if other % max(count, 1) != dim % max(count, 1) or not -count <= dim < count:
                yield f"{text[: span[0]]}{other}{text[span[1] :]}", 1, rule.format(dim=dim, last=f"dim={dim}")
    if given is None and isinstance(node.func, ast.Attribute) and node.func.attr == "squeeze":
        if not node.args and not node.keywords:
            rule = _("squeeze() removes every dimension of size 1, that of a batch, too")
            yield ast.unparse(node.func.value), 1, rule
    elif given is None:
        comma = ", " if node.args or node.keywords else ""
        yield f"{text[:-1]}{comma}dim=-1)", 2, _("a dimension is required")


def dim_in(call, shadow):
    """Return the dimension argument of a call, by keyword or position; None if there is none."""
    for each in call.keywords:
        if each.arg in ("dim", "axis"):
            return each.value
    code = getattr(try_value(call.func, shadow, UNKNOWN), "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    is_method = isinstance(try_value(call.func, shadow, UNKNOWN), types.MethodType)
    place = names.index("dim") - is_method if "dim" in names else len(call.args)
    return call.args[place] if place < len(call.args) else None


def ndim_of(node, shadow):
    """Return the number of dimensions of the first tensor of a call, or of the method's owner; 0 if unknown."""
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    for each in (*node.args, *owner):
        value = try_value(each, shadow, UNKNOWN)
        value = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(value, Tensor):
            return value.dim()
    return 0


def other_arguments(node, shadow):
    """Propose the call with its tensors in a list, or with the first two exchanged."""
    function, given = ast.unparse(node.func), [*map(ast.unparse, node.args)]
    named = [f"{each.arg}={ast.unparse(each.value)}" for each in node.keywords if each.arg]
    values = [try_value(each, shadow, UNKNOWN) for each in node.args]
    count = next((n for n, each in enumerate(values) if not isinstance(each, Tensor)), len(values))
    if count > 1 and function.rpartition(".")[2] in JOINING:
        listed = [f"[{', '.join(given[:count])}]", *given[count:], *named]
        yield (
            f"{function}({', '.join(listed)})",
            0,
            _("{function} expects the tensors in a list").format(function=function),
        )
    elif (
        count > 1
        or (count == 1 and len(values) > 1 and type(values[1]) is int)
        or (count == 0 and len(values) == 2 and isinstance(values[1], Tensor))
    ):
        others = [given[1], given[0], *given[2:], *named]
        yield f"{function}({', '.join(others)})", 1, _("the two arguments are swapped")


def sizes_in_one(node, shadow):
    """Propose `torch.randn(2, 3, 4)` for `torch.randn((2, 3), 4)`."""
    if ast.unparse(node.func).rpartition(".")[2] not in OF_SIZES:
        return
    sizes = [try_value(each, shadow, UNKNOWN) for each in node.args]
    if len(sizes) < 2 or any(type(each) not in (int, tuple, list) for each in sizes):
        return
    inner = [each.elts if isinstance(each, ast.Tuple | ast.List) else [each] for each in node.args]
    if all(len(elements) == 1 and elements[0] is each for elements, each in zip(inner, node.args, strict=True)):
        return
    given = [ast.unparse(each) for elements in inner for each in elements] + [*map(ast.unparse, node.keywords)]
    yield f"{ast.unparse(node.func)}({', '.join(given)})", 1, _("all sizes stand in one tuple, or without any")


def other_calls(node, text, shadow):
    """Propose to index values that are not callable, to name settings, and to drop methods that Python numbers lack."""
    function = try_value(node.func, shadow, UNKNOWN)
    if function is not UNKNOWN and function is not None and not callable(function):
        called, given = ast.unparse(node.func), ", ".join(map(ast.unparse, node.args))
        if called.endswith(".requires_grad"):
            reason = _("{called} tells whether gradients are recorded; requires_grad_() turns that on").format(
                called=called
            )
            yield f"{called}_({given})", -1, reason
        yield f"{called}[{given}]" if given else called, 0, describe_uncallable(called, type(function).__name__)
    yield from sizes_in_one(node, shadow)
    for each in node.args:
        kind = SETTINGS.get(type(try_value(each, shadow, UNKNOWN)))
        if kind:
            others = [ast.unparse(other) for other in node.args if other is not each]
            named = [ast.unparse(other) for other in node.keywords]
            given = ast.unparse(each)
            yield (
                f"{ast.unparse(node.func)}({', '.join([*others, *named, f'{kind}={given}'])})",
                0,
                _("pass {given} by name, as {kind}").format(given=given, kind=kind),
            )
    if isinstance(node.func, ast.Attribute) and not node.args:
        owner = try_value(node.func.value, shadow, UNKNOWN)
        if type(owner) in (int, float):
            owned = ast.unparse(node.func.value)
            yield owned, 1, _("{owned} is already a Python number").format(owned=owned)
