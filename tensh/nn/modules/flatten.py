"""Merging and splitting of dimensions."""

from tensh.nn.modules.layer import Layer

__all__ = ["Flatten", "Unflatten"]


class Flatten(Layer, settings="start_dim=1, end_dim=-1", computes="input.flatten(start_dim, end_dim)",
              shows="start_dim end_dim"):  # fmt: skip
    """Merge the dimensions from start_dim to end_dim into one.

    Shapes: input [N, *], output [N, product of *] by default.

    >>> import tensh as torch
    >>> torch.nn.Flatten()(torch.ones(32, 1, 5, 5)).shape
    torch.Size([32, 25])
    """


class Unflatten(Layer, settings="dim, unflattened_size", computes="input.unflatten(dim, unflattened_size)",
                shows="dim unflattened_size"):  # fmt: skip
    """Split the dimension ``dim`` into several.

    Shapes: input [*, product of unflattened_size, *], output [*, *unflattened_size, *]; one size may be -1. Raise
    TypeError unless the sizes are a tuple or list of integers.

    >>> import tensh as torch
    >>> torch.nn.Unflatten(1, (2, 5, 5))(torch.ones(32, 50)).shape
    torch.Size([32, 2, 5, 5])
    """

    def _check(self):
        sizes = self.unflattened_size
        if not isinstance(sizes, tuple | list):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
        for place, size in enumerate(sizes):
            if not isinstance(size, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} at pos {place}"
                )
