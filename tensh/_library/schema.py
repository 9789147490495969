"""Schemas of the user's operators: inferred from annotations, read from text, and held against the arguments of a call."""

import inspect
import re
import typing
from collections import abc
from typing import Any, NamedTuple

import tensh as torch
from tensh._aten.schema import TYPES as PRINTED
from tensh._aten.schema import split_arguments
from tensh.engine.core.tensor import Tensor

KINDS = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", torch.dtype: "ScalarType", torch.device: "Device",
    int | float | bool: "Scalar",
}  # fmt: skip
"""Annotation -> its name in a schema."""
LISTED = "Tensor SymInt float bool Scalar".split()
CODES = {name: number for number, name in enumerate(
    "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool qint8 quint8 qint32 bfloat16 "
    "quint4x2 quint2x4 bits1x8 bits2x4 bits4x2 bits8 bits16 float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz "
    "uint16 uint32 uint64".split()
)}  # fmt: skip
"""The number that stands for a dtype in the text of a schema."""
TYPES = {
    "Tensor": (Tensor,), "int": (int,), "SymInt": (int,), "float": (float, int), "bool": (int,), "str": (str,),
    "Scalar": (int, float, bool, complex), "ScalarType": (torch.dtype, int), "Device": (torch.device, str), "complex": (int, float, complex),
    "t": (),  # any one type; a call from Python does not tell which
}  # fmt: skip
"""Kind of a parameter -> the types of values that it takes."""
ALIAS = r"(?:\([\w*|]+!?(?: -> [\w*|]+)?\))?"
PARAMETER = re.compile(
    rf"(?P<kind>\w+(?<!Dict)|(?:Dict)?\([^()]*\)){ALIAS}(?P<list>\[\d*\])?{ALIAS}(?P<optional>\?)? (?P<name>\w+)(?:=(?P<default>.+))?"
)

DEFAULT = re.compile(r"""(\w+)(?:\[(\d*)\])?(\?)? (\w+)=("[^"]*"|'[^']*'|\[[^\]]*\]|[^,)]+)""")


class Parameter(NamedTuple):
    """A parameter of a schema."""

    name: str
    kind: str
    listed: bool
    elements_optional: bool
    optional: bool
    default: Any
    named: bool

    def takes(self, value):
        if value is None:
            return self.optional
        if self.listed:
            return isinstance(value, (list, tuple)) and all(
                isinstance(each, TYPES.get(self.kind, object)) or each is None and self.elements_optional
                for each in value
            )
        return isinstance(value, TYPES.get(self.kind, object))


