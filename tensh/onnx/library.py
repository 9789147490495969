"""The package onnx, imported on demand."""

import importlib


def require_onnx(what):
    """Return the package onnx; the ImportError explains how to install it."""
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ImportError(f"{what} needs the package onnx: pip install 'tensh[onnx]'") from None
