"""ONNX's operators in functions of PyTorch, a file for each family; ``families`` has them all.

A function takes the inputs of a node by position and its attributes by name. What opsets say in different ways (``axes`` as an
attribute or an input) is taken in both. One that takes ``outputs`` is told how many outputs are asked for, where that is more than one.
"""
