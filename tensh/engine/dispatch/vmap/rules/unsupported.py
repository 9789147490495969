"""Operators that raise for batches whose samples differ, because shape or control flow varies between them."""

from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor
from tensh.engine.dispatch.vmap.equal_samples import take_sample
from tensh.engine.dispatch.vmap.loop import call_by_samples


def make_refusal(message):
    """Return a rule that calls the function with samples that are equal, and raises for others."""

    def rule(fn, args, options):
        return fn(
            *[take_sample(each, message) for each in args],
            **{name: take_sample(each, message) for name, each in options.items()},
        )

    return rule


def masked_select(op):
    """Make the rule of ``masked_select``; a mask that is the same for all samples selects from each."""

    def rule(input, mask):
        mask = take_sample(mask, errors.MASKED_SELECT)
        if type(input) is not BatchedTensor:
            return op.fn(input, mask)
        return call_by_samples(op.fn, (input, mask), {})

    return rule


def dynamic(name):
    """Make the rule of operators whose number of results depends on the data."""
    return make_refusal(errors.DYNAMIC.format(name))


def dynamic_operator(name):
    """Make the rule of such an operator of one tensor, which has no derivative."""

    def make(op):
        def rule(input, *args, **options):
            take_sample(input, errors.DYNAMIC.format(name))
            return call_by_samples(op.fn, (input, *args), options)

        return rule

    return make


OPERATORS = {
    "masked_select": masked_select,
    "unique_elements": dynamic_operator("_unique2"),
    "unique_slices": dynamic_operator("unique_dim"),
    "unique_runs": dynamic_operator("unique_consecutive"),
}
FUNCTIONS = {
    "nonzero": dynamic("nonzero"),
    "where": dynamic("where"),
    "allclose": make_refusal(
        "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if "
        "you need this feature."
    ),
    "rrelu_": make_refusal("vmap: we do not yet support aten::rrelu_. Please file an issue"),
    "equal": make_refusal("Batching rule not implemented for aten::equal. We could not generate a fallback."),
}
