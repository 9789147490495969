"""Dispatch below autograd: ``__torch_dispatch__`` of classes and modes, in terms of PyTorch's ``aten`` operators."""
