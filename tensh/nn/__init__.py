"""torch.nn: modules, parameters and functions of layers."""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

# Module -> its public names. A module is loaded when one of its names is first requested.
WHERE = {
    "tensh.nn.parameter": "Parameter Buffer UninitializedParameter UninitializedBuffer",
    "tensh.nn.modules.module": "Module",
    "tensh.nn.modules.containers": "Sequential ModuleList ModuleDict Container",
    "tensh.nn.modules.parameter_containers": "ParameterList ParameterDict",
    "tensh.nn.modules.linear": "Identity Linear Bilinear LazyLinear",
    "tensh.nn.modules.activation": """Threshold ReLU RReLU LeakyReLU PReLU Hardtanh ReLU6 Sigmoid Tanh Hardsigmoid Softsign SiLU
        Mish Hardswish ELU CELU SELU GELU LogSigmoid Softplus Hardshrink Softshrink Tanhshrink GLU Softmax Softmin LogSoftmax
        Softmax2d""",
    "tensh.nn.modules.flatten": "Flatten Unflatten",
    "tensh.nn.modules.conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "tensh.nn.modules.lazy_conv": """LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d
        LazyConvTranspose3d""",
    "tensh.nn.modules.batchnorm": """BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d""",
    "tensh.nn.modules.syncbatchnorm": "SyncBatchNorm",
    "tensh.nn.parallel": "DataParallel",
    "tensh.nn.modules.instancenorm": """InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d
        LazyInstanceNorm3d""",
    "tensh.nn.modules.normalization": "LayerNorm RMSNorm GroupNorm LocalResponseNorm",
    "tensh.nn.modules.crossmap": "CrossMapLRN2d",
    "tensh.nn.modules.rnn": "RNNBase RNN LSTM GRU",
    "tensh.nn.modules.cells": "RNNCellBase RNNCell LSTMCell GRUCell",
    "tensh.nn.modules.attention": "MultiheadAttention",
    "tensh.nn.modules.transformer": """TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder
        Transformer""",
    "tensh.nn.modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
    "tensh.nn.modules.sparse": "Embedding EmbeddingBag",
    "tensh.nn.modules.loss": """L1Loss MSELoss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss SoftMarginLoss NLLLoss NLLLoss2d
        CrossEntropyLoss KLDivLoss MultiMarginLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss PoissonNLLLoss GaussianNLLLoss
        CTCLoss HingeEmbeddingLoss MarginRankingLoss CosineEmbeddingLoss TripletMarginLoss TripletMarginWithDistanceLoss""",
    "tensh.nn.modules.linear_loss": "LinearCrossEntropyLoss",
    "tensh.nn.modules.linear_cross_entropy_options": "LinearCrossEntropyOptions",
    "tensh.nn.modules.pooling": """MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d FractionalMaxPool2d
        FractionalMaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d LPPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
        AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d""",
    "tensh.nn.modules.padding": """ConstantPad1d ConstantPad2d ConstantPad3d ZeroPad1d ZeroPad2d ZeroPad3d ReflectionPad1d
        ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d CircularPad1d CircularPad2d
        CircularPad3d""",
    "tensh.nn.modules.dropout": "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
    "tensh.nn.modules.distance": "PairwiseDistance CosineSimilarity",
    "tensh.nn.modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "tensh.nn.modules.channelshuffle": "ChannelShuffle",
    "tensh.nn.modules.fold": "Fold Unfold",
    "tensh.nn.modules.upsampling": "Upsample UpsamplingNearest2d UpsamplingBilinear2d",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = ("attention", "common_types", "functional", "grad", "init", "modules", "parallel", "parameter", "utils")

__all__ = [*PLACES, *SUBMODULES]  # noqa: PLE0604 (they are strings)

__getattr__, __dir__ = declare_namespace("tensh.nn", globals(), PLACES, SUBMODULES, unsupported=lookup("torch.nn"))
