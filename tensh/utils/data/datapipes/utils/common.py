"""Checks of the functions that steps call, files found by pipes, and streams that are closed when they are done with."""

import fnmatch
import functools
import importlib
import importlib.util
import inspect
import os
from inspect import CO_NESTED, Parameter
from io import IOBase

from tensh.engine.errors.warnings import warn

__all__ = [
    "StreamWrapper",
    "get_file_binaries_from_pathnames",
    "get_file_pathnames_from_root",
    "match_masks",
    "validate_input_col",
    "validate_pathname_binary_tuple",
]


@functools.cache
def find_dill():
    """Return the package dill, which pickles local functions, too; None if it is not installed."""
    return importlib.import_module("dill") if importlib.util.find_spec("dill") else None


# ── functions ────────────────────────────────────────────────────────────────
def validate_input_col(fn, input_col):
    """Raise ValueError if a function cannot take as many arguments as there are columns."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:  # a function of C
        return
    count = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    fn = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(fn, "__name__", repr(fn))
    named = [p for p in parameters if p.kind is Parameter.KEYWORD_ONLY and p.default is p.empty]
    if named:
        raise ValueError(
            f"The function {name} takes {len(named)} non-default keyword-only parameters, which is not allowed."
        )
    is_open = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    placed = [p for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    if len(parameters) < count and not is_open:
        raise ValueError(f"The function {name} takes {len(parameters)} parameters, but {count} are required.")
    is_short = len(parameters) >= count > len(placed) and not is_open
    if is_short or any(p.default is p.empty for p in placed[count:]):
        raise ValueError(f"The function {name} takes {len(placed)} positional parameters, but {count} are required.")


def _is_local_fn(fn):
    if hasattr(fn, "__code__"):
        return fn.__code__.co_flags & CO_NESTED
    return "<locals>" in getattr(fn, "__qualname__", type(fn).__qualname__)


def _check_unpickable_fn(fn):
    """Warn of a function that pickle refuses; TypeError if it is none."""
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")
    fn = fn.func if isinstance(fn, functools.partial) else fn
    kind = "Local" if _is_local_fn(fn) else "Lambda" if getattr(fn, "__name__", "") == "<lambda>" else None
    if kind and find_dill() is None:
        warn(
            f"{kind} function is not supported by pickle, please use regular python function or functools.partial instead."
        )


# ── files ────────────────────────────────────────────────────────────────────
def match_masks(name, masks):
    """Return True if a name fits a mask such as ``"*.txt"``, or one of several; an empty mask fits every name."""
    return not masks or any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def get_file_pathnames_from_root(root, masks, recursive=False, abspath=False, non_deterministic=False):
    """Yield the paths of files in a folder, sorted unless ``non_deterministic``; a file is its own only one."""

    def refuse(error):
        warn(f"{error.filename} : {error.strerror}")
        raise error

    if os.path.isfile(root):
        if match_masks(os.path.basename(root), masks):
            yield os.path.abspath(root) if abspath else root
        return
    for path, folders, files in os.walk(root, onerror=refuse):
        place = os.path.abspath(path) if abspath else path
        for name in files if non_deterministic else sorted(files):
            if match_masks(name, masks):
                yield os.path.join(place, name)
        if not recursive:
            return
        if not non_deterministic:
            folders.sort()  # os.walk goes on in this order


def get_file_binaries_from_pathnames(pathnames, mode, encoding=None):
    """Yield (path, open file) for each path; the mode ``"b"`` or ``"t"`` reads, too."""
    mode = f"r{mode}" if mode in ("b", "t") else mode
    for path in pathnames:
        if not isinstance(path, str):
            raise TypeError(f"Expected string type for pathname, but got {type(path)}")
        yield path, StreamWrapper(open(path, mode, encoding=encoding))  # noqa: SIM115 (the stream closes it)


def validate_pathname_binary_tuple(data):
    """Raise TypeError if ``data`` is not (path, open file)."""
    if not isinstance(data, tuple):
        raise TypeError(f"pathname binary data should be tuple type, but it is type {type(data)}")
    if len(data) != 2:
        raise TypeError(f"pathname binary stream tuple length should be 2, but got {len(data)}")
    path, stream = data
    if not isinstance(path, str):
        raise TypeError(f"pathname within the tuple should have string type pathname, but it is type {type(path)}")
    if not isinstance(stream, (IOBase, StreamWrapper)):
        raise TypeError(
            f"binary stream within the tuple should have IOBase orits subclasses as type, but it is type {type(stream)}"
        )


class StreamWrapper:
    """An open file that closes itself when nothing refers to it, and its archive with the last file read from it.

    >>> import io
    >>> from tensh.utils.data.datapipes.utils.common import StreamWrapper
    >>> stream = StreamWrapper(io.StringIO("text"), name="a")
    >>> stream.read(), stream.close(), stream.closed
    ('text', None, True)
    """

    session_streams: dict = {}
    debug_unclosed_streams = False

    def __init__(self, file_obj, parent_stream=None, name=None):
        self.file_obj, self.parent_stream, self.name = file_obj, parent_stream, name
        self.child_counter, self.close_on_last_child, self.closed = 0, False, False
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Parent stream should be StreamWrapper, {type(parent_stream)} was given")
            parent_stream.child_counter += 1
        if StreamWrapper.debug_unclosed_streams:
            StreamWrapper.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v, depth=0):
        """Close the streams in a structure of lists, tuples and dictionaries, at most ten deep."""
        if depth > 10:
            return
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, (dict, list, tuple)):
            for each in v.values() if isinstance(v, dict) else v:
                cls.close_streams(each, depth + 1)

    def __getattr__(self, name):
        return getattr(self.__dict__["file_obj"], name)

    def close(self, *args, **kwargs):
        """Close the file; its archive, too, if that waits for its last file."""
        if self.closed:
            return
        StreamWrapper.session_streams.pop(self, None)
        parent = self.__dict__.get("parent_stream")
        if parent is not None:
            parent.child_counter -= 1
            if not parent.child_counter and parent.close_on_last_child:
                parent.close()
        close = getattr(self.file_obj, "close", None)
        if close is not None:
            close(*args, **kwargs)
        self.closed = True

    def autoclose(self):
        """Close the file when the last stream read from it is closed."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self):
        return list({*self.__dict__, *StreamWrapper.__dict__, *dir(self.file_obj)})

    def __del__(self):
        if not self.closed:
            self.close()

    def __iter__(self):
        yield from self.file_obj

    def __next__(self):
        return next(self.file_obj)

    def __repr__(self):
        name = "" if self.name is None else f"{self.name},"
        return f"StreamWrapper<{name}{self.file_obj!r}>"

    def __getstate__(self):
        return self.file_obj

    def __setstate__(self, obj):
        self.file_obj = obj


# ── lengths ──────────────────────────────────────────────────────────────────
def length_of(pipe, source):
    """Return the length of what a step reads; TypeError in the step's name if that has none."""
    if hasattr(type(source), "__len__"):
        return len(source)
    raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")
