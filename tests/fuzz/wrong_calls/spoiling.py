"""Valid calls, spoiled: wrong types, dtypes, shapes, sizes and names of arguments, too few and too many of them.

The valid calls are in tests/recorded/wrong_calls/valid.txt, one line of Python each, and are spoiled as text, so that
both libraries can evaluate them.
"""

import ast
import random
import re
from collections import defaultdict

from tests.support.project import RECORDED

VALID = RECORDED / "wrong_calls" / "valid.txt"

# ── what takes the place of an argument ──────────────────────────────────────
OTHER = (
    """
None|"abc"|b"x"|[]|()|{}|{1}|object()|int|torch.Tensor|torch|lambda *given: 1|...|slice(None)|range(3)|iter([1])
True|1.5|-1.5|1j|float("nan")|float("inf")|"mean"|"sum"|"cuda"|torch.float32|torch.device("cpu")|torch.strided
[1, 2]|(1, 2)|[[1], [2, 3]]|[1.5]|(True, 2)|["a"]|[None]|[t((2,)), t((3,))]|(t((2, 3)), t((2, 3)))|torch.Size([2, 3])
np.float32(1.5)|np.int64(2)|np.bool_(True)|np.ones((2, 3), "float32")|np.array(["a"])|np.array(2)|np.zeros(0)
{"a": 1}|(None, None)|[1, "a"]|[t((2,)), 1]|torch.Generator()|torch.nn.Linear(3, 2)|NotImplemented|type|bytearray(3)
""".strip()
    .replace("\n", "|")
    .split("|")
)
NUMBERS = (
    """
-1|0|1|2|3|7|100|-2|-5|-100|2**31|-2**31|2**31 - 1|2**40|-2**40|2**62|-2**62|2**63 - 1|-2**63|2**63|2**64|-2**63 - 1|10**30
10**9|0.0|1e300|-1e300|1e-300|float("inf")|float("-inf")|float("nan")|True|False|1e18|2.5
""".strip()
    .replace("\n", "|")
    .split("|")
)
SIZES = (
    """
(2**62, 2)|[2**31, 2**31, 2]|[2**40]|(-1, -1)|(0, 0)|(-5,)|[2**63]|(2**63 - 1,)|(1,) * 70|(2, 0)|[-2**63]|(0, 2**62)
(1, 2, 3, 4, 5, 6)|[2**62, 2**62, 0]|(2.0, 3.0)|(2**31,)|[1]|[0]|(0,)|[-1]|[5]|(3, 3, 3)|[-3, 2]|(t(()), 1)
""".strip()
    .replace("\n", "|")
    .split("|")
)
TENSORS = (
    """
t(())|t((0,))|t((0, 3))|t((1,))|t((5,))|t((2, 3))|t((7, 7))|t((2, 3, 4))|t((1, 1, 1, 1, 1, 1))|t((2, 0, 3))|t((), "int64")
t((2,), "int64")|t((2, 3), "int64")|t((2, 3), "bool")|t((2, 3), "complex64")|t((2, 3), "bfloat16")|t((2, 3), "uint8")
t((2, 3), "float16")|t((2, 3), "float64")|t((2, 3)).requires_grad_()|t((2, 3)).T|t((1, 3)).expand(2, 3)|t((3,), "int32")
torch.tensor([float("nan"), 1.0])|torch.tensor([2**62, -2**63])|torch.tensor([-1, 100])|torch.tensor(2**40)|-t((2, 3))
""".strip()
    .replace("\n", "|")
    .split("|")
)
ENDLESS = (
    """
torch.empty(1).expand(2**40)|torch.empty(1).expand(2**31, 2**31)|torch.zeros((), dtype=torch.int64).expand(2**40)
torch.zeros(1, 1).expand(2**33, 1)|torch.zeros(()).expand(2**62)
""".strip()
    .replace("\n", "|")
    .split("|")
)
KEYWORDS = {
    "out": [*TENSORS, *OTHER, "(t((2,)), t((2,), 'int64'))"],
    "dtype": ['"float"', "float", "int", "np.float32", "torch.float64", "torch.int8", "torch.bool", "torch.complex64", "None", "1"],
    "device": ['"cuda"', '"xyz"', '"meta"', '"cpu:1"', "1", "0", "-1", "None", "torch.float32", "1.5", '""', '"cpu"'],
    "layout": ["torch.sparse_coo", '"strided"', "None", "torch.strided", "1"],
    "memory_format": ["torch.channels_last", "torch.channels_last_3d", '"contiguous"', "None", "torch.preserve_format", "2"],
    "generator": ["1", '"abc"', "None", "torch.Generator", "t((2,))"],
    "requires_grad": ["1", '"abc"', "True", "None", "t((2,))"],
    "pin_memory": ["True", "1", '"abc"'], "keepdim": ["1", "None", '"abc"', "True", "t((2,))"],
    "dim": [*NUMBERS, *SIZES, "None", '"abc"', "1.5"], "axis": [*NUMBERS, "None", '"a"'], "input": [*TENSORS, *OTHER],
    "self": TENSORS, "other": [*TENSORS, *OTHER], "size": SIZES, "weight": [*TENSORS, *OTHER], "reduction": ['"abc"', "1", "None"],
    "inplace": ["True", "None", '"abc"'], "nobody": ["1"], "reduce": ['"abc"', "1"], "names": ['["a"]', "None"], "n": NUMBERS,
    "alpha": [*NUMBERS, *OTHER], "p": NUMBERS, "lr": [*NUMBERS, *OTHER],
}  # fmt: skip
DTYPES = "float32 float64 int64 bool complex64 bfloat16 float16 uint8 int32 complex128 int8".split()


