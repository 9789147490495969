"""The Python code of a graph: one line for each node, values deleted after their last use."""

import enum
import inspect
import keyword
import os
import re
import types
import typing
from dataclasses import dataclass
from typing import Any

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.fx.names import is_from_torch, list_customs, qualified_name, type_name
from tensh.fx.node import Node
from tensh.fx.wrapping import wrap

REFLECTABLE = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}", "div": "{} / {}",
    "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}",
    "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}  # fmt: skip
"""Operators that Python may also dispatch to the right operand."""
MAGIC = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}",
    "pos": "+{}", "neg": "-{}", "invert": "~{}", **REFLECTABLE,
}  # fmt: skip
INPLACE = {
    "iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}", "imod": "{} %= {}",
    "imul": "{} *= {}", "imatmul": "{} @= {}", "ior": "{} |= {}", "ipow": "{} **= {}", "irshift": "{} >>= {}",
    "isub": "{} -= {}", "itruediv": "{} /= {}", "ixor": "{} ^= {}", "setitem": "{}[{}] = {}",
}  # fmt: skip
GENERIC = {list: typing.List, dict: typing.Dict, set: typing.Set, frozenset: typing.FrozenSet, tuple: typing.Tuple}  # noqa: UP006
"""Built-in class -> its generic name in ``typing``."""
SHORT = {
    "bfloat16": "bf16", "float64": "f64", "float32": "f32", "float16": "f16", "complex32": "c32", "complex64": "c64",
    "complex128": "c128", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "bool": "b8", "uint8": "u8",
    "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip
"""Names of dtypes in annotated code."""
FRAME = re.compile(r'^File "(.+)", line (\d+), in (.+)$')
NAMED = 200  # number of arguments in a call, because Python's compiler compares each name with all others
PLAIN = dict.fromkeys(("dtype", "shape", "dim", "stride", "device"), "{}")
COLOURS = {name: f"\x1b[{code}m{{}}\x1b[0m" for name, code in {"dtype": 31, "shape": 34, "dim": 2}.items()} | {
    "stride": "\x1b[2m\x1b[34m{}\x1b[0m",
    "device": "\x1b[2m\x1b[32m{}\x1b[0m",
}


@dataclass
class PythonCode:
    """The source of a graph's function, and the values of its global names."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None
    _prologue_start: int = 0


class CodeGen:
    """Generates the function around the lines of nodes; subclasses can change it.

    >>> import tensh as torch
    >>> torch.fx.CodeGen().gen_fn_def(["a", "b"], "")
    'def forward(self, a, b):'
    """

    def __init__(self):
        self._body_transformer = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        """Return the ``def`` line for the inputs ``free_vars``, after inserting ``self``."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if expanded_def:
            lines = "".join(format_parameter(each) for each in free_vars)
            return f"def {self._func_name}(\n{lines}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args, *, descs=None, repr_fn=repr):
        """Return the ``return`` line."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args):
        """Return the graph's inputs for the arguments of the generated function."""
        return args

    def process_outputs(self, outputs):
        """Return the result of the generated function for the graph's output."""
        return outputs

    def additional_globals(self):
        """Return pairs (name, value) for additional global names of the code."""
        return []

    def _gen_python_code(self, nodes, root_module, namespace, **options):
        return Writer(self, root_module, namespace, **options).write(nodes)


def format_parameter(text):
    """Format a parameter on a separate line, with its comment after the comma."""
    parameter, mark, comment = text.partition("#")
    return f"    {parameter.rstrip()},{f'  # {comment.lstrip()}' if mark else ''}\n"


def format_target(base, target):
    """Format the attribute ``target`` of ``base``, with ``getattr`` for parts that are not identifiers."""
    for part in target.split("."):
        base = f"{base}.{part}" if is_name(part) else f"getattr({base}, {quote(part)})"
    return base


def is_name(text):
    """Return True if a text is a valid name in code."""
    return text.isidentifier() and not keyword.iskeyword(text)


def quote(text):
    """Quote a text: module names may come from a file, and must not end the string literal."""
    return f'"{text}"' if text.isprintable() and not {*text} & {*'"\\'} else repr(text)


def list_last_uses(nodes):
    """Return a dict from each node to the values that it is the last to use."""
    seen, found = set(), {}
    for user in reversed(nodes):
        for node in user._input_nodes:
            if node not in seen:
                seen.add(node)
                found.setdefault(user, []).append(node)
    return found


class Writer:
    """Writes the code of one graph."""

    def __init__(
        self, codegen, root_module, namespace, *, verbose=False, include_stride=False, include_device=False, colored=False,
        expanded_def=False, record_func=False, additional_meta=None,
    ):  # fmt: skip
        self.codegen, self.root, self.namespace = codegen, root_module, namespace
        self.verbose, self.expanded, self.additional_meta = verbose, expanded_def, additional_meta or ()
        self.stride = include_stride or os.environ.get("FX_GRAPH_SHOW_STRIDE", "0") == "1"
        self.device = include_device or os.environ.get("FX_GRAPH_SHOW_DEVICE", "0") == "1"
        self.colours = COLOURS if colored else PLAIN
        self.parameters, self.lines, self.globals, self.wrapped = [], [], {}, {}
        self.result = ""
        self.place = None

    def write(self, nodes):
        """Return the code of all nodes, as ``PythonCode``."""
        for name, custom in list_customs().items():
            self.add_global(name, custom.value)
        last_uses = list_last_uses(nodes)
        for number, node in enumerate(nodes):
            if self.verbose:
                self.write_place(node)
            self.lines.append(f"# COUNTER: {number}\n")
            self.lines.append(self.write_node(node))
            if node.op != "placeholder":
                self.lines.append(self.write_deletions(node, last_uses.get(node, [])))
        body = self.lines or ["pass\n"]
        wraps = ""
        if self.wrapped:
            wrap_name = self.add_global("wrap", wrap)
            wraps = "\n".join(f'{wrap_name}("{name}")' for name in self.wrapped)
        if self.codegen._body_transformer:
            body = self.codegen._body_transformer(body)
        for name, value in self.codegen.additional_globals():
            self.add_global(name, value)
        options = {"expanded_def": self.expanded}
        accepted = inspect.signature(self.codegen.gen_fn_def).parameters
        options = {name: value for name, value in options.items() if name in accepted}
        prologue = self.codegen.gen_fn_def(self.parameters, self.result, **options)
        text, numbers = number_lines("".join(body), prologue.count("\n") + 1)
        code = "\n".join("    " + line for line in text.lstrip("\n").split("\n"))
        return PythonCode(f"\n{wraps}\n\n{prologue}\n{code}", self.globals, numbers, wraps.count("\n") + 4)

    # ── names ────────────────────────────────────────────────────────────────

    def add_global(self, name_hint, obj):
        """Return the name of a function or type in the code; names outside of torch are added to the code's globals."""
        if is_from_torch(obj) and obj is not device:
            return qualified_name(obj)
        name = self.namespace.create_name(name_hint, obj)
        self.globals.setdefault(name, obj)
        return name

    def write_type(self, kind):
        """Return the code of an annotation."""
        if kind == ():
            return "()"
        if isinstance(kind, types.UnionType) and "|" in type_name(kind):
            return "|".join(self.write_type(each) for each in typing.get_args(kind))
        origin = getattr(kind, "__origin__", None)
        if origin is None:
            return self.add_global(type_name(kind), kind)
        if isinstance(kind, typing._GenericAlias):
            origin = GENERIC.get(origin, origin)
        name = self.add_global(type_name(origin), origin)
        arguments = [self.write_type(each) for each in typing.get_args(kind)]
        return f"{name}[{','.join(arguments)}]" if arguments else name

    # ── arguments ────────────────────────────────────────────────────────────

    def write_value(self, value):
        """Return the code of an argument: the name of a node, the repr of other values."""
        if isinstance(value, Node):
            return repr(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self.add_global(qualified_name(type(value)), type(value))}{tuple(value)!r}"
        if isinstance(value, enum.Enum):
            return f"{self.add_global(type(value).__name__, type(value))}.{value.name}"
        if hasattr(value, "_overloadname"):
            return self.add_global(qualified_name(value), value)
        if isinstance(value, Tensor):
            return f"torch.Tensor(size={list(value.size())}, dtype={str(value.dtype).split('.')[-1]})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.write_value, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.write_value, value))}]"
        if isinstance(value, slice):
            return f"slice({', '.join(map(self.write_value, (value.start, value.stop, value.step)))})"
        return self.colours["shape"].format(repr(value))

    def write_arguments(self, args, kwargs):
        parts = [self.write_value(each) for each in args]
        for name, value in kwargs.items():
            given = self.write_value(value)
            parts.append(f"{name} = {given}" if is_name(name) and len(kwargs) <= NAMED else f"**{{{name!r}: {given}}}")
        return ", ".join(parts)

    # ── nodes ────────────────────────────────────────────────────────────────

    def write_node(self, node):
        """Write the line of a node; an input gets an assignment if its name is taken."""
        kind = self.write_annotation(node)
        head = f"{node!r}{kind} = "
        if node.op == "placeholder":
            default = f" = {self.write_value(node.args[0])}" if node.args else ""
            comment = f"  # {node.meta['desc']}" if self.expanded and node.meta.get("desc") is not None else ""
            self.parameters.append(f"{node.target}{kind}{default}{comment}")
            name = node.target.replace("*", "")
            return f"{node!r} = {name}\n" if name != repr(node) else ""
        if node.op == "output":
            if node.type is not None:
                self.result = f" -> {self.write_type(node.type)}"
            if "repr_fn" in inspect.signature(self.codegen.generate_output).parameters:
                return self.codegen.generate_output(node.args[0], repr_fn=self.write_value)
            return self.codegen.generate_output(node.args[0])
        if node.op == "call_function":
            return self.write_call(node, kind)
        if node.op == "call_method":
            target = format_target(self.write_value(node.args[0]), node.target)
            return f"{head}{target}({self.write_arguments(node.args[1:], node.kwargs)})"
        if node.op == "get_attr":
            return head + format_target(self.root, node.target)
        if node.op == "call_module":
            return f"{head}{format_target(self.root, node.target)}({self.write_arguments(node.args, node.kwargs)})"
        raise NotImplementedError(f"node: {node.op} {node.target}")

    def write_call(self, node, kind):
        """Return the line of a function call; operators are written in Python's notation."""
        target, name = node.target, getattr(node.target, "__name__", "")
        if getattr(target, "__module__", "") == "_operator" and name in MAGIC:
            return f"{node!r}{kind} = {MAGIC[name].format(*map(self.write_value, node.args))}"
        if getattr(target, "__module__", "") == "_operator" and name in INPLACE:
            statement = INPLACE[name].format(*map(self.write_value, node.args))
            return f"{statement};  {node!r}{kind} = {self.write_value(node.args[0])}"
        called = self.add_global(qualified_name(target), target)
        if called == "getattr" and len(node.args) == 2 and isinstance(node.args[1], str) and is_name(node.args[1]):
            return f"{node!r}{kind} = {format_target(self.write_value(node.args[0]), node.args[1])}"
        if node.meta.get("is_wrapped"):
            self.wrapped.setdefault(called)
        return f"{node!r}{kind} = {called}({self.write_arguments(node.args, node.kwargs)})"

    def write_deletions(self, user, names):
        """Return the end of a line: the deletion of values that are no longer needed."""
        if user.op == "output":
            return "\n"
        names = [*names, *([] if user.users else [user])]
        if not names:
            return "\n"
        return f";  {self.colours['dim'].format(' = '.join([*map(repr, names), 'None']))}\n"

    # ── annotations and places ───────────────────────────────────────────────

    def write_annotation(self, node):
        """Return the type annotation of a node's value; in verbose code with its dtype and shape, if known."""
        kind = "" if node.type is None else f" : {self.write_type(node.type)}"
        known = node.meta.get("val", node.meta.get("tensor_meta", node.meta.get("example_value")))
        if self.verbose and getattr(known, "is_symbolic", False):  # the expression of a number
            return f': "Sym({known})"'
        if not self.verbose or not hasattr(known, "dtype") or not hasattr(known, "shape"):
            return kind
        short, shape = SHORT[str(known.dtype).split(".")[-1]], f"[{', '.join(map(str, known.shape))}]"
        if not isinstance(known, Tensor):
            return f': "{short}{shape}"'
        stride = f"[{', '.join(map(str, known.stride()))}]" if self.stride else ""
        where = str(known.device) if self.device else ""
        values = {"dtype": short, "shape": shape, "stride": stride, "device": where}
        return ': "' + "".join(self.colours[name].format(value) for name, value in values.items()) + '"'

    def write_place(self, node):
        """Add a comment with the place in the user's code, unless it repeats the previous one."""
        if node.op in ("placeholder", "output"):
            return
        known = [f"{key}: {node.meta[key]}" for key in self.additional_meta if key in node.meta]
        before = f"# {', '.join(known)} " if known else ""
        text = self.colours["dim"].format(f"{before}# {describe_place(node.stack_trace)}")
        if text != self.place:
            self.place = text
            self.lines.append(f"\n{text}\n")


def describe_place(stack_trace):
    """Describe the innermost place of a stack trace in one line."""
    lines = (stack_trace or "").strip().split("\n")
    for line, code in zip(reversed(lines[:-1]), reversed(lines[1:])):
        if match := FRAME.match(line.strip()):
            file, number, name = match.groups()
            return f"File: {file}:{number} in {name}, code: {code.strip()}"
    return "No stacktrace found for following nodes"


def number_lines(text, first):
    """Return the text without its counters, and a dict from lines to the numbers of their nodes."""
    lines, numbers, current = [], {}, None
    for line in text.split("\n"):
        if line.startswith("# COUNTER: "):
            current = int(line.removeprefix("# COUNTER: "))
        else:
            numbers[len(lines) + first] = current
            lines.append(line)
    return "\n".join(lines), numbers
