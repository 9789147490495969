"""The checks of ``trace``: of results, and of the traced program against the traced function."""

import copy

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.tracing.reading import TracerWarning


def as_arguments(examples):
    """Return examples as a tuple of arguments."""
    if isinstance(examples, (Tensor, dict)):
        return (examples,)
    return tuple(examples)


def require_tensors(result, strict):
    """Raise RuntimeError for results that a trace cannot have."""
    if result is None:
        raise RuntimeError(
            "The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
        )
    if isinstance(result, (dict, list)) and strict:
        kind = "dict" if isinstance(result, dict) else "list"
        text = (
            f"Encountering a {kind} at the output of the tracer might cause the trace to be incorrect, this is only valid if the "
            "container structure does not change based on the module's inputs. Consider using a constant container instead (e.g. for "
            "`list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the side "
            "effects, pass strict=False to trace() to allow this behavior."
        )
        if kind == "dict":
            raise RuntimeError(text)
        warn(text, TracerWarning)

    def are_tensors(value):
        if isinstance(value, dict):
            return all(map(are_tensors, value.values()))
        if isinstance(value, (tuple, list)):
            return all(map(are_tensors, value))
        return isinstance(value, Tensor)

    if not are_tensors(result):
        raise RuntimeError(
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"
        )


def check(made, function, args, kwargs, options):
    """Warn if the traced program and the function differ in their results on the examples or on ``check_inputs``."""
    if not options["check"]:
        return
    from tensh import no_grad
    from tensh.testing import assert_close

    for given in [args, *map(as_arguments, options["inputs"] or ())]:
        with no_grad():
            ours, expected = made(*clone(given), **clone(kwargs)), function(*clone(given), **clone(kwargs))
        for number, (a, b) in enumerate(zip(leaves(ours), leaves(expected)), 1):
            try:
                assert_close(a, b, rtol=options["tolerance"], atol=options["tolerance"], equal_nan=True)
            except AssertionError as error:
                warn(
                    f"Output nr {number}. of the traced function does not match the corresponding output of the Python function. "
                    f"Detailed error:\n{error}",
                    TracerWarning,
                )


def clone(value):
    """Clone the tensors in arguments, because a program may write into them."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: clone(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(*map(clone, value)) if hasattr(value, "_fields") else type(value)(map(clone, value))
    return value


def leaves(value):
    """Return the tensors in a result."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, (tuple, list)) else [value]


def separate(value, known):
    """Return examples in which no tensor is one of the module, or occurs twice: those are views, so that a trace tells them apart.

    ``known`` holds the numbers of tensors that have been met.
    """
    if isinstance(value, Tensor):
        if id(value) in known:
            return value.view(value.shape)
        known.add(id(value))
        return value
    if isinstance(value, (tuple, list)):
        parts = [separate(each, known) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        made = copy.copy(value)
        made.update({key: separate(each, known) for key, each in value.items()})
        return made
    return value
