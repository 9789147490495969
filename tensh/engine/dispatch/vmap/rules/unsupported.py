"""Operators that raise for batches, because shape or control flow varies between samples."""

from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor
from tensh.engine.dispatch.vmap.loop import call_by_samples


def make_refusal(message):
    """Return a maker of rules that raise."""

    def rule(*args, **options):
        raise RuntimeError(message)

    return rule


def masked_select(op):
    """Make the rule of ``masked_select``; a mask that is the same for all samples selects from each."""

    def rule(input, mask):
        if type(mask) is BatchedTensor:
            raise RuntimeError(errors.MASKED_SELECT)
        return call_by_samples(op.fn, (input, mask), {})

    return rule


def dynamic(name):
    """Make the rule of operators whose number of results depends on the data."""
    return make_refusal(errors.DYNAMIC.format(name))


OPERATORS = {
    "masked_select": masked_select,
    "unique_elements": lambda op: dynamic("_unique2"),
    "unique_slices": lambda op: dynamic("unique_dim"),
    "unique_runs": lambda op: dynamic("unique_consecutive"),
}
FUNCTIONS = {
    "nonzero": dynamic("nonzero"),
    "argwhere": dynamic("nonzero"),
    "where": dynamic("where"),
    "allclose": make_refusal(
        "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if "
        "you need this feature."
    ),
    "equal": make_refusal("Batching rule not implemented for aten::equal. We could not generate a fallback."),
}
