"""Weights of ONNX files: their bytes are checked against their shapes before an array is made."""

import math
import os

import numpy as np

import tensh as torch
from tensh.onnx.builder import TYPES
from tensh.onnx.errors import OnnxError
from tensh.onnx.library import require_onnx

LARGEST = 2**31  # maximum size of a protobuf file, in bytes
PACKED = {"INT4": "int8", "UINT4": "uint8"}
"""Type with two numbers in a byte -> the dtype that they are read as."""
FIELDS = {
    "float32": "float_data", "float64": "double_data", "int64": "int64_data", "complex64": "float_data",
    "complex128": "double_data", "uint32": "uint64_data", "uint64": "uint64_data",
}  # fmt: skip
"""Dtype -> the field of its numbers; those of others are in ``int32_data``."""


def find_type(proto, name):
    """Return (the dtype of a tensor, the numbers in a byte or 1).  Raise OnnxError for a type that tensh lacks."""
    kind = next((each for each, number in TYPES.items() if number == proto.data_type), None)
    if kind is not None:
        return kind, 1
    kinds = require_onnx("a file of ONNX").TensorProto.DataType.items()
    word = next((each for each, number in kinds if number == proto.data_type), str(proto.data_type))
    if word not in PACKED:
        raise OnnxError(f"{name} has the type {word}, which tensh does not support")
    return PACKED[word], 2


def read_tensor(proto, folder=None):
    """Read a tensor from a file.  Raise OnnxError if its bytes do not match its shape."""
    onnx = require_onnx("a file of ONNX")
    dims, name = list(proto.dims), proto.name or "a constant"
    if any(dim < 0 for dim in dims) or math.prod(dims) > LARGEST:
        raise OnnxError(f"{name} has the shape {dims}, which no array can have")
    kind, packed = find_type(proto, name)
    wanted = -(-math.prod(dims) // packed)
    if proto.data_location == onnx.TensorProto.EXTERNAL:
        content = read_external(proto, folder, wanted * getattr(torch, kind).itemsize)
        if packed == 1:
            return torch.from_numpy(np.frombuffer(bytearray(content), getattr(torch, kind).numpy).reshape(dims))
        proto = onnx.TensorProto(name=name, dims=dims, data_type=proto.data_type, raw_data=content)
    itemsize = getattr(torch, kind).itemsize
    given = len(proto.raw_data) // itemsize if proto.HasField("raw_data") else count_fields(proto, kind)
    if given != wanted or proto.HasField("raw_data") and len(proto.raw_data) % itemsize:
        raise OnnxError(f"{name} of shape {dims} needs {wanted} numbers, but has {given}")
    try:
        array = onnx.numpy_helper.to_array(proto)
    except Exception as error:  # the package onnx checks nothing itself
        raise OnnxError(f"{name} cannot be read: {error}") from None
    return torch.from_numpy(np.array(array).astype(getattr(torch, kind).numpy))


def count_fields(proto, kind):
    """Count the elements in the fields of a tensor's type."""
    found = len(getattr(proto, FIELDS.get(kind, "int32_data")))
    return found // 2 if kind.startswith("complex") else found


def read_external(proto, folder, size):
    """Read the bytes of a tensor from an external file.  Raise OnnxError for a file elsewhere, or a place after its end."""
    facts = {each.key: each.value for each in proto.external_data}
    name, place = proto.name or "a constant", facts.get("location", "")
    if folder is None:
        raise OnnxError(f"{name} is stored in another file, {place!r}: load the model by its path")
    path = os.path.realpath(os.path.join(folder, place))
    if (
        os.path.isabs(place)
        or os.path.commonpath([path, os.path.realpath(folder)]) != os.path.realpath(folder)
        or not os.path.isfile(path)
    ):
        raise OnnxError(f"{name} is stored in {place!r}, which is not a file in the folder of the model")
    try:
        offset, length = int(facts.get("offset", 0)), int(facts.get("length", size))
    except ValueError:
        raise OnnxError(f"{name} has an invalid offset or length in {place!r}") from None
    if length != size or offset < 0 or offset + length > os.path.getsize(path):
        raise OnnxError(f"{name} of shape {list(proto.dims)} does not fit into {place!r}")
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)
