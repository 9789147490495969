"""Operators on tensors without elements, of the device "meta".

An operator reads the facts of its operands (shape, dtype, memory, node) as ever; its kernel, which asks for elements, gets
``Absence``.  Then the same text runs again with another kernel, one that knows shapes and dtypes alone: see ``kernels``.
"""
