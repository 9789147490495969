"""Public functions that PyTorch composes of ``aten`` operators, a module for each family; ``table`` and ``wrappers`` list them."""
