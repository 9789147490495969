"""Forms of operators that join tensors, or broadcast them to each other."""

import tensh as torch
from tensh.onnx.builder import broadcast_shapes
from tensh.onnx.forms.table import along, compose, form


@form("cat concat concatenate")
def cat(o, node, tensors, dim=0):
    tensors = [
        each for each in tensors if not (each.example is not None and each.rank == 1 and each.shape == (0,))
    ] or tensors[:1]
    return o.Concat(*(o.cast(each, node.meta["val"].dtype) for each in tensors), axis=dim)


@form("stack")
def stack(o, node, tensors, dim=0):
    wanted = node.meta["val"].dtype
    return o.Concat(*(o.Unsqueeze(o.cast(each, wanted), [dim]) for each in tensors), axis=dim)


@compose("hstack")
def hstack(tensors):
    tensors = [each.reshape(1) if not each.dim() else each for each in tensors]
    return torch.cat(tensors, 0 if tensors[0].dim() == 1 else 1)


@compose("vstack row_stack")
def vstack(tensors):
    return torch.cat([each.reshape(1, -1) if each.dim() < 2 else each for each in tensors], 0)


@compose("dstack")
def dstack(tensors):
    return torch.cat(
        [
            each.reshape(1, -1, 1) if each.dim() < 2 else each.unsqueeze(-1) if each.dim() == 2 else each
            for each in tensors
        ],
        2,
    )


@compose("column_stack")
def column_stack(tensors):
    return torch.cat([each.reshape(-1, 1) if each.dim() < 2 else each for each in tensors], 1)


def list_tensors(args, tensors):
    """Return the tensors of a call, given one by one or as a list."""
    tensors = args if tensors is None else tensors
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


def one_or_more(tensors, function):
    """Apply a function to one tensor, or to each of several."""
    return function(tensors) if isinstance(tensors, torch.Tensor) else tuple(map(function, tensors))


@compose("atleast_1d")
def atleast_1d(*args, tensors=None):
    tensors = args if tensors is None else tensors
    return one_or_more(
        tensors[0] if len(tensors) == 1 else tensors, lambda each: each.reshape(1) if not each.dim() else each.clone()
    )


@compose("atleast_2d")
def atleast_2d(*args, tensors=None):
    tensors = args if tensors is None else tensors
    return one_or_more(
        tensors[0] if len(tensors) == 1 else tensors,
        lambda each: each.reshape(1, -1) if each.dim() < 2 else each.clone(),
    )


@compose("atleast_3d")
def atleast_3d(*args, tensors=None):
    tensors = args if tensors is None else tensors

    def widen(each):
        return each.reshape(1, -1, 1) if each.dim() < 2 else each.unsqueeze(-1) if each.dim() == 2 else each.clone()

    return one_or_more(tensors[0] if len(tensors) == 1 else tensors, widen)


@compose("meshgrid")
def meshgrid(*args, tensors=None, indexing="ij"):
    tensors = list_tensors(args, tensors)
    shape = [each.numel() for each in tensors]
    made = []
    for place, each in enumerate(tensors):
        made.append(each.reshape(along(place, len(tensors))).expand(shape))
    return tuple(each.transpose(0, 1) for each in made) if indexing == "xy" and len(made) > 1 else tuple(made)


@compose("broadcast_tensors")
def broadcast_tensors(*args, tensors=None):
    tensors = list_tensors(args, tensors)
    shape = broadcast_shapes(*(each.shape for each in tensors))
    return tuple(each.expand(shape) for each in tensors)


@compose("cartesian_prod")
def cartesian_prod(*args, tensors=None):
    tensors = list_tensors(args, tensors)
    if len(tensors) == 1:
        return tensors[0].clone()
    return torch.stack([each.reshape(-1) for each in torch.meshgrid(*tensors, indexing="ij")], -1)


@compose("block_diag")
def block_diag(*args, tensors=None):
    tensors = list_tensors(args, tensors)
    blocks = [each.reshape(1, -1) if each.dim() < 2 else each for each in tensors]
    width, left, rows = sum(each.shape[1] for each in blocks), 0, []
    for each in blocks:
        rows.append(torch.nn.functional.pad(each, (left, width - left - each.shape[1])))
        left += each.shape[1]
    return torch.cat(rows, 0)