def spoil(line, draw):
    """The call with one or two arguments spoiled, as text."""
    tree = ast.parse(line, mode="eval")
    for _ in range(1 if draw.random() < 0.7 else 2):
        draw.choices(*zip(*WAYS, strict=True))[0](tree, draw)
    try:
        return ast.unparse(tree)
    except RecursionError:
        return line


def calls_in(tree):
    """The calls of the library's functions, without those that only make an argument."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and not is_tensor(node)]
    outer = [node for node in found if node is tree.body or node is getattr(tree.body, "func", None)]
    return outer * 3 + found if outer else found


def is_tensor(node):
    path = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return path in ("t", "torch.tensor", "complex", "float", "object")


def parsed(text):
    return ast.parse(text, mode="eval").body


def places(tree):
    """Return (container, key) of every argument of the calls, and of both sides of operators."""
    found = []
    for call in calls_in(tree):
        found += [(call.args, number) for number in range(len(call.args))]
        found += [(keyword.__dict__, "value") for keyword in call.keywords]
        if isinstance(call.func, ast.Attribute) and is_tensor(call.func.value):
            found.append((call.func.__dict__, "value"))
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and (is_tensor(node.left) or is_tensor(node.right)):
            found += [(node.__dict__, "left"), (node.__dict__, "right")]
        elif isinstance(node, ast.Compare):
            found += [(node.__dict__, "left"), (node.comparators, 0)]
    return found


def replace(tree, draw):
    """Replace an argument."""
    chosen = places(tree)
    if not chosen:
        return
    container, key = draw.choice(chosen)
    container[key] = parsed(instead(container[key], draw))


def instead(node, draw):
    """Return a wrong replacement for an argument, in most cases of the same kind."""
    if draw.random() < 0.4:
        return draw.choice(draw.choice([OTHER, OTHER, OTHER, NUMBERS, SIZES, TENSORS]))
    if is_tensor(node):
        if draw.random() < 0.002:
            return draw.choice(ENDLESS)
        return like(node, draw) if draw.random() < 0.7 else draw.choice(TENSORS)
    if isinstance(node, (ast.Tuple, ast.List)):
        return draw.choice(SIZES) if draw.random() < 0.5 or not node.elts else element(node, draw)
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        value = getattr(node, "value", 1)
        if isinstance(value, str):
            return draw.choice(['"abc"', '""', '"mean"', '"max"', repr(value.upper()), repr(value * 2), "1", "None"])
        return draw.choice(NUMBERS)
    return draw.choice(OTHER)


def like(node, draw):
    """A tensor of another dtype, or with another size, or a different number of dimensions."""
    own = ast.unparse(node)
    way = draw.randrange(5)
    if way == 0 or node.func.__class__ is ast.Attribute or not node.args:
        return f"{own}.to(torch.{draw.choice(DTYPES)})"
    try:
        shape = list(ast.literal_eval(node.args[0]))
    except (ValueError, TypeError):
        return f"{own}.to(torch.{draw.choice(DTYPES)})"
    if way == 1 and shape:
        shape[draw.randrange(len(shape))] = draw.choice([0, 1, 2, 5])
    elif way == 2 and shape:
        del shape[draw.randrange(len(shape))]
    elif way == 3:
        shape.insert(draw.randrange(len(shape) + 1), draw.choice([0, 1, 2]))
    else:
        return own + draw.choice(
            [".requires_grad_()", "[None]", "[..., :1]", "[:0]", ".flatten()", ".sum()", ".long()", ".bool()"]
        )
    rest = "".join(f", {ast.unparse(each)}" for each in node.args[1:])
    return f"t({tuple(shape)}{rest})"


def element(node, draw):
    """The sequence with one element spoiled."""
    parts = [ast.unparse(each) for each in node.elts]
    parts[draw.randrange(len(parts))] = draw.choice(draw.choice([NUMBERS, OTHER, TENSORS]))
    inside = ", ".join(parts)
    return f"[{inside}]" if isinstance(node, ast.List) else f"({inside},)"


def leave_out(tree, draw):
    """Remove an argument."""
    chosen = [call for call in calls_in(tree) if call.args or call.keywords]
    if chosen:
        call = draw.choice(chosen)
        given = draw.choice([call.args, call.keywords])
        given = given or call.args or call.keywords
        del given[draw.randrange(len(given))]


def add(tree, draw):
    """Add one argument too many."""
    if chosen := calls_in(tree):
        call = draw.choice(chosen)
        if draw.random() < 0.4:
            call.args.append(parsed(draw.choice(draw.choice([OTHER, NUMBERS, TENSORS]))))
            return
        name = draw.choice(list(KEYWORDS))
        if name not in [keyword.arg for keyword in call.keywords]:
            call.keywords.append(ast.keyword(name, parsed(draw.choice(KEYWORDS[name]))))


WAYS = [(replace, 8), (leave_out, 1), (add, 2)]


def spoiled_calls(count, seed):
    """Return distinct wrong calls: text -> name of the function."""
    draw = random.Random(seed)
    groups = defaultdict(list)
    for line in VALID.read_text(encoding="utf-8").splitlines():
        groups[name_of(line)].append(line)
    names, made = sorted(groups), {}
    draw.shuffle(names)  # a few calls use some functions, many use all
    while len(made) < count:
        for name in names:
            made[spoil(draw.choice(groups[name]), draw)] = name
    return dict(list(made.items())[:count])


# ── absurd sizes ─────────────────────────────────────────────────────────────
ABSURD = "-1 -2 -100 10**9 -10**9 2**31 2**40 -2**40 2**62 2**63-1 -2**63 2**63 10**30".split()
"""Sizes, counts, steps and places that no array has."""


def sized_calls():
    """Return valid calls with one integer, or a whole sequence, made absurd: text -> name of the function."""
    made, seen = {}, set()
    for line in VALID.read_text(encoding="utf-8").splitlines():
        name = name_of(line)
        for mark, wide in integers_of(line):
            if (name, mark) in seen:
                continue
            seen.add((name, mark))
            for value in ABSURD:
                made.setdefault(wide(value), name)
    return made


def integers_of(line):
    """Yield (position, a function that writes the line with another one) of each integer among the arguments.

    Sequences of integers count as a whole, too.
    """
    tree = ast.parse(line, mode="eval")
    for container, key in places(tree):
        slot = container[key]
        if isinstance(slot, (ast.Tuple, ast.List)) and slot.elts:
            inside = [(slot.elts, number, number) for number, each in enumerate(slot.elts) if is_integer(each)]
            if len(inside) == len(slot.elts) > 1:
                inside.append((container, key, "all"))
        else:
            inside = [(container, key, "")] if is_integer(slot) else []
        for where, what, part in inside:

            def wide(value, where=where, what=what, part=part, slot=slot):
                whole = f"[{', '.join([value] * len(slot.elts))}]" if part == "all" else value
                kept, where[what] = where[what], parsed(whole)
                try:
                    return ast.unparse(tree)
                finally:
                    where[what] = kept

            yield (place_of(tree, container, key), part), wide


def place_of(tree, container, key):
    """The position or the name of an argument."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.__dict__ is container:
            return node.arg
    return key


def is_integer(node):
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and type(node.value) is int


def name_of(line):
    """The name of the function that a line calls."""
    node = ast.parse(line, mode="eval").body
    if isinstance(node, ast.Call):
        func = node.func
        if isinstance(func, ast.Attribute) and is_tensor(func.value):
            return f"Tensor.{func.attr}"
        return re.sub(
            r"\(.*?\)(?=\.|$)", "", ast.unparse(func.func if isinstance(func, ast.Call) else func), flags=re.DOTALL
        )
    return f"operator {type(getattr(node, 'op', node)).__name__}"
