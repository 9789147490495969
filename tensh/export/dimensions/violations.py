"""Declarations of dimensions that do not fit the program, in PyTorch's words."""

from typing import NamedTuple

from tensh.tracing.sizes.declared import Unnamed
from tensh.tracing.sizes.dims import UserError


class Violation(NamedTuple):
    """The reason why a declared dimension does not fit the program, or a declaration that would."""

    name: str | None
    text: str | None
    fix: str | None


def make_error(violations):
    """Return the UserError that lists violations."""
    names = ", ".join(dict.fromkeys(sorted(each.name for each in violations if each.name)))
    lines = (f"  - {each.text}" for each in violations if each.text)
    fixes = [each.fix for each in violations if each.fix]
    suggested = ["Suggested fixes:", *(f"  {fix}" for fix in fixes)] if fixes else []
    head = f'Constraints violated ({names})! For more information, run with TORCH_LOGS="+dynamic".'
    return UserError("\n".join([head, *lines, *suggested]))


def describe_constant(name, dimension):
    """Return the violation of a dimension that cannot change."""
    label = dimension.source if isinstance(name, Unnamed) else name
    return Violation(
        label,
        f"You marked {label} as dynamic but your code specialized it to be a constant ({dimension.size}). If you're using mark_dynamic, "
        "either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO.",
        None if isinstance(name, Unnamed) else f"{name} = {dimension.size}",
    )


def require_changing(known):
    """Raise UserError for dimensions of size 0 or 1, which are taken for constants."""
    small = [describe_constant(name, places[0]) for name, places in known.items() if places[0].size < 2]
    if small:
        raise make_error(small)