# ── from annotations ─────────────────────────────────────────────────────────
def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """Return the schema of an operator, from the annotations of a function.

    ``mutates_args`` names the tensors that it writes, or is "unknown".  Raise ValueError for annotations that an
    operator cannot have.

    >>> import tensh as torch
    >>> def twice(x: torch.Tensor, n: int = 2) -> torch.Tensor:
    ...     return x * n
    >>> torch.library.infer_schema(twice, mutates_args=())
    '(Tensor x, SymInt n=2) -> Tensor'
    """
    signature = inspect.signature(prototype_function)
    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated or the string 'unknown'. "
        )

    def refuse(what):
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    try:
        hints = typing.get_type_hints(prototype_function)
    except NameError:
        hints = {}
    texts = write_parameters(signature, hints, mutates_args, refuse)
    if mutates_args != "unknown" and (missing := set(mutates_args) - set(signature.parameters)):
        refuse(
            f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain the names of all "
            "args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    result = write_result(signature, hints, refuse)
    return f"{op_name or ''}({', '.join(texts)}) -> {result}"


def write_parameters(signature, hints, mutates_args, refuse):
    """Return the parameters of a schema, with ``*`` before those that are passed by name; ``refuse`` raises."""
    texts = []
    unknown = mutates_args == "unknown"
    for number, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.annotation is parameter.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        kind = name_of(hints.get(name, parameter.annotation))
        if kind is None:
            refuse_annotation(name, parameter.annotation, refuse)
        if name in mutates_args or unknown and kind.startswith("Tensor"):
            if not kind.startswith("Tensor"):
                refuse(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
            kind = kind.replace("Tensor", f"Tensor(a{number}!)", 1)
        texts.append(f"{kind} {name}" + write_default(name, parameter, refuse))
    return texts


def refuse_annotation(name, annotation, refuse):
    """Raise PyTorch's error for a parameter of a type that schemas lack, with advice for a tuple."""
    message = f"Parameter {name} has unsupported type {annotation}."
    valid = f"The valid types are: dict_keys({valid_types()})."
    if typing.get_origin(annotation) is tuple:
        kinds = [each.__name__ for each in dict.fromkeys(typing.get_args(annotation)) if each is not ...]
        refuse(
            f"{message} We do not support Tuple inputs in schema. As a workaround, please try to use List instead. For example, "
            f"list[{', '.join(kinds)}].\n\n{valid}"
        )
    refuse(f"{message} {valid}")


def write_result(signature, hints, refuse):
    """Return the result of a schema; ``refuse`` raises."""
    if signature.return_annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    result = name_of_result(hints.get("return", signature.return_annotation))
    if result is None:
        listed = {each: KINDS[each] for each in (Tensor, int, float, bool, int | float | bool)}
        listed = {Tensor: "Tensor", typing.List[Tensor]: "Tensor[]", list[Tensor]: "Tensor[]"} | listed  # noqa: UP006 (as printed)
        refuse(f"Return has unsupported type {signature.return_annotation}. The valid types are: {listed}.")
    return result


def valid_types():
    """Return the annotations that parameters may have, as messages list them."""
    found = []
    for kind in KINDS:
        found += [kind, typing.Optional[kind]]  # noqa: UP045 (as printed)
        if KINDS[kind] in LISTED:
            inner = typing.Optional[kind] if kind is Tensor else kind  # noqa: UP045
            lists = [each[kind] for each in (typing.Sequence, typing.List, abc.Sequence, list)]  # noqa: UP006
            found += lists
            if kind is Tensor:
                found += [each[inner] for each in (typing.Sequence, typing.List, abc.Sequence, list)]  # noqa: UP006
            elif kind in (int, float, bool):
                found += [typing.Optional[each] for each in lists]  # noqa: UP045
    return found


def write_default(name, parameter, refuse):
    value = parameter.default
    if value is parameter.empty:
        return ""
    if value is None or isinstance(value, (int, float)):
        return f"={value}"
    if isinstance(value, str):
        return f'="{value}"'
    if isinstance(value, torch.dtype):
        return f"={value.name}"
    if isinstance(value, torch.device):
        return f'="{value}"'
    return refuse(
        f"Parameter {name} has an unsupported default value type {type(value)}. Please file an issue on GitHub so we can prioritize this."
    )


def name_of(annotation):
    """Return the name of an annotation in a schema; None if it has none."""
    if annotation in KINDS:
        return KINDS[annotation]
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if type(None) in parts and (rest := [each for each in parts if each is not type(None)]):
        whole = name_of(rest[0] if len(rest) == 1 else typing.Union[tuple(rest)])  # noqa: UP007 (a tuple of types)
        return None if whole is None else f"{whole}?"
    if set(parts) == {int, float, bool}:
        return "Scalar"
    if origin in (list, abc.Sequence) and len(parts) == 1:
        element = name_of(parts[0])
        return f"{element}[]" if element and element.rstrip("?") in LISTED else None
    return None


def name_of_result(annotation):
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        parts = [name_of(each) for each in typing.get_args(annotation)]
        return None if None in parts else f"({', '.join(parts)})"
    return name_of(annotation)


# ── of calls ─────────────────────────────────────────────────────────────────
def read_parameters(schema):
    """Return the parameters that the text of a schema has."""
    inside = schema[schema.index("(") + 1 : schema.rindex(") ->")]
    found, named = [], False
    for text in split_arguments(inside):
        if text in ("*", "..."):
            named = True
            continue
        kind, _, rest = text.partition("=")
        elements = "?[" in kind
        match = PARAMETER.fullmatch(kind.replace("?[", "[") + (f"={rest}" if rest else ""))
        default = inspect.Parameter.empty if match["default"] is None else read_default(match["kind"], match["default"])
        optional = match["optional"] is not None
        found.append(
            Parameter(match["name"], match["kind"], match["list"] is not None, elements, optional, default, named)
        )
    return found


def print_schema(schema):
    """Return a schema as PyTorch prints that of an operator: defaults in the form of C++, and dtypes by their numbers."""
    return DEFAULT.sub(print_default, schema)


def print_default(found):
    kind, size, optional, name, text = found.groups()
    if text.startswith("["):
        inner = ", ".join(print_value(kind, each.strip()) for each in text[1:-1].split(",") if each.strip())
        text = f"[{inner}]"
    else:
        text = print_value(kind, text)
        if size and size.isdigit() and text != "None" and kind == "float":
            text = f"[{', '.join([text] * int(size))}]"
    listed = "" if size is None else f"[{size}]"
    return f"{kind}{listed}{optional or ''} {name}={text}"


def print_value(kind, text):
    if kind == "ScalarType":
        return str(CODES.get(text, text))
    if text[0] in "'\"":
        return f'"{text[1:-1]}"'
    try:
        number = float(text)
    except ValueError:
        return text
    if kind == "float" or kind == "Scalar" and not text.lstrip("+-").isdigit():
        return f"{number:.17g}" if number % 1 or abs(number) >= 1e17 else f"{number:.0f}."
    return text


def read_default(kind, text):
    if kind == "ScalarType":
        return getattr(torch, next((name for name, code in CODES.items() if str(code) == text), text), None)
    try:
        from ast import literal_eval

        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def bind_arguments(name, schema, parameters, args, kwargs):
    """Return all arguments of a call in the order of the schema; RuntimeError for one that does not fit."""
    known = {p.name for p in parameters}
    if unknown := next((each for each in kwargs if each not in known), None):
        raise RuntimeError(f"Unknown keyword argument '{unknown}' for operator '{name}'. Schema: {schema}")
    places = [p for p in parameters if not p.named]
    if len(args) > len(parameters):
        raise RuntimeError(
            f"{name}() expected at most {len(parameters)} argument(s) but received {len(args)} argument(s). Declaration: {schema}"
        )
    if len(args) > len(places):
        raise RuntimeError(
            f"{name}() takes {len(places)} positional argument(s) but {len(args)} was/were given.  Declaration: {schema}"
        )
    if twice := next((p.name for p, _ in zip(places, args) if p.name in kwargs), None):
        raise RuntimeError(f"Argument '{twice}' specified both as positional and keyword argument. Schema: {schema}")
    given = dict(zip([p.name for p in places], args)) | kwargs
    values = []
    for position, p in enumerate(parameters):
        if p.name not in given:
            if p.default is inspect.Parameter.empty:
                raise RuntimeError(f"{name}() is missing value for argument '{p.name}'. Declaration: {schema}")
            values.append(p.default)
            continue
        value = given[p.name]
        if not p.takes(value):
            kind = PRINTED.get(p.kind, p.kind)
            kind = f"List[{kind}]" if p.listed else kind
            raise RuntimeError(
                f"{name}() Expected a value of type '{f'Optional[{kind}]' if p.optional else kind}' for argument '{p.name}' but "
                f"instead found type '{type(value).__name__}'.\nPosition: {position}\nValue: {value!r}\nDeclaration: {schema}\n"
                + explain_cast(p, value)
            )
        values.append(value)
    return values


def explain_cast(parameter, value):
    """Return the last line of the error for a value of a wrong type."""
    if parameter.listed and not hasattr(value, "__iter__"):
        return f" Python error details: TypeError: '{type(value).__name__}' object is not iterable"
    if parameter.kind == "t":
        return "Cast error details: toIValue() cannot handle converting to type: t"
    if parameter.kind == "Tensor" and not parameter.listed:
        return f"Cast error details: Unable to cast {value} to Tensor"
    if parameter.kind == "Scalar" and not parameter.listed:
        return f"Cast error details: Cannot cast {value} to number"
    if parameter.listed and parameter.kind == "SymInt" and not isinstance(value, str):  # sizes are cast one by one
        value = next(each for each in value if not isinstance(each, int))
    return (
        f"Cast error details: Unable to cast Python instance of type {type(value)} to C++ type '?' (#define "
        "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    )
