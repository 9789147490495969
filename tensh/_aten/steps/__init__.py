"""Public functions that PyTorch composes of ``aten`` operators: a module a family; ``table`` and ``wrappers`` list all."""
