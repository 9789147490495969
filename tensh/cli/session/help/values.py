"""The help page of a user's value: its kind, never its contents; for a tensor also its memory and origin."""

from types import ModuleType

from tensh.cli.session.help import names
from tensh.cli.session.help.page import documentation_of, signature, source_of
from tensh.cli.session.static.known import is_model
from tensh.show.drawing.table import Table
from tensh.show.drawing.text import cells, pad
from tensh.show.reading import describe
from tensh.support.language import _, count

ENGINES = ("torch", "tensh")
MOST_PARAMETERS = 20  # parameters listed of a model


def page(name, value, namespace, with_source=False):
    """Yield the page of a value as (kind, text) pairs; tell if the user's code fails on the way."""
    try:
        yield from describe_value(name, value, namespace, with_source)
    except Exception as error:
        words = _("nothing more is known about {name}: its code failed with {error}")
        yield "note", words.format(name=name, error=type(error).__name__) + "\n"


def describe_value(name, value, namespace, with_source):
    if describe.is_tensor(value):
        yield from tensor_page(name, value, namespace)
    elif is_model(type(value)):
        yield from model_page(name, value)
    elif issubclass(type(value), ModuleType):
        yield from head(name, "  module", documentation_of(value))
    elif callable(value):
        yield from head(name, signature(value), documentation_of(value))
    elif root(type(value)) in ENGINES and not describe.brief(value):
        yield from head(name, f"  {type(value).__name__}", None)
        yield "plain", f"\n{repr(value)}\n"
        yield "note", "\n" + _("{path}? explains the class").format(path=public_path(type(value))) + "\n"
    else:
        brief = describe.brief(value)
        kind = type(value).__name__
        kind += f" of {len(value)}" if type(value) in (list, tuple, dict, set, str) else ""
        has_own = type(value).__module__ != "builtins" and not brief  # the documentation of int would not help
        yield from head(
            name, f"  {kind} {brief}" if brief else f"  {kind}", documentation_of(value) if has_own else None
        )
    if with_source and (has_source(value) or root(type(value)) not in (*ENGINES, "builtins")):
        yield "plain", "\n"
        yield from source_of(value if has_source(value) else type(value))


def has_source(value):
    """Return True for a value that is itself written in code: a function, a class or a module."""
    return callable(value) and not is_model(type(value)) or issubclass(type(value), ModuleType)


def root(kind):
    """Return the top-level package of a class."""
    return str(kind.__module__).partition(".")[0]


def public_path(kind):
    """Return the public name of a class of tensh."""
    found = names.find_name(kind.__name__)
    return found.path if found else kind.__name__


def head(name, rest, documentation):
    yield "keyword", name
    yield "signature" if rest.startswith("(") else "plain", rest + "\n"
    if documentation:
        yield "prose", f"\n{documentation}\n"


def tensor_page(name, tensor, namespace):
    """Describe a tensor, one fact per line."""
    yield from head(name, f"  {type(tensor).__name__} {describe.brief(tensor)}", None)
    yield "plain", "\n"
    rows = list_facts(tensor, namespace)
    width = max([10, *(cells(label) for label, _fact in rows)]) + 2
    for label, fact in rows:
        yield "note", "  " + pad(label, width)
        yield "fact", f"{fact}\n"


@describe.without_overrides
def list_facts(tensor, namespace):
    """Return (label, fact) pairs for the memory and the origin of a tensor."""
    return [*memory(tensor, namespace), *history(tensor)]


def model_page(name, model):
    """Describe a module of torch.nn: its class, its signature, its mode, and its parameters."""
    from tensh.show.tables.modules import total

    kind = type(model)
    is_own = root(kind) not in ENGINES
    yield from head(
        name, f"  {kind.__name__}", documentation_of(kind) if is_own and vars(kind).get("__doc__") else None
    )
    yield "plain", "\n"
    class_path = kind.__name__ if is_own else f"nn.{kind.__name__}"
    facts = [
        (_("class"), class_path if is_own else _("{path}; {path}? explains it").format(path=class_path)),
        ("forward", signature(model.forward)),
        (_("mode"), _("training") if model.training else _("evaluation")),
        (_("layers"), ", ".join(f"{part} {type(layer).__name__}" for part, layer in model.named_children())),
        (_("size"), total(model)),
    ]
    width = max(map(cells, (label for label, _fact in facts))) + 2
    for label, fact in facts:
        if fact:
            yield "note", f"  {pad(label, width)}"
            yield "fact", f"{fact}\n"
    parameters = [*model.named_parameters()]
    if parameters:
        rows = [
            (path, describe.shape(each), describe.dtype(each), f"{each.numel():,}", describe.grad_state(each) if each.requires_grad else _("frozen"))
            for path, each in parameters[:MOST_PARAMETERS]
        ]  # fmt: skip
        more = len(parameters) - MOST_PARAMETERS
        notes = [_("{count} more: %summary {name}").format(count=more, name=name)] if more > 0 else []
        yield "plain", "\n"
        yield "view", Table((_("name"), _("shape"), "dtype", _("values"), _("gradient")), rows, notes=notes)


def memory(tensor, namespace):
    """Yield (label, fact) pairs for the memory layout of a tensor, and for the tensor that it is a view of."""
    layout = describe.layout(tensor)
    if describe.is_nested(tensor):
        yield _("layout"), layout or "strided"
        yield (
            _("memory"),
            _("{size} for {values} in {tensors}").format(
                size=describe.size(tensor),
                values=count(tensor.numel(), "value"),
                tensors=count(tensor.size(0), "tensor"),
            ),
        )
    elif layout:
        yield _("layout"), layout
        yield (
            _("memory"),
            _("{size} for {values} and their positions").format(
                size=describe.size(tensor), values=count(tensor._nnz(), "value")
            ),
        )
    else:
        order = _("contiguous") if tensor.is_contiguous() else _("not contiguous")
        yield _("strides"), f"{tuple(tensor.stride())}, {order}"
        offset = tensor.storage_offset()
        yield (
            _("memory"),
            describe.size(tensor) + (_(", {offset} elements into its storage").format(offset=offset) if offset else ""),
        )
    base = tensor._base
    if tensor._is_view():
        names = [name for name, value in namespace.items() if value is base and not name.startswith("_")]
        yield (
            _("view of"),
            names[0] if names else _("a tensor {brief} without a name").format(brief=describe.brief(base)),
        )
    if str(tensor.device) != "cpu":
        yield _("device"), str(tensor.device)
    yield (
        _("written"),
        _("{number} times in place").format(number=tensor._version) if tensor._version != 1 else _("once in place"),
    )


def history(tensor):
    """Yield (label, fact) pairs: leaf or computed, and the state of the gradient."""
    made_by = describe.describe_origin(tensor)
    yield _("history"), _("a leaf") if made_by is None else _("made by {maker}").format(maker=made_by)
    yield _("gradient"), describe.grad_state(tensor) if tensor.requires_grad else _("not requested")
