"""Copying and pickling of jagged nested tensors, and conversions for NumPy and Python."""

import copy

from tensh.nested.core import elements_of, nest
from tensh.nested.jagged.form import JaggedForm


def rebuild(values, offsets, lengths, ragged, seqlens, requires_grad):
    """Rebuild a nested tensor from a pickle."""
    return nest(values.requires_grad_(requires_grad), JaggedForm(offsets, lengths, ragged, seqlens))


def reduce_for_pickle(func, input, protocol):
    """Reduce a nested tensor for a pickle: the values and the form."""
    form, values = input._form, elements_of(input).detach()
    return rebuild, (values, form.offsets, form.lengths, form.ragged, form.seqlens, input.requires_grad)


def copy_deeply(func, input, memo):
    """Copy a leaf with its form.  Raise RuntimeError for a tensor with history."""
    if id(input) not in memo:
        if not input.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
                "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
                "https://github.com/pytorch/pytorch/pull/103001"
            )
        values = copy.deepcopy(elements_of(input).detach(), memo)
        memo[id(input)] = nest(values.requires_grad_(input.requires_grad), input._form)
    return memo[id(input)]


def refuse_numpy(func, input, *args, **kwargs):
    raise RuntimeError(".numpy() is not supported for tensor subclasses.")


def refuse_list(func, input):
    raise RuntimeError(".tolist() is not supported for tensor subclasses, got NestedTensor")


STORING = {
    "__deepcopy__": copy_deeply,
    "__reduce_ex__": reduce_for_pickle,
    "numpy": refuse_numpy,
    "tolist": refuse_list,
}
