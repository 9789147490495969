"""The ONNX forms of PyTorch's operators: one declaration for each, in a file for each family, all in ``families``.

``elementwise`` declares most as text. Elsewhere ``@form`` decorates a function of the builder ``o``, whose methods are
ONNX's operators, and ``@compose`` a function that calls other operators of PyTorch.
"""
