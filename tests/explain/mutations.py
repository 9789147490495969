"""Known mistakes, made by edits of a program's tree: each yields the program with one mistake.

The text of the program is kept but for the piece that is edited, so lines and columns are those that somebody wrote.
"""

import ast
import keyword
import re

RESHAPING = frozenset(
    "t flatten view reshape squeeze unsqueeze transpose permute float long double bool detach sum mean item".split()
)
SIZED = frozenset(
    "Linear Conv2d ConvTranspose2d LSTM GRU RNN BatchNorm2d LayerNorm Embedding TransformerEncoderLayer".split()
)
JOINING = frozenset("cat stack".split())
WIDE = {"(": "（", ")": "）", ",": "，", ":": "：", '"': "“"}
LITERALS = {"True": "true", "False": "false", "None": "null"}


class Text:
    """A program as text and tree, and the spans of its nodes."""

    def __init__(self, code):
        self.code, self.tree = code, ast.parse(code)
        self.starts = [0]
        for line in code.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.nodes = [node for node in ast.walk(self.tree) if hasattr(node, "lineno")]

    def start(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node):
        return self.code[self.start(node) : self.end(node)]

    def put(self, start, end, new):
        """The program with other code in place of a piece."""
        return self.code[:start] + new + self.code[end:]

    def replace(self, node, new):
        return self.put(self.start(node), self.end(node), new)

    def calls(self):
        return (node for node in self.nodes if isinstance(node, ast.Call))


def last(function):
    """The last word of a function: `mean` of `x.mean`."""
    return ast.unparse(function).rpartition(".")[2]


def misspelt(word):
    """A word with two letters exchanged, and one without a letter, where that makes another word."""
    middle = len(word) // 2
    swapped = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    return [each for each in (swapped, word[:middle] + word[middle + 1 :]) if each != word and len(word) > 3]


# ── calls ────────────────────────────────────────────────────────────────────
def uncalled(text):
    """A method or a class without its parentheses."""
    for node in text.calls():
        if not node.args and not node.keywords and not ast.unparse(node.func).startswith("super"):
            yield text.replace(node, text.of(node.func))


def unstepped(text):
    """A value without the last of its steps: `x.view(2, 3)` as `x`."""
    for node in text.calls():
        match node.func:
            case ast.Attribute(attr=word, value=owner) if word in RESHAPING and not is_namespace(owner):
                yield text.replace(node, text.of(owner))


def is_namespace(node):
    return isinstance(node, ast.Name) and node.id in ("torch", "nn", "F", "np", "math")


def exchanged(text):
    """The first two arguments, or the operands of a product, the other way round."""
    for node in text.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield text.replace(node, f"{text.of(node.right)} @ {text.of(node.left)}")
        elif isinstance(node, ast.Call) and len(node.args) == 2 and not isinstance(node.args[1], ast.Constant):
            first, second = node.args
            if last(node.func)[0].islower() and not any(isinstance(each, ast.Starred) for each in node.args):
                yield text.put(text.start(first), text.end(second), f"{text.of(second)}, {text.of(first)}")


def transposed(text):
    """An operand of a product, transposed."""
    for node in text.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                yield text.replace(side, f"{wrap(text.of(side), side)}.T")


def wrap(code, node):
    return code if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({code})"


def other_dtype(text):
    """An argument of a model or a loss in another dtype."""
    for node in text.calls():
        name = last(node.func)
        if (
            node.args
            and isinstance(node.args[0], ast.Name)
            and (name in ("net", "model", "criterion") or "entropy" in name or "loss" in name)
        ):
            for way in (".double()", ".long()"):
                yield text.replace(node.args[0], text.of(node.args[0]) + way)
            for other in node.args[1:2]:
                if isinstance(other, ast.Name):
                    yield text.replace(other, f"{other.id}.float()")


def other_size(text):
    """A layer for other sizes."""
    for node in text.calls():
        if last(node.func) in SIZED:
            for each in node.args[:2]:
                if isinstance(each, ast.Constant) and type(each.value) is int:
                    yield text.replace(each, str(each.value + 1))


def other_dim(text):
    """A dimension that is not there."""
    for node in text.calls():
        for each in node.keywords:
            if each.arg == "dim" and isinstance(each.value, ast.Constant):
                yield text.replace(each.value, str(each.value.value + 4))


def unlisted(text):
    """Tensors to be joined that are no list."""
    for node in text.calls():
        if last(node.func) in JOINING and node.args and isinstance(node.args[0], ast.List):
            yield text.replace(node.args[0], ", ".join(map(text.of, node.args[0].elts)))


def unrequired(text):
    """A call without an option that makes gradients."""
    for node in text.calls():
        for each in node.keywords:
            if each.arg in ("requires_grad", "create_graph", "retain_graph"):
                start = (
                    text.code.rindex(",", 0, text.start(each))
                    if node.args or len(node.keywords) > 1
                    else text.start(each)
                )
                yield text.put(start, text.end(each.value), "")


# ── names ────────────────────────────────────────────────────────────────────
def misspelt_attributes(text):
    """Attributes, methods and functions of namespaces with a slip of the pen."""
    for node in text.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            for word in misspelt(node.attr):
                yield text.put(text.end(node) - len(node.attr), text.end(node), word)


