"""Backward passes below autograd: derivatives as calls of ``aten`` operators."""
