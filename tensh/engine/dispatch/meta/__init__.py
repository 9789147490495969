"""Operators on meta tensors, which have no elements.

An operator reads the metadata of its operands (shape, dtype, memory, node) as usual; its kernel, which needs elements,
raises ``Absence``.  Then the same generated text runs with another kernel, which computes only shapes and dtypes: see
``kernels``.
"""
