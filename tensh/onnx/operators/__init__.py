"""ONNX's operators as PyTorch functions, in a file for each family, all in ``families``.

A function takes the inputs of a node by position and its attributes by name. If opsets differ (``axes`` as an attribute
or an input), both forms are accepted. A parameter ``outputs`` receives the number of outputs, if there are several.
"""
