"""Layers and what goes into them: data for the generic tests in test_layer_modules.py.

A line is ``LAYER <- INPUTS``, both expressions in the names of ``torch.nn`` and ``torch``.  One seed goes before both, so
that the starting weights and the inputs are drawn in PyTorch's order.  ``python tests/layer_cases.py``, where PyTorch is
installed, records figures of what each does there.
"""

import json
import math
import warnings
from pathlib import Path

CASES = """
Linear(4, 3) <- randn(5, 4)
Linear(4, 3, bias=False) <- randn(2, 5, 4)
Linear(4, 3, dtype=float64) <- randn(4, dtype=float64)
Bilinear(4, 3, 2) <- randn(5, 4), randn(5, 3)
Bilinear(4, 3, 2, bias=False) <- randn(2, 5, 4), randn(2, 5, 3)
Identity(3) <- randn(3)

Threshold(0.1, 20) <- randn(3, 4)
ReLU() <- randn(3, 4)
ReLU(inplace=True) <- randn(3, 4)
RReLU() <- randn(3, 4)
RReLU(0.1, 0.2) <- randn(3, 4)
LeakyReLU() <- randn(3, 4)
LeakyReLU(0.2, True) <- randn(3, 4)
PReLU() <- randn(3, 4)
PReLU(4, 0.5) <- randn(3, 4, 2)
Hardtanh() <- randn(3, 4)
Hardtanh(-0.5, 0.2, True) <- randn(3, 4)
ReLU6() <- randn(3, 4)
Sigmoid() <- randn(3, 4)
Tanh() <- randn(3, 4)
Hardsigmoid() <- randn(3, 4)
Softsign() <- randn(3, 4)
SiLU() <- randn(3, 4)
Mish() <- randn(3, 4)
Hardswish() <- randn(3, 4)
ELU() <- randn(3, 4)
ELU(0.5) <- randn(3, 4)
CELU(0.5) <- randn(3, 4)
SELU() <- randn(3, 4)
GELU() <- randn(3, 4)
GELU("tanh") <- randn(3, 4)
LogSigmoid() <- randn(3, 4)
Softplus() <- randn(3, 4)
Softplus(2, 1) <- randn(3, 4)
Hardshrink() <- randn(3, 4)
Softshrink(0.2) <- randn(3, 4)
Tanhshrink() <- randn(3, 4)
GLU() <- randn(3, 4)
GLU(1) <- randn(3, 4, 2)
Softmax(1) <- randn(3, 4)
Softmin(0) <- randn(3, 4)
LogSoftmax(-1) <- randn(3, 4)
Softmax2d() <- randn(2, 3, 2, 2)

Flatten() <- randn(2, 3, 4)
Flatten(0, 1) <- randn(2, 3, 4)
Unflatten(1, (2, 2)) <- randn(3, 4)

Conv1d(3, 4, 3) <- randn(2, 3, 8)
Conv1d(3, 6, 3, 2, 1, 2, 3, False) <- randn(2, 3, 8)
Conv1d(3, 4, 3, padding="same", padding_mode="circular") <- randn(2, 3, 8)
Conv2d(3, 4, 3) <- randn(2, 3, 6, 5)
Conv2d(3, 4, (3, 2), (1, 2), (1, 0)) <- randn(2, 3, 6, 5)
Conv2d(2, 4, 3, padding="same", groups=2) <- randn(2, 2, 6, 5)
Conv2d(2, 4, 3, padding=(1, 2), padding_mode="reflect") <- randn(2, 2, 6, 5)
Conv2d(2, 4, 2, padding="same", padding_mode="replicate") <- randn(2, 2, 6, 5)
Conv2d(2, 4, 3) <- randn(2, 6, 5)
Conv3d(2, 3, 2) <- randn(1, 2, 3, 4, 3)
Conv3d(2, 3, 2, padding=1, padding_mode="circular") <- randn(1, 2, 3, 4, 3)
ConvTranspose1d(3, 4, 3) <- randn(2, 3, 5)
ConvTranspose1d(2, 4, 3, 2, 1, 1, 2, False, 2) <- randn(2, 2, 5)
ConvTranspose2d(3, 4, 3) <- randn(2, 3, 4, 3)
ConvTranspose2d(3, 4, 3, stride=2, padding=1) <- randn(2, 3, 4, 3), (8, 6)
ConvTranspose3d(2, 3, 2) <- randn(1, 2, 2, 3, 2)
LazyLinear(3) <- randn(5, 4)
LazyLinear(3, bias=False) <- randn(5, 4)
LazyConv1d(4, 3) <- randn(2, 3, 8)
LazyConv2d(4, 3, padding=1, bias=False) <- randn(2, 3, 6, 5)
LazyConv3d(2, 2) <- randn(1, 2, 3, 3, 3)
LazyConvTranspose1d(4, 3) <- randn(2, 3, 5)
LazyConvTranspose2d(4, 3) <- randn(2, 3, 4, 3)
LazyConvTranspose3d(4, 2) <- randn(1, 3, 2, 2, 2)
LazyBatchNorm1d() <- randn(4, 3)
LazyBatchNorm2d(momentum=0.3) <- randn(4, 3, 2, 2)
LazyBatchNorm3d(affine=False) <- randn(2, 3, 2, 2, 2)
LazyInstanceNorm1d() <- randn(4, 3, 5)
LazyInstanceNorm2d(affine=False) <- randn(4, 3, 2, 2)
LazyInstanceNorm3d() <- randn(2, 3, 2, 2, 2)

MaxPool1d(3, 2) <- randn(2, 3, 8)
MaxPool1d(2, return_indices=True) <- randn(2, 3, 8)
MaxPool2d(2) <- randn(2, 3, 6, 5)
MaxPool2d((3, 2), 1, 1, ceil_mode=True) <- randn(3, 6, 5)
MaxPool3d(2) <- randn(1, 2, 4, 4, 4)
MaxUnpool1d(2) <- randn(2, 3, 2), tensor([0, 3]).expand(2, 3, 2)
MaxUnpool2d(2) <- randn(1, 1, 1, 2), tensor([[[[0, 3]]]])
MaxUnpool3d(2) <- randn(1, 1, 1, 1, 2), tensor([[[[[0, 3]]]]])
MaxUnpool2d(2) <- randn(1, 1, 1, 2), tensor([[[[0, 3]]]]), (3, 5)
FractionalMaxPool2d(2, output_size=3) <- randn(2, 3, 6, 6)
FractionalMaxPool2d(2, output_ratio=0.5, return_indices=True) <- randn(2, 3, 6, 6)
FractionalMaxPool3d(2, output_ratio=(0.5, 0.5, 0.4)) <- randn(1, 2, 6, 6, 6)
AvgPool1d(3, 2, 1) <- randn(2, 3, 8)
AvgPool2d(2) <- randn(2, 3, 6, 5)
AvgPool2d(3, 2, 1, True, False) <- randn(2, 3, 6, 5)
AvgPool3d(2, divisor_override=3) <- randn(1, 2, 4, 4, 4)
LPPool1d(2, 3) <- rand(2, 3, 8)
LPPool2d(1.5, 2, 1) <- rand(2, 3, 6, 5)
LPPool3d(2, 2) <- rand(1, 2, 4, 4, 4)
AdaptiveMaxPool1d(3) <- randn(2, 3, 8)
AdaptiveMaxPool2d((2, None)) <- randn(2, 3, 6, 5)
AdaptiveMaxPool3d(2, return_indices=True) <- randn(1, 2, 4, 4, 4)
AdaptiveAvgPool1d(3) <- randn(2, 3, 8)
AdaptiveAvgPool2d(1) <- randn(2, 3, 6, 5)
AdaptiveAvgPool2d((None, 3)) <- randn(2, 3, 6, 5)
AdaptiveAvgPool3d(2) <- randn(1, 2, 4, 4, 4)

ConstantPad1d(1, 2.5) <- randn(2, 3)
ConstantPad2d((1, 2, 0, -1), 7) <- randn(2, 3, 3)
ConstantPad3d(1, 0) <- randn(2, 2, 2, 2)
ZeroPad1d((1, 2)) <- randn(2, 3)
ZeroPad2d(1) <- randn(2, 3, 3)
ZeroPad3d(1) <- randn(2, 2, 2, 2)
ReflectionPad1d(1) <- randn(2, 3)
ReflectionPad2d((1, 2, 0, 1)) <- randn(2, 3, 3)
ReflectionPad3d(1) <- randn(1, 2, 2, 2, 2)
ReplicationPad1d(2) <- randn(2, 3)
ReplicationPad2d(1) <- randn(2, 3, 3)
ReplicationPad3d(1) <- randn(1, 2, 2, 2, 2)
CircularPad1d(1) <- randn(2, 3)
CircularPad2d((1, 2, 0, 1)) <- randn(2, 3, 3)
CircularPad3d(1) <- randn(1, 2, 2, 2, 2)

BatchNorm1d(3) <- randn(5, 3)
BatchNorm1d(3, momentum=None) <- randn(5, 3, 2)
BatchNorm2d(3) <- randn(4, 3, 2, 2)
BatchNorm2d(3, 1e-3, 0.3, affine=False) <- randn(4, 3, 2, 2)
BatchNorm2d(3, track_running_stats=False, bias=False) <- randn(4, 3, 2, 2)
BatchNorm3d(3) <- randn(2, 3, 2, 2, 2)
InstanceNorm1d(3) <- randn(5, 3, 4)
InstanceNorm1d(3, affine=True) <- randn(3, 4)
InstanceNorm2d(3, affine=True, track_running_stats=True) <- randn(4, 3, 2, 2)
InstanceNorm3d(3) <- randn(2, 3, 2, 2, 2)
LayerNorm(4) <- randn(3, 4)
LayerNorm((3, 4), 1e-3, bias=False) <- randn(2, 3, 4)
LayerNorm(4, elementwise_affine=False) <- randn(3, 4)
GroupNorm(2, 4) <- randn(3, 4, 5)
GroupNorm(2, 4, affine=False) <- randn(3, 4, 5)
GroupNorm(1, 4, bias=False) <- randn(3, 4, 2, 2)
RMSNorm(4) <- randn(3, 4)
RMSNorm((3, 4), 1e-3, False) <- randn(2, 3, 4)
LocalResponseNorm(2) <- randn(2, 5, 4)
LocalResponseNorm(3, 0.1, 0.5, 2.0) <- randn(2, 5, 4, 2)
CrossMapLRN2d(3) <- randn(2, 5, 4, 2)
CrossMapLRN2d(2, 0.1, 0.5, 2) <- randn(2, 5, 4, 2)

Dropout() <- randn(3, 40)
Dropout(0.2, True) <- randn(3, 4)
Dropout1d() <- randn(3, 4, 2)
Dropout2d(0.3) <- randn(3, 4, 2, 2)
Dropout3d() <- randn(3, 4, 2, 2, 2)
AlphaDropout() <- randn(3, 4)
FeatureAlphaDropout() <- randn(3, 4, 2)

Embedding(5, 3) <- tensor([[0, 4], [2, 2]])
Embedding(5, 3, padding_idx=-2) <- tensor([[0, 3], [2, 2]])
Embedding(5, 3, max_norm=1.0, scale_grad_by_freq=True) <- tensor([[0, 4], [2, 2]])
EmbeddingBag(5, 3) <- tensor([[0, 4], [2, 2]])
EmbeddingBag(5, 3, mode="sum", padding_idx=2) <- tensor([0, 4, 2, 2]), tensor([0, 3])
EmbeddingBag(5, 3, mode="sum") <- tensor([0, 4, 2, 2]), tensor([0, 3]), rand(4)
EmbeddingBag(5, 3, mode="max", include_last_offset=True) <- tensor([0, 4, 2, 2]), tensor([0, 3, 4])
EmbeddingBag(5, 3, max_norm=0.5) <- tensor([0, 4, 2, 2]), tensor([0, 3])

L1Loss() <- randn(3, 4), randn(3, 4)
L1Loss(reduction="sum") <- randn(3, 4), randn(3, 4)
MSELoss() <- randn(3, 4), randn(3, 4)
MSELoss(reduce=False) <- randn(3, 4), randn(3, 4)
MSELoss(size_average=False) <- randn(3, 4), randn(3, 4)
SmoothL1Loss(beta=0.5) <- randn(3, 4), randn(3, 4)
HuberLoss("none", 0.5) <- randn(3, 4), randn(3, 4)
BCELoss() <- rand(3, 4), rand(3, 4)
BCELoss(rand(4), reduction="sum") <- rand(3, 4), rand(3, 4)
BCEWithLogitsLoss() <- randn(3, 4), rand(3, 4)
BCEWithLogitsLoss(rand(4), pos_weight=rand(4)) <- randn(3, 4), rand(3, 4)
SoftMarginLoss() <- randn(3, 4), randn(3, 4).sign().int()
NLLLoss() <- randn(3, 4).log_softmax(1), tensor([0, 3, 1])
NLLLoss(rand(4), ignore_index=3, reduction="none") <- randn(3, 4).log_softmax(1), tensor([0, 3, 1])
NLLLoss2d() <- randn(2, 3, 2, 2), randint(3, (2, 2, 2))
CrossEntropyLoss() <- randn(3, 4), tensor([0, 3, 1])
CrossEntropyLoss(rand(4), label_smoothing=0.1) <- randn(3, 4), tensor([0, 3, 1])
CrossEntropyLoss(ignore_index=1) <- randn(3, 4, 2), tensor([[0, 3], [1, 2], [1, 0]])
CrossEntropyLoss() <- randn(3, 4), randn(3, 4).softmax(1)
KLDivLoss(reduction="batchmean") <- randn(3, 4).log_softmax(1), randn(3, 4).softmax(1)
KLDivLoss(log_target=True) <- randn(3, 4).log_softmax(1), randn(3, 4).log_softmax(1)
MultiMarginLoss() <- randn(3, 4), tensor([0, 3, 1])
MultiMarginLoss(2, 0.5, rand(4)) <- randn(3, 4), tensor([0, 3, 1])
MultiLabelMarginLoss() <- randn(2, 4), tensor([[3, 0, -1, 1], [1, -1, 0, 0]])
MultiLabelSoftMarginLoss() <- randn(3, 4), rand(3, 4).round()
MultiLabelSoftMarginLoss(rand(4), reduction="none") <- randn(3, 4), rand(3, 4).round()
LinearCrossEntropyLoss(4, 3) <- randn(5, 4), tensor([0, 2, 1, 1, 0])
LinearCrossEntropyLoss(4, 3, bias=True, out_features=(2,), weight=rand(3)) <- randn(2, 4), tensor([[0, 2], [1, 0]])
PoissonNLLLoss() <- randn(3, 4), rand(3, 4) * 5
PoissonNLLLoss(False, True, eps=1e-3) <- rand(3, 4), rand(3, 4) * 5
GaussianNLLLoss() <- randn(3, 4), randn(3, 4), rand(3, 4)
GaussianNLLLoss(full=True, reduction="none") <- randn(3, 4), randn(3, 4), rand(3, 1)
CTCLoss() <- randn(6, 2, 4).log_softmax(2), tensor([[1, 2], [3, 1]]), tensor([6, 5]), tensor([2, 1])
CTCLoss(1, "sum", True) <- randn(6, 2, 4).log_softmax(2), tensor([[3, 2], [3, 0]]), tensor([6, 1]), tensor([2, 2])
HingeEmbeddingLoss() <- randn(3, 4), randn(3, 4).sign()
HingeEmbeddingLoss(0.5, reduction="sum") <- randn(3, 4), randn(3, 4).sign()
MarginRankingLoss(0.1) <- randn(3), randn(3), randn(3).sign()
CosineEmbeddingLoss() <- randn(3, 4), randn(3, 4), randn(3).sign()
CosineEmbeddingLoss(0.2, reduction="none") <- randn(3, 4), randn(3, 4), randn(3).sign()
TripletMarginLoss() <- randn(3, 4), randn(3, 4), randn(3, 4)
TripletMarginLoss(0.5, 1, swap=True, reduction="sum") <- randn(3, 4), randn(3, 4), randn(3, 4)
TripletMarginWithDistanceLoss() <- randn(3, 4), randn(3, 4), randn(3, 4)
TripletMarginWithDistanceLoss(distance_function=CosineSimilarity(), swap=True) <- randn(3, 4), randn(3, 4), randn(3, 4)
AdaptiveLogSoftmaxWithLoss(4, 10, [3, 6], 2.0) <- randn(5, 4), tensor([0, 9, 4, 3, 1])
AdaptiveLogSoftmaxWithLoss(4, 10, [5], 2.0, True) <- randn(5, 4), tensor([0, 9, 4, 3, 1])

PairwiseDistance() <- randn(3, 4), randn(3, 4)
PairwiseDistance(1, keepdim=True) <- randn(3, 4), randn(3, 4)
CosineSimilarity() <- randn(3, 4), randn(3, 4)
CosineSimilarity(0) <- randn(3, 4), randn(3, 4)
PixelShuffle(2) <- randn(1, 8, 2, 3)
PixelUnshuffle(2) <- randn(1, 2, 4, 6)
ChannelShuffle(2) <- randn(1, 4, 2)
Fold((4, 5), 2) <- randn(1, 12, 12)
Fold(4, 2, padding=1, stride=2) <- randn(1, 8, 9)
Unfold((2, 3)) <- randn(2, 3, 3, 4)
Unfold(2, 1, 1, 2) <- randn(2, 3, 4, 4)
Upsample(scale_factor=2) <- randn(1, 2, 3)
Upsample((4, 5), mode="bilinear") <- randn(1, 2, 3, 2)
Upsample(scale_factor=(1.5, 2), mode="bicubic", align_corners=True) <- randn(1, 2, 3, 2)
UpsamplingNearest2d(scale_factor=2) <- randn(1, 2, 3, 2)
UpsamplingBilinear2d(5) <- randn(1, 2, 3, 2)

RNN(3, 4) <- randn(5, 2, 3)
RNN(3, 4, 2, nonlinearity="relu", bidirectional=True) <- randn(5, 2, 3), randn(4, 2, 4)
RNN(3, 4, bias=False, batch_first=True) <- randn(2, 5, 3)
LSTM(3, 4) <- randn(5, 2, 3)
LSTM(3, 4, 2, dropout=0.5) <- randn(5, 2, 3)
LSTM(3, 4, 2, batch_first=True, bidirectional=True) <- randn(2, 5, 3), (randn(4, 2, 4), randn(4, 2, 4))
LSTM(3, 4, proj_size=2) <- randn(5, 2, 3)
LSTM(3, 4, 2, proj_size=2, bidirectional=True, bias=False) <- randn(5, 2, 3)
LSTM(3, 4) <- randn(5, 3)
LSTM(3, 4) <- nn.utils.rnn.pack_sequence([randn(4, 3), randn(2, 3), randn(1, 3)])
LSTM(3, 4, 2, bidirectional=True) <- nn.utils.rnn.pack_sequence([randn(2, 3), randn(4, 3), randn(1, 3)], False)
GRU(3, 4) <- randn(5, 2, 3)
GRU(3, 4, 2, dropout=0.3, bidirectional=True) <- randn(5, 2, 3), randn(4, 2, 4)
GRU(3, 4, bias=False) <- randn(5, 3), randn(1, 4)
GRU(3, 4, bidirectional=True) <- nn.utils.rnn.pack_sequence([randn(4, 3), randn(2, 3)])
RNN(3, 4, 2) <- nn.utils.rnn.pack_sequence([randn(4, 3), randn(2, 3)]), randn(2, 2, 4)
RNNCell(3, 4) <- randn(2, 3)
RNNCell(3, 4, False, "relu") <- randn(3), randn(4)
LSTMCell(3, 4) <- randn(2, 3), (randn(2, 4), randn(2, 4))
LSTMCell(3, 4, False) <- randn(3)
GRUCell(3, 4) <- randn(2, 3), randn(2, 4)
GRUCell(3, 4, False) <- randn(3)

MultiheadAttention(4, 2) <- *[randn(5, 3, 4)] * 3
MultiheadAttention(4, 2, 0.0, False, batch_first=True) <- randn(3, 5, 4), randn(3, 6, 4), randn(3, 6, 4), None, False
MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True, add_zero_attn=True) <- randn(5, 3, 4), randn(6, 3, 3), randn(6, 3, 5)
MultiheadAttention(4, 4, batch_first=True) <- *[randn(2, 3, 4)] * 3, tensor([[False, False, True], [False, True, True]])
MultiheadAttention(4, 1) <- *[randn(3, 4)] * 3, None, True, nn.Transformer.generate_square_subsequent_mask(3)
MultiheadAttention(4, 2, 0.3) <- *[randn(5, 3, 4)] * 3
TransformerEncoderLayer(4, 2, 6) <- randn(5, 3, 4)
TransformerEncoderLayer(4, 2, 6, 0.0, "gelu", batch_first=True, norm_first=True) <- randn(3, 5, 4)
TransformerEncoderLayer(4, 2, 6, 0.1, bias=False) <- randn(5, 3, 4), nn.Transformer.generate_square_subsequent_mask(5)
TransformerDecoderLayer(4, 2, 6) <- randn(5, 3, 4), randn(6, 3, 4)
TransformerDecoderLayer(4, 2, 6, 0.0, norm_first=True, batch_first=True) <- randn(3, 5, 4), randn(3, 6, 4)
TransformerEncoder(TransformerEncoderLayer(4, 2, 6, batch_first=True), 2, LayerNorm(4)) <- randn(3, 5, 4)
TransformerEncoder(TransformerEncoderLayer(4, 2, 6, 0.0), 2) <- randn(5, 2, 4), None, tensor([[False] * 5, [False] * 3 + [True] * 2])
TransformerDecoder(TransformerDecoderLayer(4, 2, 6), 2, LayerNorm(4)) <- randn(5, 3, 4), randn(6, 3, 4)
Transformer(4, 2, 1, 2, 6) <- randn(5, 3, 4), randn(6, 3, 4)
Transformer(4, 2, 1, 1, 6, 0.0, batch_first=True, norm_first=True) <- randn(3, 5, 4), randn(3, 6, 4)
"""

