"""Values as the protocol buffers that TensorBoard reads: numbers, tensors, histograms, text, curves and meshes."""

import json

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from tensh.engine import find_public
from tensh.utils.tensorboard.hyperparameters import hparams
from tensh.utils.tensorboard.media import audio, image, image_boxes, video
from tensh.utils.tensorboard.values import as_array

__all__ = [
    "audio", "compute_curve", "custom_scalars", "histogram", "histogram_raw", "hparams", "image", "image_boxes", "mesh",
    "pr_curve", "pr_curve_raw", "scalar", "tensor_proto", "text", "video",
]  # fmt: skip
LARGEST = 1 << 31  # bytes of a protocol buffer
THRESHOLDS = 127  # thresholds of a curve: TensorBoard reads no more
FIELDS = {
    "float16": "half_val", "bfloat16": "half_val", "float32": "float_val", "float64": "double_val", "int8": "int_val", "uint8": "int_val",
    "int16": "int_val", "int32": "int_val", "int64": "int64_val", "bool": "bool_val",
    "complex32": "scomplex_val", "complex64": "scomplex_val", "complex128": "dcomplex_val",
}  # fmt: skip
NAMES = {"float16": "DT_HALF", "bfloat16": "DT_BFLOAT16", "float32": "DT_FLOAT", "float64": "DT_DOUBLE"}
NAMES |= {"complex32": "DT_COMPLEX64", "complex64": "DT_COMPLEX64", "complex128": "DT_COMPLEX128"}


def shape_of(sizes):
    """Return a shape as a protocol buffer."""
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def plugin(name, content=b""):
    """Return metadata that name the plugin by which TensorBoard shows a value."""
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=name, content=content))


def make_summary(tag, **fields):
    """Return a summary of one value."""
    return Summary(value=[Summary.Value(tag=tag, **fields)])


def make_text(lines, sizes):
    """Return bytes as a tensor of text."""
    return TensorProto(dtype="DT_STRING", string_val=lines, tensor_shape=shape_of(sizes))


# ── numbers ──────────────────────────────────────────────────────────────────
def scalar(name, tensor, collections=None, new_style=False, double_precision=False):
    """One number.  Raise AssertionError for a tensor of several."""
    array = as_array(tensor)
    if array.size != 1:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). Was given size: {array.size} and {array.ndim} dimensions."
        )
    number = float(array.reshape(()))
    if not new_style:
        return make_summary(name, simple_value=number)
    held = (
        TensorProto(dtype="DT_DOUBLE", double_val=[number])
        if double_precision
        else TensorProto(dtype="DT_FLOAT", float_val=[number])
    )
    return make_summary(name, tensor=held, metadata=plugin("scalars"))


def tensor_proto(tag, tensor):
    """Return all elements of a tensor.  Raise ValueError for 2 GB and more, and for a dtype that has no name there."""
    if tensor.nbytes >= LARGEST:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in FIELDS:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    values = tensor.detach().reshape(-1)
    if FIELDS[name] == "half_val":
        values = values.view(find_public("int16")).int() & 0xFFFF  # their bits
    elif values.is_complex():
        values = find_public("view_as_real")(values).reshape(-1)
    held = TensorProto(dtype=NAMES.get(name, f"DT_{name.upper()}"), tensor_shape=shape_of(tensor.shape))
    getattr(held, FIELDS[name]).extend(values.tolist())
    return make_summary(tag, tensor=held, metadata=plugin("tensor"))


# ── histograms ───────────────────────────────────────────────────────────────
def histogram_raw(name, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):
    """Return a histogram whose bars have been counted: the upper limit of each, and how many numbers lie in it."""
    held = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return make_summary(name, histo=held)


