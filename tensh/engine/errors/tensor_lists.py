"""PyTorch's errors for lists of tensors that belong together element by element, as in clipping and in optimizers."""

from tensh.engine.core.tensor import Tensor

TAKES = (
    "_group_tensors_by_device_and_dtype(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (arg0: collections.abc.Sequence[collections.abc.Sequence[torch.Tensor | None]], arg1: bool) -> "
    "dict[tuple[torch.device, torch.dtype], tuple[list[list[torch.Tensor | None]], list[int]]]\n\n"
)
IMPROVE = "  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
EQUAL = (
    "std::all_of( nested_tensorlist.cbegin(), nested_tensorlist.cend(), [&](const auto& tensorlist) -> bool "
    "{ return tensorlist.size() == num_tensors || tensorlist.size() == 0; })"
)


def require_tensor_lists(lists, flag=False):
    """Raise TypeError for elements that are no tensors, RuntimeError for None in the first list and for unequal lengths."""
    are_lists = isinstance(lists, (list, tuple)) and all(isinstance(each, (list, tuple)) for each in lists)
    if not are_lists or any(not isinstance(t, Tensor) and t is not None for each in lists for t in each):
        raise TypeError(f"{TAKES}Invoked with: {lists}, {flag}")
    for said, holds in (
        ("!nested_tensorlist.empty()", lists),
        ("!nested_tensorlist[0].empty()", lists and lists[0]),
        (EQUAL, lists and all(len(each) in (0, len(lists[0])) for each in lists)),
    ):
        if not holds:
            raise RuntimeError(f"Expected {said} to be true, but got false.{IMPROVE}")
    for place, t in enumerate(lists[0]):
        if t is None:
            raise RuntimeError(
                f"Tensors of the first list of nested Tensor lists are supposed to be defined but the {place}-th Tensor is not."
            )
