"""``functionalize`` in a trace: operators that write become operators that return the new value.

Note [Views of values] As in PyTorch, all views of a tensor share its base. A write gives the base a new value: that of
the operator, put back through the views in reverse. A view is computed again from the base, with its operators, when it
is next read.
"""

from tensh._aten.overloads import schemas
from tensh.func.trees import leaves_of, map_leaves
from tensh.support.temporary import temporarily

__all__ = ["FunctionalRecorder"]


class Base:
    """A tensor that owns its memory: its current value, and how often it was written."""

    def __init__(self, value):
        self.value, self.writes = value, 0


class Alias:
    """A traced tensor as a base, the views that lead from the base to the tensor, and the writes seen so far."""

    def __init__(self, base, views=()):
        self.base, self.views, self.seen = base, views, 0


class View:
    """A call of a view operator; ``place`` is that of the result among several."""

    def __init__(self, func, args, kwargs, place=None):
        self.func, self.args, self.kwargs, self.place = func, args, kwargs, place


class FunctionalRecorder:
    """The part of a recorder of operators for ``functionalize``."""

    removed = None  # "mutations" or "mutations_and_views" within functionalize

    def functionalize(self, function, removed, args, kwargs):
        """Call a function on traced tensors, whose writes are recorded as new values; return its results."""
        given = leaves_of((args, kwargs))
        own = {id(each): self.stand_for(each.value, each.proxy) for each in given if self.is_traced(each)}
        for each in own.values():
            each.alias = Alias(Base(each))
        args, kwargs = map_leaves(lambda each: own.get(id(each), each), (args, kwargs))
        with temporarily(self, removed=removed):
            result = function(*args, **kwargs)
            with self.plainly():
                result = map_leaves(self.refresh, result)
                changed = [(each, own[id(each)]) for each in given if id(each) in own]
                changed = [(each, self.refresh(new)) for each, new in changed if new.alias.base.writes]
        with self.plainly():
            for each, new in changed:
                self.record_plainly(schemas()["copy_"]["default"], (each, new), {})
        return result

    def record_functional(self, func, args, kwargs):
        """Record an operator: views keep what they are views of, writes give new values."""
        name = func._opname
        if name in INVERSES and self.is_traced(args[0]):
            return self.record_view(View(func, args, kwargs), args[0])
        args, kwargs = map_leaves(self.refresh, (args, kwargs))
        if not name.endswith("_") or name.endswith("__"):
            return map_leaves(self.as_base, self.record_plainly(func, args, kwargs))
        target, func = args[0], schemas()[name.removesuffix("_")][func._overloadname]
        made = self.record_plainly(func, args, kwargs)
        if made.value.dtype is not target.value.dtype:
            made = self.record_plainly(schemas()["_to_copy"]["default"], (made,), {"dtype": target.value.dtype})
        self.write(target, made)
        return target

    def as_base(self, value):
        if self.is_traced(value):
            value.alias = Alias(Base(value))
        return value

    def record_view(self, view, source):
        result = self.apply(view, source)
        alias = self.alias_of(source)
        parts = result if isinstance(result, (tuple, list)) else [result]
        for place, each in enumerate(parts):
            own = View(view.func, view.args, view.kwargs, place if parts is result else None)
            each.alias = Alias(alias.base, (*alias.views, own))
        return result

    def apply(self, view, source):
        """Record a view of a value; with ``mutations_and_views``, a copy."""
        func = view.func
        if self.removed == "mutations_and_views":
            func = schemas()[f"{func._opname}_copy"][func._overloadname]
        return self.record_plainly(func, (source, *view.args[1:]), view.kwargs)

    def step(self, view, source):
        result = self.apply(view, source)
        return result if view.place is None else result[view.place]

    def alias_of(self, value):
        if getattr(value, "alias", None) is None:
            value.alias = Alias(Base(value))
        return value.alias

    def refresh(self, value):
        """Return a traced tensor with its current value: computed again from its base, if that was written since."""
        if not self.is_traced(value):
            return value
        alias = self.alias_of(value)
        if alias.seen != alias.base.writes:
            self.renew(value, alias)
        return value

    def renew(self, value, alias):
        current = alias.base.value
        for view in alias.views:
            current = self.step(view, current)
        value.value, value.proxy, alias.seen = current.value, current.proxy, alias.base.writes

    def write(self, target, made):
        """Give a traced tensor a new value, and put it into its base."""
        alias = self.alias_of(target)
        sources, current = [alias.base.value], made
        for view in alias.views[:-1]:
            sources.append(self.step(view, sources[-1]))
        for view, source in zip(reversed(alias.views), reversed(sources)):
            current = self.undo(view, source, current)
        alias.base.value = self.stand_for(current.value, current.proxy)
        alias.base.writes += 1
        self.renew(target, alias)

    def undo(self, view, source, value):
        """Record what puts the value of a view into the tensor that it is a view of."""
        given = dict(zip((each.name for each in view.func.parameters), view.args)) | view.kwargs
        name, *args = INVERSES[view.func._opname](source.value, view.place, **given)
        if name.endswith("_scatter"):
            return self.record_plainly(schemas()[name]["default"], (source, value, *args), {})
        inverse = View(overload_of(name), (None, *args), {})
        return self.apply(inverse, value)