CASES = [tuple(map(str.strip, line.split(" <- "))) for line in CASES.splitlines() if line]
SEED = 7
STEPS = 3  # of gradient descent


class Names(dict):
    """The names of ``torch.nn``, then those of ``torch``."""

    def __init__(self, torch):
        self.torch = torch
        self["nn"] = torch.nn

    def __missing__(self, name):
        for space in (self.torch.nn, self.torch):
            if hasattr(space, name):
                return getattr(space, name)
        raise KeyError(name)


def made(torch, layer, inputs):
    """(module, tuple of inputs); floating point tensors among these require grad."""
    torch.manual_seed(SEED)
    module = eval(layer, {}, Names(torch))
    given = eval(f"({inputs},)", {}, Names(torch))
    return module, tuple(wanting_grad(torch, value) for value in given)


def wanting_grad(torch, value):
    if isinstance(value, torch.Tensor):
        is_mask = value.dim() == 2 and bool(value.isinf().any()) if value.is_floating_point() else True
        return value if is_mask else value.detach().requires_grad_()
    if type(value) is tuple:
        return tuple(wanting_grad(torch, each) for each in value)
    return value


def tensors(torch, value):
    """The tensors in a value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for each in value for t in tensors(torch, each)] if isinstance(value, list | tuple) else []


def outcome(torch, layer, inputs):
    """What a layer does, as (what, value) pairs: its printed form, its state, outputs and gradients in training, the state
    after a few steps, and outputs in evaluation."""
    module, given = made(torch, layer, inputs)
    yield "repr", repr(module)
    yield from ((f"start {name}", plain(value)) for name, value in state(torch, module))
    for step in range(STEPS):
        results = [t for t in tensors(torch, module(*copied(torch, given))) if t.is_floating_point()]
        yield from ((f"step {step} output {n}", plain(t)) for n, t in enumerate(results))
        loss = sum((t * torch.linspace(0.5, 1.5, t.numel()).view(t.shape).to(t.dtype)).sum() for t in results)
        if not loss.requires_grad:
            break
        loss.backward()
        leaves = [t for t in tensors(torch, given) if t.requires_grad]
        yield from ((f"step {step} input {n}", plain(t.grad)) for n, t in enumerate(leaves))
        for name, parameter in module.named_parameters():
            yield f"step {step} {name}", plain(parameter.grad)
            with torch.no_grad():
                if parameter.grad is not None:
                    parameter.sub_(0.01 * parameter.grad)
            parameter.grad = None
        for leaf in leaves:
            leaf.grad = None
    yield "repr after", repr(module)
    yield "versions", {key: value["version"] for key, value in module.state_dict()._metadata.items()}
    yield from ((f"end {name}", plain(value)) for name, value in state(torch, module))
    module.eval()
    yield from ((f"evaluation {n}", plain(t)) for n, t in enumerate(tensors(torch, module(*copied(torch, given)))))


def copied(torch, given):
    """The inputs, for modules that may write into them."""
    return [value * 1 if isinstance(value, torch.Tensor) and value.requires_grad else value for value in given]


def state(torch, module):
    for name, value in module.state_dict().items():
        yield name, value if type(value) in (torch.Tensor, torch.nn.Parameter) else repr(value)


def plain(value):
    """A tensor as its dtype, shape and numbers."""
    if value is None or isinstance(value, str):
        return value
    return str(value.dtype), tuple(value.shape), value.detach().double().flatten().tolist()


# ── recorded figures ─────────────────────────────────────────────────────────
FIGURES = Path(__file__).with_name("layers.json")
KINDS = {"start": "start", "output": " output ", "grad": "step ", "end": "end", "evaluation": "evaluation"}


def figures(torch, layer, inputs):
    """For each kind of what a layer does: (norm, projection) of all its numbers in a row."""
    rows = {kind: [] for kind in KINDS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, value in outcome(torch, layer, inputs):
            kind = next((kind for kind, mark in KINDS.items() if mark in what), None)
            if kind and isinstance(value, tuple):
                rows[kind] += [number for number in value[2] if math.isfinite(number)]
    return {kind: [float(f"{figure:.5g}") for figure in summary(numbers)] for kind, numbers in rows.items() if numbers}


def summary(numbers):
    weighted = sum(number * math.cos(place) for place, number in enumerate(numbers))
    return math.sqrt(sum(number * number for number in numbers)), weighted


if __name__ == "__main__":
    import torch

    recorded = {f"{layer} <- {inputs}": figures(torch, layer, inputs) for layer, inputs in CASES}
    lines = (f"{json.dumps(case)}: {json.dumps(values)}" for case, values in recorded.items())
    FIGURES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
