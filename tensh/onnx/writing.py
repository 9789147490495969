"""Models as ONNX files: alone, or with their weights in an external file."""

import contextlib
import os

from tensh.onnx.library import require_onnx
from tensh.support.replacing import replace_file

SMALL = 256  # maximum size of a tensor that stays in the model, in bytes
LARGEST = 2**31 - 2**20  # maximum size of a model in bytes: protocol buffers are limited to 2 GiB


def write_model(proto, destination, external_data):
    """Write a model to a file, or to a path, which is replaced when everything is written.

    With ``external_data`` its weights go to ``PATH.data``; None does so for a model that is too large for one file.
    Both files are replaced when both are written.
    """
    if hasattr(destination, "write"):
        destination.write(proto.SerializeToString())
        return
    path = os.fspath(destination)
    if external_data is None:
        external_data = sum(len(each.raw_data) for each in proto.graph.initializer) > LARGEST
    with contextlib.ExitStack() as files:
        if external_data:
            proto = write_weights(proto, path, files)
        files.enter_context(replace_file(path)).write(proto.SerializeToString())


def write_weights(proto, path, files):
    """Write the larger weights to a file next to ``path``, which ``files`` closes; return the model without them."""
    onnx, name = require_onnx("torch.onnx.export"), f"{os.path.basename(path)}.data"
    large = [each for each in proto.graph.initializer if len(each.raw_data) > SMALL]
    if not large:
        return proto
    model = onnx.ModelProto()
    model.CopyFrom(proto)
    offset = 0
    file = files.enter_context(replace_file(os.path.join(os.path.dirname(path), name)))
    for each in model.graph.initializer:
        if len(each.raw_data) <= SMALL:
            continue
        facts = {"location": name, "offset": offset, "length": len(each.raw_data)}
        offset += file.write(each.raw_data)
        each.ClearField("raw_data")
        each.data_location = onnx.TensorProto.EXTERNAL
        for key, value in facts.items():
            each.external_data.add(key=key, value=str(value))
    file.flush()  # a full disk must be noticed before the model is replaced
    return model