def overload_of(name):
    return schemas()[name][{"transpose": "int", "squeeze": "dim"}.get(name, "default")]


# ── what undoes a view: the name of an operator, and its arguments after the value ───────────────────────────────
def undo_shape(base, place, self, *args, **kwargs):
    return "view", list(base.shape)


def undo_permute(base, place, self, dims):
    dims = [each % base.dim() for each in dims]
    return "permute", [dims.index(n) for n in range(len(dims))]


def undo_split(base, place, self, split_size, dim=0):
    sizes = split_size if isinstance(split_size, (tuple, list)) else [split_size] * -(-base.shape[dim] // split_size)
    start = sum(sizes[:place])
    return "slice_scatter", dim, start, min(start + sizes[place], base.shape[dim])


def undo_squeeze(base, place, self, dim=None):
    if isinstance(dim, int):
        return ("unsqueeze", dim) if base.shape[dim] == 1 else ("view", list(base.shape))
    return "view", list(base.shape)


def refuse_expanded(base, *args, **kwargs):
    raise RuntimeError("functionalize cannot write into an expanded tensor, of which several elements share memory")


INVERSES = {
    "expand": refuse_expanded,
    "view": undo_shape,
    "_unsafe_view": undo_shape,
    "select": lambda base, place, self, dim, index: ("select_scatter", dim, index),
    "slice": lambda base, place, self, dim=0, start=None, end=None, step=1: ("slice_scatter", dim, start, end, step)[: 4 + (step != 1)],
    "t": lambda base, place, self: ("t",),
    "transpose": lambda base, place, self, dim0, dim1: ("transpose", dim0, dim1),
    "permute": undo_permute,
    "unsqueeze": lambda base, place, self, dim: ("squeeze", dim),
    "squeeze": undo_squeeze,
    "alias": lambda base, place, self: ("alias",),
    "detach": lambda base, place, self: ("detach",),
    "diagonal": lambda base, place, self, offset=0, dim1=0, dim2=1: ("diagonal_scatter", offset, dim1, dim2)[: 4 if (dim1, dim2) != (0, 1) else 2 if offset else 1],
    "unbind": lambda base, place, self, dim=0: ("select_scatter", dim, place),
    "split": undo_split,
    "split_with_sizes": lambda base, place, self, split_sizes, dim=0: undo_split(base, place, self, split_sizes, dim),
}  # fmt: skip
"""View operator -> (base, place among its results, its arguments) -> what puts a new value of the view into the base."""
