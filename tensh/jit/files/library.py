"""The code in a TorchScript file: classes and functions by name, each checked before it first runs.

Python only parses the text. A function with unknown elements is refused as a whole, by name.
"""

import ast
import linecache
from collections import namedtuple

from tensh._aten.overloads import schemas, schemas_for_files
from tensh._aten.packets import all_overloads
from tensh.jit.files.objects import make_enum
from tensh.jit.files.operators import ADAPTED, BUILTINS, PRIM, SCALARS, Unknown


class Class:
    """A class in a file: its methods, the types of members, and the lists that it declares."""

    def __init__(self, tree):
        self.is_module = bool(tree.bases)
        self.methods = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
        self.kinds = {
            each.target.id: ast.unparse(each.annotation)
            for each in tree.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        self.constants = {
            each.target.id: each.value.value
            for each in tree.body
            if isinstance(each, ast.AnnAssign)
            and isinstance(each.target, ast.Name)
            and isinstance(each.value, ast.Constant)
        }
        self.lists = {
            each.targets[0].id: [item.value for item in each.value.elts if isinstance(item, ast.Constant)]
            for each in tree.body
            if isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and isinstance(each.value, ast.List)
        }


class Library:
    """The code of a file: classes and functions by their full names; ``run`` calls a method of an object of the file."""

    def __init__(self, texts, constants, run=None):
        self.texts, self.constants, self.run = texts, constants, run
        self.enums = {}
        self.classes, self.functions, self.checked, self.places, self.tuples = {}, {}, set(), {}, {}
        self.spaces = {}  # syntax tree of a function or method -> the name of its text
        self.lines = {}  # name of a text -> its lines, as linecache has them
        for space, text in texts.items():
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # calls of its classes will report that they are unknown
            self.spaces |= {each: space for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
            for each in tree.body:
                if isinstance(each, ast.ClassDef) and [join_path(base) for base in each.bases] == ["NamedTuple"]:
                    self.add_tuple(f"{space}.{each.name}", each)
                elif isinstance(each, ast.ClassDef) and [join_path(base) for base in each.bases] == ["Enum"]:
                    self.add_enum(f"{space}.{each.name}", each)
                elif isinstance(each, ast.ClassDef):
                    self.classes[f"{space}.{each.name}"] = Class(each)
                    self.places |= {
                        (f"{space}.{each.name}", name): (text, method)
                        for name, method in self.classes[f"{space}.{each.name}"].methods.items()
                    }
                elif isinstance(each, ast.FunctionDef):
                    self.functions[f"{space}.{each.name}"] = each

    def add_tuple(self, path, tree):
        """Add a class of named tuples; one whose fields Python does not take stays unknown."""
        fields = [each.target.id for each in tree.body if isinstance(each, ast.AnnAssign)]
        try:
            self.tuples[path] = namedtuple(tree.name, fields)
        except ValueError:
            return

    def add_enum(self, path, tree):
        """Add a class of enumerated values."""
        values = {
            each.targets[0].id: each.value.value
            for each in tree.body
            if isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and isinstance(each.value, ast.Constant)
        }
        made = make_enum(tree.name, values)
        if made is not None:
            self.enums[path], made.path = made, path

    def method(self, cls, name):
        """Return the syntax tree of a method, or None."""
        found = self.classes.get(cls)
        return found.methods.get(name) if found else None

    def text_of(self, cls, name):
        """Return the text of a method, without the type of its owner."""
        if (cls, name) not in self.places:
            raise AttributeError(f"{cls} has no method {name}")
        text, method = self.places[cls, name]
        lines = ast.get_source_segment(text, method).split("\n")
        if method.args.args and method.args.args[0].annotation is not None:
            own = method.args.args[0]
            lines[0] = lines[0].replace(f"{own.arg}: {ast.unparse(own.annotation)}", own.arg, 1)
        head = method.body[0].lineno - method.lineno if method.body else 1
        return "\n".join([*lines[:head], *(line.removeprefix("  ") for line in lines[head:])]) + "\n"

    def place_of(self, tree, node):
        """Return (file, line, function) of a node in a function, whose line ``linecache`` has from now on."""
        space = self.spaces[tree]
        name = f"code/{space.replace('.', '/')}.py"
        if space not in self.lines:
            self.lines[space] = len(self.texts[space]), None, self.texts[space].splitlines(keepends=True), name
        linecache.cache[name] = self.lines[space]
        return name, node.lineno, tree.name

    def require_known(self, tree):
        """Raise Unknown for a function that uses an unknown kind of node, or calls an unknown operator."""
        if id(tree) in self.checked:
            return
        local = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        for node in ast.walk(tree):
            if type(node) not in NODES:
                raise Unknown(
                    f"tensh does not run {type(node).__name__} in TorchScript code (line {getattr(node, 'lineno', '?')})"
                )
            if isinstance(node, ast.Call) and join_path(node.func) not in local:
                self.require_call(node)
        self.checked.add(id(tree))

    def require_call(self, node):
        name = join_path(node.func)
        if (
            name is None
            or name.startswith("self.")
            or name in BUILTINS
            or name in self.functions
            or name in self.classes
            or name.rpartition(".")[0] in self.classes
        ):
            return
        space, _, last = name.rpartition(".")
        if space == "torch" and (last in schemas_for_files() or last in SCALARS or last in ADAPTED):
            return
        if space == "ops.prim" and last in PRIM:
            return
        if space == "torch" and last[0] == "_" and last not in schemas() and f"aten::{last}" in all_overloads():
            return  # an inner operator that tensh lacks, which raises if it is reached: PyTorch's layers name some in rare branches
        if space.startswith("__torch__") or name == "torch.device":
            return  # looked up in the call
        if space == "" or space in ("torch", "ops.prim") or space.startswith("ops."):
            raise Unknown(f"tensh does not run {name} of TorchScript (line {node.lineno})")


def join_path(node):
    """Return ``a.b.c`` as text; None for other expressions."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


NODES = {
    getattr(ast, name)
    for name in """FunctionDef arguments arg Return Assign AnnAssign Expr If For While With withitem Pass Break Continue Call Attribute Name Load Store Constant List
    Tuple Dict Subscript Slice BinOp UnaryOp Compare BoolOp IfExp keyword Add Sub Mult Div FloorDiv Mod USub UAdd Not And Or Eq NotEq Lt LtE Gt GtE Is IsNot
    In NotIn Starred Raise Assert Index""".split()
    if hasattr(ast, name)
}
