"""The errors of functions that must be one graph and are not: PyTorch's classes, and the first lines of its texts."""

import contextlib
import linecache
import os

from tensh.compiler.breaks import TorchRuntimeError, Unsupported
from tensh.engine.errors.warnings import PACKAGE, is_tensh_file
from tensh.tracing.sizes.dims import TorchDynamoException, UserError

__all__ = [
    "BRANCHING",
    "DISABLED",
    "ENDING",
    "ENDING_LIBRARY",
    "INLINED",
    "NO_TENSOR",
    "PARAMETER",
    "RETURNED",
    "SKIPPED",
    "SORTING",
    "describe_guard",
    "failing_as_fake",
    "refuse",
    "refuse_failure",
    "title_of",
]

SKIPPED = "Attempted to call function marked as skipped"
INLINED = "Attempted to inline function marked as skipped"
BUILTIN = "Failed to trace builtin operator"
BRANCHING = "Data-dependent branching"
SORTING = "sort with non-constant keys"
NO_TENSOR = "torch.* op returned non-Tensor"
SPARSE = "Attempted to wrap sparse Tensor with VariableTracker"
DISABLED = "Skip calling `torch.compiler.disable()`d function"
OBSERVED = "Observed exception"
NO_NAME = "failed to find name in frame builtins"
FAKE = "RuntimeError when making fake tensor call"
RETURNED = "returning intermediate with requires_grad_()"
PARAMETER = "Attempted to use `torch.nn.Parameter()` constructor with Dynamo"
TRANSFORMS = os.path.join(PACKAGE, "func", "")
GROUPBY = "Unsupported arguments for itertools.groupby"
METHOD = "Unsupported method call"
TITLES = {
    **dict.fromkeys("dir print open io.open input exec eval compile breakpoint globals str".split(), BUILTIN),
    **dict.fromkeys("step zero_grad".split(), INLINED),
    "backward": "Unsupported Tensor.backward() call", "requires_grad_": RETURNED,
    "repr": "repr() on tensor", "graph_break": "Call to `torch._dynamo.graph_break()`",
    "grad": "using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`",
    "equal": "Data dependent operator", "allclose": "Data dependent operator", "tolist": "Tensor.tolist() with non-integer tensor",
    "_thread.__enter__": "Unsupported context manager", "_thread.__exit__": "Unsupported context manager",
    "load_state_dict": NO_TENSOR, "register_forward_hook": "setattr() on unsupported type",
    "register_forward_pre_hook": "setattr() on unsupported type", "warning": "Unsupported python_type() call",
    "datetime.now": "Unsupported method call", "_io.write": "Unsupported method call",
    "_io.flush": "Unsupported method call", "getLogger": "Unresolved GetAttrVariable comparison",
    "__build_class__": "Invalid call to __build_class__",
}  # fmt: skip
"""Function that ends a graph of PyTorch -> the first line of its error; other functions are skipped."""
ENDING = {
    "resize_": "Unsupported Tensor.resize_() call", "resize_as_": "Unsupported Tensor.resize_as_() call",
    **dict.fromkeys("to_sparse to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc".split(), SPARSE),
    **dict.fromkeys("storage storage_offset is_shared is_pinned initial_seed get_num_threads fork_rng".split(), NO_TENSOR),
    **dict.fromkeys("get_rng_state sparse_coo_tensor from_dlpack swap_tensors set_num_threads cudagraph_mark_step_begin".split(), SKIPPED),
    "share_memory_": "Unhandled args for method",
}  # fmt: skip
"""Functions of tensh that only end graphs of PyTorch -> the first line of its error."""


ENDING_LIBRARY = {
    ("json/__init__.py", "dumps"): METHOD, ("json/__init__.py", "loads"): METHOD, ("functools.py", "lru_cache"): METHOD,
    ("contextlib.py", "enter_context"): SKIPPED, ("heapq.py", "nlargest"): BUILTIN, ("heapq.py", "nsmallest"): BUILTIN, ("ast.py", "parse"): BUILTIN,
    ("statistics.py", "mean"): GROUPBY, ("statistics.py", "stdev"): GROUPBY, ("statistics.py", "pstdev"): GROUPBY,
    ("statistics.py", "variance"): GROUPBY, ("statistics.py", "pvariance"): GROUPBY,
    ("statistics.py", "harmonic_mean"): GROUPBY, ("base64.py", "b64encode"): SKIPPED, ("base64.py", "b64decode"): SKIPPED, ("threading.py", "current_thread"): SKIPPED,
}  # fmt: skip
"""(file, function) of Python's library that only ends graphs of PyTorch -> the first line of its error."""


def title_of(name):
    """Return the first line of PyTorch's error for something that is called."""
    return TITLES.get(name, SKIPPED)


def describe_guard(expression, extracting=False, advised=True):
    """Return the first line of PyTorch's error for a decision on numbers that were read from tensors."""
    advice = "Consider annotating your code using torch._check*(). " if advised else ""
    what = "extract specialized integer from" if extracting else "guard on"
    return f"{advice}Could not {what} data-dependent expression {expression} (unhinted: {expression}).  (Size-like symbols: none)"


def show_place(place):
    """Return the lines of an error that show the user's line."""
    if place is None:
        return ""
    source = linecache.getline(place.filename, place.line).strip()
    return (
        f'\n\nfrom user code:\n   File "{place.filename}", line {place.line}, in {place.code.co_name}\n    {source}\n'
    )


def refuse(subject, reason):
    """Return the error of a function, named by ``subject``, that a break keeps from being one graph."""
    text = f"{reason.title or SKIPPED}\n  Explanation: {subject} cannot be captured as one graph: {reason}{show_place(reason.place)}"
    return UserError(text) if reason.user else Unsupported(text)


def refuse_failure(subject, error):
    """Return the error of a function that fails while it is captured; None if its own error is PyTorch's."""
    if isinstance(error, TorchDynamoException):
        return None
    inside = is_within_library(error)
    message = f"{subject} cannot be captured as one graph: it raises {type(error).__name__}: {error}"
    if isinstance(error, NameError):
        return Unsupported(f"{NO_NAME}\n  Explanation: {message}")
    if inside and not isinstance(error, AttributeError) or is_of_operands(error):
        return TorchRuntimeError(f"{FAKE}\n  Explanation: {message}")
    return Unsupported(f"{OBSERVED}\n  Explanation: {message}")


@contextlib.contextmanager
def failing_as_fake(subject):
    """A context in which an operator that fails raises PyTorch's error for one that fails while a graph is made."""
    try:
        yield
    except RuntimeError as error:
        in_eager = str(error).startswith("vmap: ")  # PyTorch's graphs end where vmap cannot go on
        if in_eager or type(error) is not RuntimeError or not is_within_library(error):
            raise
        raise refuse_failure(subject, error) from error


def is_of_operands(error):
    """Return True for Python's error of an operator that a tensor does not have for the other operand."""
    return (
        isinstance(error, TypeError)
        and str(error).startswith("unsupported operand type(s) for")
        and "()" not in str(error)
    )


def is_within_library(error):
    """Return True if an error was raised by a function of tensh; PyTorch writes the transforms of torch.func in Python."""
    tb = error.__traceback__
    while tb.tb_next is not None:
        tb = tb.tb_next
    filename = tb.tb_frame.f_code.co_filename
    return is_tensh_file(filename) and not filename.startswith(TRANSFORMS)
