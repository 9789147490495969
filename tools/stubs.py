"""Write the stubs that editors and type checkers read:  python tools/stubs.py [--check]

``tensh/__init__.pyi``, ``tensh/engine/core/tensor.pyi`` and ``tensh/engine/dtypes/size.pyi`` are written from the live
functions: the actual signature of each, and the first line of its documentation. ``--check`` writes nothing and
exits with 1 if a file is out of date.

Types come from an annotation, if there is one, otherwise from the table of operators
(tensors in, tensors out), otherwise from the name of the parameter, which means the same everywhere (``dim`` is always
an int).
"""

import functools
import inspect
import sys

from generated import ROOT, update_files

import tensh
from tensh.engine.codegen.derivatives import LIST
from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.core import tensor as tensor_module
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.engine.methods.attachment import OPERATORS
from tensh.engine.methods.unsupported import UnsupportedMember

HEADER = '"""{doc}\n\nWritten by tools/stubs.py; do not edit."""\n'
# Names such as float, dtype and device are methods and attributes here, so that the types need an underscore.
TYPES = """
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable as _Callable, Iterator as _Iterator, Sequence as _Sequence
from typing import Any as _Any
from typing import TypeVar as _TypeVar
import numpy as _np
"""
ALIASES = """
_F = _TypeVar("_F", bound=_Callable[..., _Any])
_Number = _bool | _int | _float | _complex
_Dims = _int | _Sequence[_int]
_Tensors = tuple[Tensor, ...] | list[Tensor]
"""

TYPE_NAMES = ("dtype", "device", "layout", "memory_format")
PROTOCOLS = {
    "__enter__": "def __enter__(self) -> _Any: ...",
    "__exit__": "def __exit__(self, *error: _Any) -> None: ...",
    "__call__": "def __call__(self, function: _F) -> _F: ...",
}

# Name of a parameter -> its type, everywhere.
PARAMETERS = {
    "Tensor": "self input mat1 mat2 mat vec vec1 vec2 batch1 batch2 tensor1 tensor2 condition mask weight target",
    "Tensor | _Number": "other exponent",
    "_Tensors": "tensors",
    "_int": "dim0 dim1 diagonal",
    "_bool": "keepdim keepdims requires_grad descending stable largest sorted unbiased pin_memory create_graph",
    "_bool | None": "retain_graph",
    "_dtype | None": "dtype",
    "_device | _str | _int | None": "device",
    "_layout | None": "layout",
    "_memory_format | None": "memory_format",
    "Tensor | None": "out bias gradient",
    "_str": "equation",
    "_str | _int": "reduction",
    "_float": "eps rtol atol",
}
# Functions that are not operators -> their return types. A method has the type of the function of the same name.
RETURNS = {
    "_bool": "allclose equal is_tensor is_complex is_floating_point is_nonzero is_grad_enabled is_inference_mode_enabled "
    "is_same_size is_storage is_contiguous is_pinned is_set_to is_signed can_cast __bool__ __contains__ "
    "is_inference is_anomaly_enabled is_anomaly_check_nan_enabled is_warn_always_enabled",
    "_int": "numel nelement dim ndimension element_size storage_offset data_ptr seed initial_seed get_num_threads "
    "get_device __len__ __index__ __int__ __hash__",
    "_float": "__float__",
    "_complex": "__complex__",
    "_str": "__repr__ __str__ __format__",
    "_Number": "item",
    "_Any": "tolist size stride type __array__ __dlpack__ __reduce_ex__ __reduce__ __deepcopy__ untyped_storage storage "
    "apply_ map_ compile vmap __dlpack_device__ max min median nanmedian sort mode unique unique_consecutive nonzero svd qr "
    "eig symeig lobpcg slogdet var_mean std_mean histogram histogramdd lstsq __new__",
    "_np.ndarray[_Any, _Any]": "numpy",
    "_dtype": "result_type promote_types get_default_dtype",
    "None": "backward retain_grad set_default_dtype set_printoptions set_num_threads set_rng_state save "
    "set_default_device set_flush_denormal set_default_tensor_type",
    "_Iterator[Tensor]": "__iter__",
    "Size": "broadcast_shapes",
    "tuple[Tensor, ...]": "split chunk unbind tensor_split hsplit vsplit dsplit split_with_sizes meshgrid "
    "broadcast_tensors unsafe_split unsafe_chunk unsafe_split_with_sizes",
    "Tensor": "tensor as_tensor asarray scalar_tensor from_numpy frombuffer zeros ones full empty empty_strided arange range "
    "linspace logspace eye tril_indices triu_indices complex polar rand randn randint randperm normal cat concat "
    "concatenate stack hstack vstack dstack column_stack row_stack einsum cartesian_prod combinations block_diag "
    "chain_matmul from_dlpack hann_window hamming_window bartlett_window blackman_window kaiser_window heaviside "
    "get_rng_state det matrix_exp matrix_power lu_solve bernoulli bernoulli_ binomial random_ randint_like cdist "
    "trapezoid trapz cumulative_trapezoid vander tensordot empty_permuted isin segment_reduce",
}
PROPERTIES = {
    "_bool": "requires_grad is_leaf retains_grad is_cpu is_cuda is_sparse is_sparse_csr is_quantized is_meta is_mkldnn is_mps "
    "is_xpu is_nested is_xla",
    "_int": "ndim itemsize nbytes _version output_nr",
    "Size": "shape",
    "_dtype": "dtype",
    "_device": "device",
    "_layout": "layout",
    "Tensor | None": "grad _base",
    "Tensor": "data T H mT mH real imag",
}


