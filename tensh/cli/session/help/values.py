"""The page of a value of the user's: what it is, never its contents; of a tensor, where it lies and is from."""

import inspect
from types import ModuleType

from tensh.cli.session.help.page import signature, source_of
from tensh.show import describe


def page(name, value, namespace, with_source=False):
    """The page of a value under a name, as (kind, text) pairs."""
    if describe.is_tensor(value):
        yield from tensor_page(name, value, namespace)
    elif isinstance(value, ModuleType):
        yield from head(name, "  module", inspect.getdoc(value))
    elif callable(value):
        yield from head(name, signature(value), inspect.getdoc(value))
    else:
        brief = describe.brief(value)
        kind = type(value).__name__
        has_own = type(value).__module__ != "builtins" and not brief  # the documentation of int is not what was asked
        yield from head(name, f"  {kind} {brief}" if brief else f"  {kind}", inspect.getdoc(value) if has_own else None)
    if with_source:
        yield "plain", "\n"
        yield from source_of(value)


def head(name, rest, documentation):
    yield "keyword", name
    yield "signature" if rest.startswith("(") else "plain", rest + "\n"
    if documentation:
        yield "prose", f"\n{documentation}\n"


def tensor_page(name, tensor, namespace):
    """What is known of a tensor, a fact in a line."""
    yield from head(name, f"  {type(tensor).__name__} {describe.brief(tensor)}", None)
    yield "plain", "\n"
    rows = [*memory(tensor, namespace), *history(tensor)]
    for label, fact in rows:
        yield "note", f"  {label:12}"
        yield "plain", f"{fact}\n"


def memory(tensor, namespace):
    """(label, fact) pairs: how the elements lie in memory, and whose it is."""
    layout = describe.layout(tensor)
    if layout:
        yield "layout", layout
        yield "memory", f"{describe.size(tensor)} for {describe.count(tensor._nnz(), 'value')} and where they are"
    else:
        order = "contiguous" if tensor.is_contiguous() else "not contiguous"
        yield "strides", f"{tuple(tensor.stride())}, {order}"
        offset = tensor.storage_offset()
        yield "memory", describe.size(tensor) + (f", {offset} elements into its storage" if offset else "")
    base = tensor._base
    if tensor._is_view():
        names = [name for name, value in namespace.items() if value is base and not name.startswith("_")]
        yield "view of", names[0] if names else f"a tensor {describe.brief(base)} without a name"
    if str(tensor.device) != "cpu":
        yield "device", str(tensor.device)
    yield "written", f"{tensor._version} times in place" if tensor._version != 1 else "once in place"


def history(tensor):
    """(label, fact) pairs: leaf or computed, and the state of its gradient."""
    made_by = describe.describe_origin(tensor)
    yield "history", "a leaf" if made_by is None else f"made by {made_by}"
    yield "gradient", describe.grad_state(tensor) if tensor.requires_grad else "not wanted"
