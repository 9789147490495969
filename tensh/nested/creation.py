"""Creation of nested tensors: from lists, tensors, values and offsets, and by masks."""

import tensh as torch
from tensh.nested.core import Nested, make_own, nest
from tensh.nested.jagged import divide_evenly, join_ragged, narrow_ragged, select_by_mask, view_jagged
from tensh.nested.labels import label
from tensh.nested.strided import StridedForm, join

LISTS = "Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor"


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Make a nested tensor, a leaf, from copies of tensors of different sizes.

    ``tensor_list`` contains tensors with the same number of dimensions, or data for ``torch.tensor``.  With
    ``layout=torch.jagged`` one dimension may differ, with ``torch.strided`` (the default) any.  Raise RuntimeError for
    other lists.

    >>> import tensh as torch
    >>> torch.nested.nested_tensor([[1., 2.], [3., 4., 5.]])
    nested_tensor([
      tensor([1., 2.]),
      tensor([3., 4., 5.])
    ])
    >>> torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged).offsets()
    tensor([0, 2, 6])
    """
    if is_layout(layout, torch.jagged):
        with torch.no_grad():
            made = join_ragged([as_tensor(each) for each in tensor_list], dtype, device)
        return make_own(made).requires_grad_(requires_grad)
    require_strided(layout)
    if not isinstance(tensor_list, list):
        raise TypeError(LISTS)
    with torch.no_grad():
        made = join_parts([as_tensor(each) for each in tensor_list], dtype, device)
    return make_own(made).requires_grad_(requires_grad)


def as_nested_tensor(ts, dtype=None, device=None, layout=None):
    """Turn a tensor, or a list of tensors, into a nested tensor. Differentiable: gradients reach the tensors.

    The tensors of a list are copied; a tensor, as a batch of tensors of equal size, shares its memory if it is
    contiguous, and keeps its dtype.  Raise RuntimeError for a tensor of fewer than two dimensions.

    >>> import tensh as torch
    >>> a, b = torch.ones(2, requires_grad=True), torch.ones(3)
    >>> torch.nested.as_nested_tensor([a, b]).to_padded_tensor(0.).sum().backward()
    >>> a.grad
    tensor([1., 1.])
    """
    is_list = isinstance(ts, (list, tuple)) and all(isinstance(each, torch.Tensor) for each in ts)
    if not isinstance(ts, torch.Tensor) and not is_list:
        raise TypeError("as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors ")
    if not is_list and ts.dim() < 2:
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if isinstance(ts, Nested):
        if layout is None or not is_layout(layout, ts.layout):
            raise RuntimeError("as_nested_tensor(): Converting between nested tensor layouts is not supported")
        return ts.to(device=device, dtype=dtype)
    if is_layout(layout, torch.jagged):
        return join_ragged(list(ts), dtype, device) if is_list else divide_evenly(ts, dtype, device)
    require_strided(layout)
    if is_list:
        return join_parts(list(ts), dtype, device)
    buffer = ts.reshape(-1).to(device=device, dtype=dtype)
    return nest(label(buffer.view(-1), "NestedViewFromBufferBackward0"), StridedForm([each.shape for each in ts]))


def nested_tensor_from_jagged(values, offsets=None, lengths=None, jagged_dim=None, min_seqlen=None, max_seqlen=None):
    """Return ``values`` as a nested tensor in the layout torch.jagged, a view. Differentiable.

    ``offsets``, one more than there are tensors, are the start of each in the ragged dimension of ``values``;
    ``lengths`` are their lengths. Give one of them, or both if there are holes.  ``jagged_dim`` is that dimension in
    the result, 1 by default; ``min_seqlen`` and ``max_seqlen`` are the smallest and largest length, if known.

    >>> import tensh as torch
    >>> x = torch.nested.nested_tensor_from_jagged(torch.arange(5.), torch.tensor([0, 2, 5]))
    >>> x.unbind()
    (tensor([0., 1.]), tensor([2., 3., 4.]))
    """
    if offsets is None:
        if lengths is None:
            raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
        offsets, lengths = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)), None
    return view_jagged(values, offsets, lengths, 1 if jagged_dim is None else jagged_dim, min_seqlen, max_seqlen)


def narrow(tensor, dim, start, length, layout=torch.strided):
    """Return part of a dimension, in the layout torch.jagged another part for each entry. Differentiable.

    With ``layout=torch.jagged``, ``dim`` is 1, ``start`` and ``length`` are numbers or tensors with one element for
    each entry, and the result is a view.  With ``torch.strided`` both are numbers, and ``dim`` is 0.

    >>> import tensh as torch
    >>> t = torch.arange(8).reshape(2, 4)
    >>> torch.nested.narrow(t, 1, torch.tensor([0, 1]), torch.tensor([2, 3]), layout=torch.jagged).unbind()
    (tensor([0, 1]), tensor([5, 6, 7]))
    """
    for name, value in (("start", start), ("length", length)):
        if not isinstance(value, (int, torch.Tensor)):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if is_layout(layout, torch.jagged):
        if dim != 1:
            raise RuntimeError("jagged layout only supports dim=1")
        return narrow_ragged(tensor, start, length)
    if not is_layout(layout, torch.strided):
        raise RuntimeError(f"Specified layout is unsupported for nested narrow: {layout}")
    if isinstance(start, torch.Tensor) or isinstance(length, torch.Tensor):
        raise RuntimeError("start and length must be integers for the strided layout NT impl")
    return as_nested_tensor(torch.unbind(tensor), layout=torch.strided).narrow(dim, start, length)


def masked_select(tensor, mask):
    """Return the elements of each row that a mask selects, in the layout torch.jagged. Differentiable.

    ``mask`` has bools and broadcasts to the shape of ``tensor``.

    >>> import tensh as torch
    >>> torch.nested.masked_select(torch.arange(4).reshape(2, 2), torch.tensor([[True, True], [False, True]])).unbind()
    (tensor([0, 1]), tensor([3]))
    """
    if tensor.layout != torch.strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}")
    if mask.layout != torch.strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided mask, given: {mask.layout}")
    return select_by_mask(tensor, mask)


def to_padded_tensor(input, padding, output_size=None, out=None):
    """Return a nested tensor as an ordinary one, with shorter tensors padded by ``padding``. Differentiable.

    ``output_size`` is the size of the result, by default the smallest possible.  Raise RuntimeError if it is too small.

    >>> import tensh as torch
    >>> torch.nested.to_padded_tensor(torch.nested.nested_tensor([[1, 2], [3]]), 0)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(input, Nested):
        raise NotImplementedError("Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend.")
    if out is not None:
        raise TypeError("nested_to_padded_tensor() got an unexpected keyword argument 'out'")
    return input.rules["to_padded_tensor"](None, input, padding, output_size)


# ── shared functions ─────────────────────────────────────────────────────────
def is_layout(given, layout):
    return layout is (torch.strided if given is None else given)


def require_strided(layout):
    if not is_layout(layout, torch.strided):
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")


def as_tensor(value):
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)


def join_parts(tensors, dtype, device):
    """Make a nested tensor in the layout torch.strided from copies of tensors with the same number of dimensions."""
    for number, each in enumerate(tensors):
        if each.dim() != tensors[0].dim():
            raise RuntimeError(
                f"All Tensors given to nested_tensor must have the same dimension. Found dimension {each.dim()} for Tensor at "
                f"index {number} and dimension {tensors[0].dim()} for Tensor at index 0."
            )
    kind = dtype or (tensors[0].dtype if tensors else None)
    return join([each.to(device=device, dtype=kind) for each in tensors], "NestedTensorFromTensorListBackward0")
