"""Copying and pickling of strided nested tensors."""

from tensh.nested.core import elements_of, nest
from tensh.nested.strided.form import StridedForm, StridedNested


def refuse_deepcopy(func, input, memo):
    """Raise PyTorch's error, because ``deepcopy`` works only for ordinary tensors."""
    raise StridedNested.lacks("new_empty", (input, [1]), {})


def rebuild(buffer, sizes, strides, offsets, requires_grad):
    """Rebuild a nested tensor from a pickle."""
    return nest(buffer.requires_grad_(requires_grad), StridedForm(sizes, strides, offsets))


def reduce_for_pickle(func, input, protocol):
    """Reduce a nested tensor for a pickle: the buffer and the layout of the tensors."""
    form = input._form
    return rebuild, (elements_of(input).detach().view(-1), form.sizes, form.strides, form.offsets, input.requires_grad)


STORING = {"__deepcopy__": refuse_deepcopy, "__reduce_ex__": reduce_for_pickle}
