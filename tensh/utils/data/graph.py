"""The pipes that a pipe reads from, found by pickling it: they are the objects that its state refers to."""

import io
import pickle
from collections.abc import Collection

from tensh.engine.errors.warnings import warn
from tensh.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
from tensh.utils.data.datapipes.utils.common import find_dill

__all__ = ["traverse", "traverse_dps"]

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[DataPipe, "DataPipeGraph"]]
KEPT = (IterDataPipe, MapDataPipe, Collection)


def traverse_dps(datapipe):
    """Return {id of a pipe: (the pipe, such a dictionary of those that it reads from)}.

    Only attributes that are pipes or collections are searched. Raise RuntimeError for anything but a pipe.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> from tensh.utils.data.graph import traverse_dps
    >>> pipe = IterableWrapper(range(3)).batch(2)
    >>> [(each, list(below.values())) for each, below in traverse_dps(pipe).values()]
    [(BatcherIterDataPipe, [(IterableWrapperIterDataPipe, {})])]
    """
    return traverse_from(datapipe, True, set())


def traverse(datapipe, only_datapipe=None):
    """Return what ``traverse_dps`` returns; without ``only_datapipe`` all attributes are looked at.  Deprecated."""
    warn(
        "`traverse` function is deprecated and will be removed after 1.13. Please use `traverse_dps` instead."
        + " And, the behavior will be changed to the equivalent of `only_datapipe=True`." * (not only_datapipe),
        FutureWarning,
    )
    return traverse_from(datapipe, bool(only_datapipe), set())


def traverse_from(pipe, only_pipes, above):
    """Return the graph of a pipe; ``above`` are the numbers of those on the way to it, which are not entered again."""
    if not isinstance(pipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(pipe)} is found")
    if id(pipe) in above:
        return {}
    above = above | {id(pipe)}
    below = {}
    for each in list_connected(pipe, only_pipes, set(above)):
        below.update(traverse_from(each, only_pipes, above))
    return {id(pipe): (pipe, below)}


def list_connected(pipe, only_pipes, seen):
    """Return the pipes that are pickled with a pipe, without those that are pickled with them."""
    found = []

    def note(other):
        if other is pipe or id(other) in seen:
            raise NotImplementedError  # it is pickled as usual
        found.append(other)
        seen.add(id(other))
        return stand_in, ()

    kinds = (IterDataPipe, MapDataPipe)
    try:
        for kind in kinds:
            kind.set_reduce_ex_hook(note)
            if only_pipes:
                kind.set_getstate_hook(keep_pipes)
        try:
            pickle.Pickler(io.BytesIO()).dump(pipe)
        except (pickle.PickleError, AttributeError, TypeError):
            if find_dill() is None:
                raise
            find_dill().Pickler(io.BytesIO()).dump(pipe)
    finally:
        for kind in kinds:
            kind.set_reduce_ex_hook(None)
            if only_pipes:
                kind.set_getstate_hook(None)
    return found


def stand_in():
    """Return what a pipe is pickled as."""
    return "STUB"


def keep_pipes(state):
    """Return the part of a state in which pipes may be: pipes and collections."""
    if isinstance(state, dict):
        return {name: value for name, value in state.items() if isinstance(value, KEPT)}
    if isinstance(state, (tuple, list)):
        return [value for value in state if isinstance(value, KEPT)]
    return state if isinstance(state, KEPT) else None
