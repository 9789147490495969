"""The table of names: `who`."""

from tensh.show.drawing.table import Table, Tables
from tensh.show.reading import describe
from tensh.show.reading.asking import choose_names
from tensh.show.reading.reprs import safe_repr
from tensh.show.tables.containers import is_container
from tensh.support.language import _, deferred

COLUMNS = (deferred("name"), deferred("shape"), "dtype", "is_leaf", "requires_grad", "grad", deferred("bytes"))


class Names(Tables):
    """A table of the tensors among some names, followed by the other names with their types."""

    nothing = deferred("no names yet")
    more = deferred("%who w* shows some")

    def __init__(self, names):
        self.tensors = {name: value for name, value in names.items() if describe.is_array(value)}
        self.others = {name: value for name, value in names.items() if name not in self.tensors}

    @property
    def rows(self):
        """Return (name, shape, dtype, is_leaf, requires_grad, grad, bytes) for each tensor; arrays have no gradient."""
        return [(name, *facts(value)) for name, value in self.tensors.items()]

    def tables(self):
        rows = [(name, kind(value)) for name, value in self.others.items()]
        found = [Table(map(_, COLUMNS), self.rows)] if self.tensors else []
        return found + [Table((_("name"), _("type")), rows)] * bool(rows)


@describe.without_overrides
def facts(value):
    """Return the facts about a tensor or an array, for a row of the table."""
    where = describe.device(value)
    if describe.is_tensor(value):
        is_leaf = describe.has_history(value) and value.is_leaf
        history = describe.yes_or_no(is_leaf), describe.yes_or_no(value.requires_grad)
        kind, grad = describe.dtype(value), describe.grad_state(value)
    else:
        history, kind, grad = ("-", "-"), f"{describe.dtype(value)} (NumPy)", "-"
    return describe.shape(value), f"{kind} {where}".strip(), *history, grad, describe.size(value)


def kind(value):
    """Describe a value and its size, without running user code."""
    own = type(value)
    name = (
        own.__qualname__
        if describe.module(own) in ("builtins", "__main__")
        else f"{describe.module(own)}.{own.__qualname__}"
    )
    if is_container(value) or own in (set, frozenset):
        return _("{kind} of {size:,}").format(kind=own.__qualname__, size=len(value))
    return f"{name} {safe_repr(value)}" if own in (int, float, bool, complex) else name


def who(names=None):
    """List the tensors among names, with shape, dtype, gradient and size, and the other names with their types.

    Args:
        names: a dict of names, or patterns such as "w* b" for the global names of the caller; default: all of these except
            modules.

    >>> import tensh
    >>> tensh.show.who({"x": tensh.zeros(2, 3)})
    name  shape   dtype    is_leaf  requires_grad  grad  bytes
    x     [2, 3]  float32  yes      no             -     24 B
    """
    return Names(choose_names(names))