def other_case(text):
    """`nn.linear`, `torch.Zeros`."""
    for node in text.nodes:
        if isinstance(node, ast.Attribute) and is_namespace(node.value) and not node.attr.isupper():
            word = node.attr.lower() if node.attr[0].isupper() else node.attr.capitalize()
            yield text.put(text.end(node) - len(node.attr), text.end(node), word)


def misspelt_names(text):
    """Names that were never given a value, near to some that were."""
    for node in text.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            for word in misspelt(node.id)[:1]:
                if not keyword.iskeyword(word):
                    yield text.replace(node, word)


def misspelt_keywords(text):
    """Options with a slip of the pen."""
    for node in text.calls():
        for each in node.keywords:
            if each.arg:
                start = text.start(each)
                yield from (text.put(start, start + len(each.arg), word) for word in misspelt(each.arg))


def without_self(text):
    """An attribute of self without `self.`."""
    for node in text.nodes:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self" and isinstance(node.ctx, ast.Load):
            yield text.replace(node, node.attr)


def other_literals(text):
    """`true` and `null`, as other languages write them."""
    for node in text.nodes:
        if isinstance(node, ast.Constant) and repr(node.value) in LITERALS:
            yield text.replace(node, LITERALS[repr(node.value)])


def without_import(text):
    """A module that was never imported."""
    for node in text.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield text.put(text.start(node), text.end(node) + 1, "")


# ── classes ──────────────────────────────────────────────────────────────────
def without_super(text):
    """A module that does not prepare itself."""
    for node in text.nodes:
        if isinstance(node, ast.Expr) and ast.unparse(node) == "super().__init__()":
            yield text.replace(node, "pass")
            yield text.replace(node, "super().__init__")
            yield text.replace(node, "super.__init__()")


def plain_container(text):
    """Layers in a list or a dict of Python's, a parameter that is a tensor."""
    for node in text.calls():
        if last(node.func) in ("ModuleList", "ModuleDict", "Parameter") and node.args:
            yield text.replace(node, text.of(node.args[0]))


def misnamed_methods(text):
    """`forward` and `__init__` with a slip of the pen, and methods without self."""
    for node in text.nodes:
        if isinstance(node, ast.FunctionDef):
            start = text.start(node) + len("def ")
            if node.name in ("forward", "backward", "__len__", "__getitem__"):
                for word in misspelt(node.name.strip("_")):
                    yield text.put(start, start + len(node.name), node.name.replace(node.name.strip("_"), word))
            if node.name == "__init__":
                yield text.put(start, start + len(node.name), "_init_")
            if node.args.args and node.args.args[0].arg == "self":
                first = node.args.args[0]
                end = text.start(node.args.args[1]) if len(node.args.args) > 1 else text.end(first)
                yield text.put(text.start(first), end, "")


# ── statements ───────────────────────────────────────────────────────────────
def without_block(text):
    """Yield the text without `no_grad`, keeping the block under it."""
    for node in text.nodes:
        if isinstance(node, ast.With) and "no_grad" in ast.unparse(node.items[0]):
            yield text.put(text.start(node), text.start(node) + len("with torch.no_grad():"), "if True:")


def rebound(text):
    """`w = w - ...` for `w -= ...`."""
    for node in text.nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub | ast.Add):
            name, sign = text.of(node.target), "-" if isinstance(node.op, ast.Sub) else "+"
            yield text.replace(node, f"{name} = {name} {sign} {text.of(node.value)}")


def left_out(text):
    """A statement of a loop or of a method that is not there."""
    for node in text.nodes:
        if isinstance(node, ast.For | ast.FunctionDef) and len(node.body) > 1:
            for each in node.body:
                if isinstance(each, ast.Expr | ast.Return) and each.lineno == each.end_lineno:
                    yield text.replace(each, "pass")


# ── signs ────────────────────────────────────────────────────────────────────
def wide_signs(text):
    """A sign of another keyboard; one of each kind on a line."""
    for line in range(len(text.starts) - 1):
        code = text.code[text.starts[line] : text.starts[line + 1]]
        for plain, wide in WIDE.items():
            if plain in code:
                start = text.starts[line] + code.index(plain)
                yield text.put(start, start + 1, wide)


def missing_signs(text):
    """A colon, a bracket or a comma that is not there, `=` where values are compared."""
    lines = text.code.split("\n")
    for number, line in enumerate(lines):
        wrong = []
        if line.endswith(":"):
            wrong.append(line[:-1])
        if line.endswith(")") and "(" in line:
            wrong.append(line[:-1])
        if re.match(r"\s*if .*==", line):
            wrong.append(line.replace("==", "="))
        if line.count(", ") == 1:
            wrong.append(line.replace(", ", " "))
        for each in wrong:
            yield "\n".join([*lines[:number], each, *lines[number + 1 :]])


KINDS = (
    uncalled, unstepped, exchanged, transposed, other_dtype, other_size, other_dim, unlisted, unrequired,
    misspelt_attributes, other_case, misspelt_names, misspelt_keywords, without_self, other_literals, without_import,
    without_super, plain_container, misnamed_methods, without_block, rebound, left_out, wide_signs, missing_signs,
)  # fmt: skip


def mutations(code):
    """Yield (kind, program) of every mistake that the edits know."""
    seen = {code}
    for make in KINDS:
        for wrong in make(Text(code)):
            if wrong not in seen:
                seen.add(wrong)
                yield make.__name__, wrong