def by_name(table):
    """Invert type -> names to name -> type."""
    return {name: kind for kind, names in table.items() for name in names.split()}


TYPE_OF_PARAMETER, TYPE_RETURNED, TYPE_OF_PROPERTY = map(by_name, (PARAMETERS, RETURNS, PROPERTIES))
ANNOTATIONS = {
    bool: "_bool",
    int: "_int",
    float: "_float",
    complex: "_complex",
    str: "_str",
    None: "None",
    Tensor: "Tensor",
}


# ── one function ─────────────────────────────────────────────────────────────


def parameter_text(parameter, op):
    """Return a parameter as it appears in a stub: name, type, default."""
    name, star = parameter.name, {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    kind = ANNOTATIONS.get(parameter.annotation)
    if kind is None and op is not None and name in op.inputs:
        operand = op.pointwise and len(op.inputs) > 1
        kind = "_Tensors" if name == op.sequence else "Tensor | _Number" if operand else "Tensor"
        if parameter.default is None:
            kind += " | None"
    if kind is None:
        kind = "_Any" if star else TYPE_OF_PARAMETER.get(name, "_Any")
    if parameter.default is parameter.empty:
        return f"{star}{name}: {kind}"
    if kind != "_Any" and parameter.default is None and "None" not in kind:
        kind += " | None"
    plain = parameter.default is None or isinstance(parameter.default, bool | int | str)
    return f"{name}: {kind} = {parameter.default!r}" if plain else f"{name}: {kind} = ..."


def parameters_text(parameters, op):
    """Return a parameter list, with the markers of positional-only and keyword-only parameters."""
    texts, kinds = [], [p.kind for p in parameters]
    for position, p in enumerate(parameters):
        keyword_only = p.kind is p.KEYWORD_ONLY and not {p.KEYWORD_ONLY, p.VAR_POSITIONAL} & set(kinds[:position])
        texts += ["*"] if keyword_only else []
        texts.append(parameter_text(p, op))
        last_positional = p.kind is p.POSITIONAL_ONLY and p.POSITIONAL_ONLY not in kinds[position + 1 :]
        texts += ["/"] if last_positional else []
    return ", ".join(texts)


def result(name, function, op, of_tensor=True):
    """Return the result type of a function; by default, functions whose first parameter is a tensor return a tensor."""
    signature = inspect.signature(function)
    if signature.return_annotation in ANNOTATIONS:
        return ANNOTATIONS[signature.return_annotation]
    if op is not None and op.outs and name not in TYPE_RETURNED:
        return "tuple[Tensor, ...]" if op.outs == LIST else "_Any"
    first = next(iter(signature.parameters), None)
    usual = op is not None or (of_tensor and first in ("input", "self", "tensors"))
    return TYPE_RETURNED.get(name, "Tensor" if usual else "_Any")


def doc_of(thing):
    """Return the first line of a docstring, as a docstring."""
    line = (inspect.getdoc(thing) or "").split("\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{line}"""' if line and not line.endswith('"') else "..."


def function_stub(name, function, entry=None, method_of=None):
    """``def NAME(SIGNATURE) -> TYPE`` and its first line of documentation."""
    op = entry if isinstance(entry, Op) else entry.op if isinstance(entry, Inplace) else None
    parameters = list(inspect.signature(function).parameters.values())
    if method_of:
        if parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
            parameters = parameters[1:]
        inside = ", ".join(filter(None, ["self", parameters_text(parameters, op)]))
    else:
        inside = parameters_text(parameters, op)
    kind = result(name, function, op, of_tensor=method_of in (None, Tensor))
    return f"def {name}({inside}) -> {kind}:\n    {doc_of(function)}"


def operator_stub(name):
    """Format one of Python's operators on tensors."""
    operand = "" if name in ("__neg__", "__pos__", "__abs__", "__invert__") else ", other: Tensor | _Number"
    ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    return f"def {name}(self{operand}) -> Tensor: ...{ignored}"


def indented(text):
    return "\n".join(f"    {line}" for line in text.split("\n"))


# ── the two files ────────────────────────────────────────────────────────────


def property_stub(name, member):
    kind = TYPE_OF_PROPERTY.get(name, "_Any")
    text = f"@property\ndef {name}(self) -> {kind}:\n    {doc_of(member)}"
    if getattr(member, "fset", None) is not None:
        text += f"\n@{name}.setter\ndef {name}(self, value: {kind}) -> None: ..."
    return text


def size_stub():
    """Return the text of tensh/engine/dtypes/size.pyi: a tuple of ints, and the methods that it adds."""
    methods = [
        function_stub(n, f, method_of=Size) for n, f in vars(Size).items() if inspect.isfunction(f) and n[0] != "_"
    ]
    body = [doc_of(Size), "def __new__(cls, sizes: _Sequence[_int] = ...) -> Size: ...", *methods]
    parts = [
        TYPES.strip(),
        "class Size(tuple[_int, ...]):",
        *map(indented, body),
        "SIZES: dict[tuple[_int, ...], Size]",
    ]
    parts.append("def size_of(sizes: _Sequence[_int], /) -> Size: ...")
    return HEADER.format(doc="Size.") + "\n".join(parts) + "\n"


def member_stub(cls, name):
    """Format a member of a class: a property, a slot, a method."""
    member, found = inspect.getattr_static(cls, name), getattr(cls, name)
    if isinstance(member, property | functools.cached_property):
        return property_stub(name, member)
    if not inspect.isroutine(found):
        return f"{name}: {TYPE_OF_PROPERTY.get(name, '_Any')}"
    if inspect.ismemberdescriptor(member):
        return f"@property\ndef {name}(self) -> {TYPE_OF_PROPERTY.get(name, '_Any')}: ..."
    return function_stub(name, found, METHODS.get(name) if cls is Tensor else None, method_of=cls)


def tensor_class_stub():
    """Format Tensor, with Python's operators, properties and methods in alphabetical order."""
    members = [doc_of(Tensor), "def __new__(cls, *args: _Any, **options: _Any) -> Tensor: ..."]
    for name in sorted(name for name, member in vars(Tensor).items() if not isinstance(member, UnsupportedMember)):
        routine = inspect.isroutine(getattr(Tensor, name)) and not inspect.ismemberdescriptor(vars(Tensor)[name])
        if name in OPERATORS:
            members.append(operator_stub(name))
        elif name != "__new__" and (routine or isinstance(vars(Tensor)[name], property)):
            members.append(member_stub(Tensor, name))
    return "class Tensor:\n" + "\n".join(map(indented, members))


def class_stub(name, cls):
    """Format any other public class: its public members, and whether it is a context manager or decorator."""
    base = next((b.__name__ for b in cls.__bases__ if b is not Tensor and getattr(tensh, b.__name__, None) is b), None)
    known = vars(cls) if base else dir(cls)  # the rest is the base's
    members = [doc_of(cls), "def __init__(self, *args: _Any, **options: _Any) -> None: ..."]
    members += [text for protocol, text in PROTOCOLS.items() if protocol in known]
    members += [member_stub(cls, member) for member in sorted(known) if not member.startswith("_")]
    return f"class {name}{f'({base})' if base else ''}:\n" + "\n".join(map(indented, members))


def tensor_stub():
    """Return the text of tensh/engine/core/tensor.pyi."""
    own = [
        function_stub(name, thing)
        for name, thing in vars(tensor_module).items()
        if inspect.isfunction(thing) and thing.__module__ == tensor_module.__name__
    ]
    imports = "from tensh import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format"
    imports += "\nfrom tensh.engine.dtypes.size import Size"
    parts = [TYPES.strip(), imports, tensor_class_stub(), ALIASES.strip(), *own]
    return HEADER.format(doc="Tensor.") + "\n".join(parts) + "\n"


def module_stub():
    """Return the text of tensh/__init__.pyi."""
    lines = [
        "from tensh.engine.core.tensor import Tensor as Tensor",
        "from tensh.engine.dtypes.size import Size as Size",
    ]
    functions = []
    names = [name for name in dir(tensh) if not name.startswith("_") and name not in ("Size", "Tensor")]
    for name in names:
        thing, entry = getattr(tensh, name), PUBLIC.get(name)
        if inspect.ismodule(thing):
            lines.append(f"from tensh import {name} as {name}")
        elif inspect.isclass(thing):
            lines += [class_stub(name, thing), *([f"_{name} = {name}"] if name in TYPE_NAMES else [])]
        elif callable(thing) and hasattr(thing, "__name__"):
            functions.append(function_stub(name, thing, entry))
        else:
            lines.append(f"{name}: {constant(thing)}")
    lines.append("__version__: _str")
    return (
        HEADER.format(doc="The public names of tensh.")
        + "\n".join([TYPES.strip(), *lines, ALIASES.strip(), *functions])
        + "\n"
    )


def constant(thing):
    kind = type(thing)
    if kind.__name__ in TYPE_NAMES:
        return f"_{kind.__name__}"
    return ANNOTATIONS.get(kind, "_Any")


STUBS = {
    ROOT / "tensh" / "engine" / "core" / "tensor.pyi": tensor_stub,
    ROOT / "tensh" / "engine" / "dtypes" / "size.pyi": size_stub,
    ROOT / "tensh" / "__init__.pyi": module_stub,
}


if __name__ == "__main__":
    sys.exit(update_files(__doc__, lambda: [(path, write()) for path, write in STUBS.items()]))
