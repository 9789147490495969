"""The ONNX forms of PyTorch's operators, a declaration each: ``elementwise`` as text, other families as functions.

``table`` is where they are declared, ``composed`` what is written in other operators of PyTorch.
"""