def histogram(name, values, bins, max_bins=None):
    """A histogram of numbers over the limits, or by the rule, ``bins``; bars are joined until there are at most ``max_bins``.

    Raise ValueError where there are no numbers.
    """
    values = as_array(values).astype(float).reshape(-1)
    if not values.size:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        counts = np.add.reduceat(counts, range(0, len(counts), step))
        limits = np.append(limits[:-1:step], limits[-1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = filled[0], filled[-1] + 1
    below = 0 if first == 0 else counts[first - 1]  # an empty bar, whose limit is where the first one begins
    return histogram_raw(
        name, values.min(), values.max(), len(values), values.sum(), values.dot(values),
        limits[first : last + 1].tolist(), [below, *counts[first:last].tolist()],
    )  # fmt: skip


# ── text ─────────────────────────────────────────────────────────────────────
def text(tag, text):
    """Text, which may be Markdown."""
    from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

    metadata = plugin("text", TextPluginData(version=0).SerializeToString())
    return make_summary(f"{tag}/text_summary", metadata=metadata, tensor=make_text([text.encode()], [1]))


def custom_scalars(layout):
    """Charts of several numbers: category -> chart -> (``"Multiline"`` or ``"Margin"``, tags)."""
    from tensorboard.plugins.custom_scalar import layout_pb2 as parts

    def chart(title, kind, tags):
        if kind != "Margin":
            return parts.Chart(title=title, multiline=parts.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError("len(tags) != 3")
        value, lower, upper = tags
        series = parts.MarginChartContent.Series(value=value, lower=lower, upper=upper)
        return parts.Chart(title=title, margin=parts.MarginChartContent(series=[series]))

    categories = [
        parts.Category(title=name, chart=[chart(title, *content) for title, content in charts.items()])
        for name, charts in layout.items()
    ]
    held = make_text([parts.Layout(category=categories).SerializeToString()], [])
    return make_summary("custom_scalars__config__", tensor=held, metadata=plugin("custom_scalars"))


# ── curves ───────────────────────────────────────────────────────────────────
def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=THRESHOLDS, weights=None):
    """Precision and recall at thresholds, and the counts that they come from: true and false, positive and negative."""
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    data = np.stack((tp, fp, tn, fn, precision, recall))
    content = PrCurvePluginData(version=0, num_thresholds=min(num_thresholds, THRESHOLDS)).SerializeToString()
    held = TensorProto(dtype="DT_FLOAT", float_val=data.reshape(-1).tolist(), tensor_shape=shape_of(data.shape))
    return make_summary(tag, tensor=held, metadata=plugin("pr_curves", content))


def pr_curve(tag, labels, predictions, num_thresholds=THRESHOLDS, weights=None):
    """Precision and recall of predictions between 0 and 1 for labels 0 and 1."""
    number = min(num_thresholds, THRESHOLDS)
    return pr_curve_raw(tag, *compute_curve(labels, predictions, number, weights), number, weights)


def compute_curve(labels, predictions, num_thresholds=None, weights=None):
    """The six rows of a curve: true and false, positive and negative counts above each threshold; precision and recall."""
    labels, weights = labels.astype(np.float64), 1.0 if weights is None else weights
    places = np.floor(predictions * (num_thresholds - 1)).astype(np.int32)

    def count_above(wanted):
        span = 0, num_thresholds - 1
        return np.histogram(places, num_thresholds, span, weights=wanted * weights)[0][::-1].cumsum()[::-1]

    tp, fp = count_above(labels), count_above(1.0 - labels)
    tn, fn = fp[0] - fp, tp[0] - tp
    least = 1e-7  # so that nothing is divided by zero
    return np.stack((tp, fp, tn, fn, tp / np.maximum(least, tp + fp), tp / np.maximum(least, tp + fn)))


# ── meshes ───────────────────────────────────────────────────────────────────
def mesh(tag, vertices, colors, faces, config_dict, display_name=None, description=None):
    """Points in space [N, points, 3], with their colours, and the triangles between them."""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData as Kind

    given = [(vertices, Kind.VERTEX), (faces, Kind.FACE), (colors, Kind.COLOR)]
    given = [(as_array(values), kind) for values, kind in given if values is not None]
    parts = metadata.get_components_bitmask([kind for _, kind in given])
    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    found = []
    for array, kind in given:
        held = TensorProto(
            dtype="DT_FLOAT", float_val=array.reshape(-1).tolist(), tensor_shape=shape_of(array.shape[:3])
        )
        described = metadata.create_summary_metadata(
            tag, display_name, kind, parts, array.shape, description, json_config=config
        )
        found.append(Summary.Value(tag=metadata.get_instance_name(tag, kind), tensor=held, metadata=described))
    return Summary(value=found)
