"""Forms of convolutions."""

from tensh.onnx.forms.table import form
from tensh.onnx.forms.windows import batch_input, each_dim


@form("conv1d conv2d conv3d")
def conv(o, node, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    dims = weight.rank - 2
    input, end = batch_input(o, input, dims)
    attributes = {"strides": each_dim(stride, dims), "dilations": each_dim(dilation, dims), "group": groups}
    if isinstance(padding, str):
        pads = [d * (k - 1) if padding == "same" else 0 for d, k in zip(attributes["dilations"], weight.shape[2:])]
        attributes["pads"] = [p // 2 for p in pads] + [p - p // 2 for p in pads]
    else:
        attributes["pads"] = each_dim(padding, dims) * 2
    return end(o.Conv(input, weight, bias, kernel_shape=list(weight.shape[2:]), **attributes))


@form("conv_transpose1d conv_transpose2d conv_transpose3d")
def conv_transpose(o, node, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    dims = weight.rank - 2
    input, end = batch_input(o, input, dims)
    return end(
        o.ConvTranspose(
            input, weight, bias, kernel_shape=list(weight.shape[2:]), strides=each_dim(stride, dims), pads=each_dim(padding, dims) * 2,
            dilations=each_dim(dilation, dims), group=groups, output_padding=each_dim(output_padding, dims),
        )
    )  # fmt: skip
