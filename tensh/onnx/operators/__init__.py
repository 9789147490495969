"""ONNX's operators as PyTorch functions, in a file for each family, all in ``families``.

A function takes the inputs of a node by position and its attributes by name. If opsets differ (``axes`` as an attribute
or an input), both forms are accepted. A parameter ``outputs`` receives the number of outputs, if there are several.
"""

from tensh.switched_off.private import _reshape_from_tensor as reshape_from_tensor_shape  # noqa: F401  names of PyTorch
from tensh.switched_off.private import _shape_as_tensor as shape_as_tensor  # noqa: F401
