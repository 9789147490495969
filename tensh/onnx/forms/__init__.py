"""The ONNX forms of PyTorch's operators, a declaration each and a file for each family; ``families`` has them all.

``elementwise`` declares most as text. Elsewhere ``@form`` decorates a function of the builder ``o``, whose methods are ONNX's
operators, and ``@compose`` a program in other operators of PyTorch.
"""
