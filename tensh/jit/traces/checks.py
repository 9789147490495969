"""The checks of ``trace``: of results, and of the traced program against the traced function."""

import copy
import operator

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.jit.traces.types import infer_type, require_traceable
from tensh.tracing.reading import TracerWarning
from tensh.tracing.sizes.numbers import plain_number

DRAWING = frozenset(
    "_fused_dropout _standard_gamma bernoulli bernoulli_ multinomial native_dropout normal normal_ poisson rrelu rrelu_with_noise rand "
    "rand_like randint randint_like randn randn_like randperm".split()
)
"""Operators that draw random numbers."""
MOST_LINES = 20  # lines that a warning of random numbers shows


def as_arguments(examples):
    """Return examples as a tuple of arguments.  Raise RuntimeError for examples that a trace cannot have."""
    args = (examples,) if isinstance(examples, (Tensor, dict)) else tuple(examples)
    require_traceable(args)
    return args


def as_tensors(result, kinds=(int, float)):
    """Return a result with numbers as tensors, which are those of ``kinds``; the result itself if it has none."""
    if type(result) in kinds:
        return torch.tensor(plain_number(result))
    if isinstance(result, dict):
        parts = {key: as_tensors(each, kinds) for key, each in result.items()}
        return result if all(parts[key] is result[key] for key in parts) else parts
    if isinstance(result, (tuple, list)):
        parts = [as_tensors(each, kinds) for each in result]
        if all(map(operator.is_, parts, result)):
            return result
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def without_names(result):
    """Return a result with plain tuples in place of named ones, as traces give them; the result itself if it has none."""
    if isinstance(result, dict):
        parts = {key: without_names(each) for key, each in result.items()}
        return result if all(parts[key] is result[key] for key in parts) else parts
    if isinstance(result, (tuple, list)):
        parts = [without_names(each) for each in result]
        if hasattr(result, "_fields"):
            return tuple(parts)
        return result if all(map(operator.is_, parts, result)) else type(result)(parts)
    return result


def require_tensors(result, strict):
    """Raise RuntimeError for results that a trace cannot have."""
    if result is None:
        raise RuntimeError(
            "The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
        )
    infer_type(result)
    if strict:
        refuse_containers(result)

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


def refuse_containers(result):
    """Raise RuntimeError for a dictionary in a result, warn of a list."""
    for each in result if isinstance(result, tuple) else ():
        refuse_containers(each)
    if isinstance(result, (dict, list)):
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


def check(made, function, examples, kwargs, options, repeat):
    """Warn if the traced program and the function differ in their results on the arguments of one of the examples.

    ``repeat(args, kwargs)`` traces the function again.
    """
    if not options["check"]:
        return
    from tensh import no_grad

    for given in examples:
        repeated = repeat(clone(given), clone(kwargs))
        with no_grad():
            ours, expected = made(*clone(given), **clone(kwargs)), function(*clone(given), **clone(kwargs))
            if compare(made, ours, expected, "Python function", options):
                compare(made, ours, repeated(*clone(given), **clone(kwargs)), "repeated trace", options)


def compare(made, ours, expected, what, options):
    """Warn of results that differ; return True if none does.

    A tensor within a list or a dictionary is not compared, as in PyTorch.
    """
    from tensh.testing import assert_close

    equal = True
    for number, (a, b) in enumerate(zip(tensors(ours), tensors(expected)), 1):
        try:
            dtype = torch.complex128 if a.is_complex() or b.is_complex() else torch.float64
            assert_close(a.to(dtype), b.to(dtype), rtol=options["tolerance"], atol=options["tolerance"], equal_nan=True)
        except AssertionError as error:
            if equal:
                warn_of_drawing(made)
            equal = False
            warn(
                f"Output nr {number}. of the traced function does not match the corresponding output of the {what}. "
                f"Detailed error:\n{error}",
                TracerWarning,
            )
    return equal


def warn_of_drawing(made):
    """Warn if a traced program draws random numbers in separate lines."""
    lines = [str(each) for each in made.graph.nodes() if draws(each)]
    if lines:
        shown = "\n".join(f"\t{each.strip()}" for each in lines[:MOST_LINES])
        warn(
            f"Trace had nondeterministic nodes. Did you forget call .eval() on your model? Nodes:\n{shown}\nThis may cause errors in "
            "trace checking. To disable trace checking, pass check_trace=False to torch.jit.trace()",
            TracerWarning,
        )


def draws(line):
    """Return True for a line that draws random numbers."""
    space, _, name = line.kind().partition("::")
    if name.startswith("dropout"):
        return line.inputsAt(2).toIValue() is not False
    return space == "aten" and name in DRAWING


def clone(value):
    """Clone the tensors in arguments, because a program may write into them."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: clone(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(*map(clone, value)) if hasattr(value, "_fields") else type(value)(map(clone, value))
    return value


def tensors(result):
    """Return the tensors among several results, or the only result, if that is one."""
    return [each for each in (result if isinstance(result, tuple) else (result,)) if isinstance(each, Tensor)]


def separate(value, known):
    """Return examples in which tensors of the module, and repeated ones, are views, so that a trace tells them apart.

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
