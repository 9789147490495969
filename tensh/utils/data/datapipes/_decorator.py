"""Decorators of pipes and of their methods."""

import functools
import inspect
from typing import get_type_hints

from tensh.utils.data.datapipes._typing import _DataPipeMeta
from tensh.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:
    """Make a class of pipes a method ``name`` of pipes: ``Doubler(pipe)`` is ``pipe.doubled()``.

    ``enable_df_api_tracing`` changes nothing.  Raise TypeError for anything but a class of pipes.

    >>> from tensh.utils.data import IterDataPipe, functional_datapipe
    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> @functional_datapipe("doubled")
    ... class Doubler(IterDataPipe):
    ...     def __init__(self, datapipe):
    ...         self.datapipe = datapipe
    ...     def __iter__(self):
    ...         yield from (2 * x for x in self.datapipe)
    >>> list(IterableWrapper([1, 2]).doubled())
    [2, 4]
    """

    def __init__(self, name, enable_df_api_tracing=False):
        self.name, self.enable_df_api_tracing = name, enable_df_api_tracing

    def __call__(self, cls):
        if not isinstance(cls, type):  # a class after ``non_deterministic``
            if not isinstance(cls, non_deterministic) and not isinstance(
                getattr(cls, "__self__", None), non_deterministic
            ):
                raise TypeError("`functional_datapipe` can only decorate IterDataPipe")
            IterDataPipe.register_datapipe_as_function(self.name, cls, self.enable_df_api_tracing)
        elif issubclass(cls, IterDataPipe):
            IterDataPipe.register_datapipe_as_function(self.name, cls, self.enable_df_api_tracing)
        elif issubclass(cls, MapDataPipe):
            MapDataPipe.register_datapipe_as_function(self.name, cls)
        return cls


# ── determinism ──────────────────────────────────────────────────────────────
class Switch:
    """A setting that an object of a subclass changes, until the end of its ``with`` statement."""

    def __init__(self):
        self.prev = type(self).is_on
        type(self).is_on = True

    def __enter__(self):
        pass

    def __exit__(self, *failure):
        type(self).is_on = self.prev


class guaranteed_datapipes_determinism(Switch):
    """Refuse pipes that are marked as ``non_deterministic`` from now on.

    >>> from tensh.utils.data import IterDataPipe, guaranteed_datapipes_determinism, non_deterministic
    >>> @non_deterministic(lambda seed: seed is None)
    ... class Noise(IterDataPipe):
    ...     def __init__(self, seed):
    ...         self.seed = seed
    >>> with guaranteed_datapipes_determinism():
    ...     Noise(3).seed
    3
    """

    is_on = False


class non_deterministic:
    """Mark a class of pipes as one that gives other samples each time.

    ``arg`` is the class, or a function of the arguments of a pipe that returns True if it will. TypeError for others.

    >>> from tensh.utils.data import IterDataPipe, guaranteed_datapipes_determinism, non_deterministic
    >>> @non_deterministic
    ... class Noise(IterDataPipe):
    ...     pass
    >>> with guaranteed_datapipes_determinism():
    ...     Noise()
    Traceback (most recent call last):
    TypeError: Noise is non-deterministic, but you set 'guaranteed_datapipes_determinism'. You can turn off determinism for this DataPipe if that is acceptable for your application
    """

    cls = None

    def __init__(self, arg):
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(
                    f"Only `IterDataPipe` can be decorated with `non_deterministic`, but {arg.__name__} is found"
                )
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args, **kwargs):
        if self.cls is not None:
            self.refuse(guaranteed_datapipes_determinism.is_on, "")
            return self.cls(*args, **kwargs)
        if not (isinstance(args[0], type) and issubclass(args[0], IterDataPipe)):
            raise TypeError(f"Only `IterDataPipe` can be decorated, but {args[0].__name__} is found")
        self.cls = args[0]
        return self.deterministic_wrapper_fn

    def deterministic_wrapper_fn(self, *args, **kwargs):
        """Make the pipe, unless its arguments make it change and that is forbidden."""
        found = self.deterministic_fn(*args, **kwargs)
        if not isinstance(found, bool):
            raise TypeError(
                "deterministic_fn of `non_deterministic` decorator is required "
                f"to return a boolean value, but {type(found)} is found"
            )
        self.refuse(found and guaranteed_datapipes_determinism.is_on, " with the inputs")
        return self.cls(*args, **kwargs)

    def refuse(self, is_wrong, cause):
        """Raise TypeError if the pipe is one that must not be made."""
        if is_wrong:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic{cause}, but you set 'guaranteed_datapipes_determinism'. "
                "You can turn off determinism for this DataPipe if that is acceptable for your application"
            )


# ── types ────────────────────────────────────────────────────────────────────
def argument_validation(f):
    """Make a function ``f`` check the arguments that are annotated as pipes: TypeError for other values.

    >>> from tensh.utils.data import IterDataPipe, argument_validation
    >>> @argument_validation
    ... def length(pipe: IterDataPipe):
    ...     return len(pipe)
    >>> length([1])
    Traceback (most recent call last):
    TypeError: Expected argument 'pipe' as a IterDataPipe, but found <class 'list'>
    """
    signature, hints = inspect.signature(f), get_type_hints(f)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            hint = hints.get(name)
            if isinstance(hint, _DataPipeMeta):
                if not isinstance(value, IterDataPipe):
                    raise TypeError(f"Expected argument '{name}' as a IterDataPipe, but found {type(value)}")
                if not value.type.issubtype(hint.type):
                    raise TypeError(
                        f"Expected type of argument '{name}' as a subtype of hint {hint.type}, but found {value.type}"
                    )
        return f(*args, **kwargs)

    return wrapper


class runtime_validation_disabled(Switch):
    """Switch off the checks of ``runtime_validation`` from now on.

    >>> from tensh.utils.data import IterDataPipe, runtime_validation, runtime_validation_disabled
    >>> class Three(IterDataPipe):
    ...     @runtime_validation
    ...     def __iter__(self):
    ...         yield 3
    >>> with runtime_validation_disabled():
    ...     list(Three())
    [3]
    """

    is_on = False


def runtime_validation(f):
    """Make ``f``, the ``__iter__`` of a class of pipes that have a ``type``, check samples: RuntimeError for others.

    TypeError for another method.

    >>> from tensh.utils.data import runtime_validation
    >>> runtime_validation(print)
    Traceback (most recent call last):
    TypeError: Can not decorate function print with 'runtime_validation'
    """
    if f.__name__ != "__iter__":
        raise TypeError(f"Can not decorate function {f.__name__} with 'runtime_validation'")

    @functools.wraps(f)
    def wrapper(self):
        for sample in f(self):
            if not runtime_validation_disabled.is_on and not self.type.issubtype_of_instance(sample):
                raise RuntimeError(
                    f"Expected an instance as subtype of {self.type}, but found {sample}({type(sample)})"
                )
            yield sample

    return wrapper
