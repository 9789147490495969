"""The package onnx, which is imported when it is needed."""

import importlib


def require_onnx(what):
    """The package.  ImportError says how to get it."""
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ImportError(f"{what} needs the package onnx: pip install 'tensh[onnx]'") from None
