"""Checks of an operator of the user's own: against its schema, its fake function and its derivative."""

import tensh as torch
from tensh._library.custom_ops import find_definition
from tensh._library.schema import bind_arguments
from tensh.engine.core.tensor import Tensor
from tensh.func.trees import leaves_of, map_leaves


class OpCheckError(Exception):
    """Error of ``opcheck``: an operator differs from its declaration."""


TESTS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def opcheck(op, args, kwargs=None, *, test_utils=TESTS, raise_exception=True, atol=None, rtol=None):
    """Hold an operator against its schema, its fake function and its derivative, for one call; (name of a test -> result).

    >>> import tensh as torch
    >>> @torch.library.custom_op("checked::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 2
    >>> fake = twice.register_fake(torch.empty_like)
    >>> torch.library.opcheck(twice, (torch.ones(2),), test_utils="test_faketensor")
    {'test_faketensor': 'SUCCESS'}
    """
    definition, kwargs = find_definition(op), kwargs or {}
    results = {}
    for name in (test_utils,) if isinstance(test_utils, str) else test_utils:
        try:
            CHECKS[name](definition, args, kwargs)
            results[name] = "SUCCESS"
        except Exception as failure:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {failure} (scroll up for stack trace)"
                ) from failure
            results[name] = failure
    return results


def check_schema(definition, args, kwargs):
    """Raise if an argument is written that the schema does not name."""
    values = bind_arguments(definition._qualname, definition._schema, definition._parameters, args, kwargs)
    copies = map_leaves(lambda t: t.detach().clone() if isinstance(t, Tensor) else t, list(values))
    definition.compute(copies)
    for place, (before, after) in enumerate(zip(values, copies)):
        for one, two in zip(leaves_of(before), leaves_of(after)):
            if place not in definition._written and isinstance(one, Tensor) and not torch.equal(one, two):
                raise RuntimeError(
                    f"Argument {definition._parameters[place].name} is not defined as mutable but was mutated"
                )


def check_derivative(definition, args, kwargs):
    """Raise if a tensor requires grad and the result cannot be differentiated."""
    result = [t for t in leaves_of(definition(*args, **kwargs)) if isinstance(t, Tensor) and t.requires_grad]
    leaves = [t for t in leaves_of([list(args), kwargs]) if isinstance(t, Tensor) and t.requires_grad]
    if result and definition._backward is not None:
        torch.autograd.grad([t.sum() for t in result], leaves, allow_unused=True)


def check_fake(definition, args, kwargs):
    """Raise if the fake function gives another shape or dtype than the function."""
    real = leaves_of(definition(*args, **kwargs))
    to_meta = lambda t: torch.empty_like(t, device="meta") if isinstance(t, Tensor) else t  # noqa: E731
    fake = leaves_of(definition(*map_leaves(to_meta, list(args)), **map_leaves(to_meta, dict(kwargs))))
    for one, two in zip(real, fake):
        if isinstance(one, Tensor) and (one.shape != two.shape or one.dtype != two.dtype):
            raise RuntimeError(
                f"The fake function gives {list(two.shape)} {two.dtype} where the function gives {list(one.shape)} {one.dtype}"
            )


CHECKS = dict(zip(TESTS, (check_schema, check_derivative, check_fake, check_derivative)))
