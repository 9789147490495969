"""The names under which PyTorch's nodes show the values that they saved, where they are not those of tensh's operators."""

from numpy import ndarray

from tensh.engine.core.tensor import wrap

NODES = """
    AdaptiveAvgPool2DBackward0 AdaptiveAvgPool3DBackward0: self
    AdaptiveMaxPool2DBackward0 AdaptiveMaxPool3DBackward0: result1<indices self
    AddBackward0 RsubBackward0 SubBackward0: alpha=1
    AddbmmBackward0: alpha batch1 batch2 beta
    AmaxBackward0 AminBackward0 LogsumexpBackward0: dim* keepdim result self
    AminmaxBackward0: dim keepdim max min self
    AsStridedBackward0 AsStridedScatterBackward0: size storage_offset<start stride
    AvgPool2DBackward0 AvgPool3DBackward0: kernel_size<kernel padding self stride
    BinaryCrossEntropyBackward0: reduction self target weight
    BinaryCrossEntropyWithLogitsBackward0: pos_weight reduction self target weight
    BlockDiagBackward0:
    CatBackward0: dim
    ChannelShuffleBackward0: groups
    CholeskyInverseBackward0: result self<L upper
    CholeskySolveBackward0: input2<L result upper
    ConvolutionBackward0: dilation groups input input<grad padding stride weight
    CtcLossBackward0: blank input_lengths log_probs result0<loss target_lengths targets zero_infinity
    CummaxBackward0 CumminBackward0: dim indices self
    CumprodBackward0 LogcumsumexpBackward0: dim result self
    DiagonalScatterBackward0: dim1 dim2 offset
    DivBackward1: other<number
    EmbeddingBackward0: indices padding_idx scale_grad_by_freq<by_frequency sparse
    EmbeddingBagBackward0: indices per_sample_weights scale_grad_by_freq<by_frequency sparse weight
    FftC2CBackward0: dim forward normalization<scaling
    FftC2RBackward0 FftR2CBackward0: dim normalization<scaling
    FractionalMaxPool2DBackward0 FractionalMaxPool3DBackward0: result1<indices self
    GatherBackward0: dim index index<indices
    GridSampler2DBackward0 GridSampler3DBackward0: align_corners<corners grid input<self
    HuberLossBackward0: delta reduction self target
    Im2ColBackward0: dilation kernel_size<kernel padding stride
    IndexReduceBackward0 ScatterReduceBackward0: dim include_self index
    LinalgHouseholderProductBackward0: input<A tau
    LinalgLstsqBackward0: b<B self<A solution
    LinalgLuBackward0: L P U
    LinalgMatrixExpBackward0: self<A
    LinalgPinvBackward0: result self<A
    LinalgQrBackward0: Q R mode<kind
    LinalgSolveExBackward0: A left result
    LinalgSolveTriangularBackward0: left result self<A unitriangular upper
    LinalgSvdBackward0: S U Vh
    LinalgVectorNormBackward0: dim* keepdim ord result self
    MaskedSelectBackward0: mask
    MaxPool2DWithIndicesBackward0 MaxPool3DWithIndicesBackward0: dilation kernel_size<kernel padding result1<indices self stride
    MaxUnpool2DBackward0 MaxUnpool3DBackward0: indices
    MeanBackward1 SumBackward1: dim* keepdim self_sym_sizes
    MseLossBackward0 MultilabelMarginLossBackward0 SoftMarginLossBackward0: reduction self target
    MultiMarginLossBackward0: margin p reduction self target weight
    NansumBackward0: dim* keepdim self
    NativeBatchNormBackward0 NativeGroupNormBackward0 NativeLayerNormBackward0: input<self weight
    NllLoss2DBackward0 NllLossBackward0: ignore_index reduction self target weight
    NormBackward1: dim* keepdim p<ord result self
    OrmqrBackward0: input2<tau input3<other left self<A transpose
    PdistBackward0: p result self
    PowBackward0: exponent self
    ProdBackward0: result self
    ProdBackward1: dim keepdim result self
    PutBackward0: accumulate index
    ReflectionPad1DBackward0 ReflectionPad2DBackward0 ReplicationPad1DBackward0 ReplicationPad2DBackward0: self
    Rot90Backward0: dims k<times
    ScatterAddBackward0 ScatterBackward0 SelectScatterBackward0: dim index
    SliceBackward0: dim end<stop self_sym_sizes start step
    SliceScatterBackward0: dim end<stop start step
    SmoothL1LossBackward0: beta reduction self target
    StdBackward0: correction dim* keepdim result self
    StdMeanBackward0: correction dim* keepdim result0<std self
    TakeBackward0: index
    TrilinearBackward0: i1<one i2<two i3<three
    UpsampleBicubic2DBackward0 UpsampleBilinear2DBackward0 UpsampleLinear1DBackward0 UpsampleNearest1DBackward0:
    UpsampleNearest2DBackward0 UpsampleNearest3DBackward0 UpsampleNearestExact1DBackward0 UpsampleNearestExact2DBackward0:
    UpsampleNearestExact3DBackward0 UpsampleTrilinear3DBackward0 ErfinvBackward0 LuUnpackBackward0 RreluWithNoiseBackward0:
    VarBackward0 VarMeanBackward0: correction dim* keepdim self
"""
"""Nodes: the values that they show; ``end<stop`` is tensh's ``stop``, ``dim*`` a tuple in any case, ``alpha=1`` always 1."""

WORDS = {"none": 0, "mean": 1, "sum": 2}
"""The numbers of reductions, as which nodes show them."""

UNSIGNED = frozenset("diagonal dim dim0 dim1 dim2 dims ignore_index index k offset pad padding_idx".split())
"""Numbers that nodes of PyTorch show without a sign: -1 as 2 ** 64 - 1."""


def find_shown():
    """Return node -> its shown values, as pairs of PyTorch's name (with ``*`` or ``=1``) and tensh's."""
    shown = {}
    for line in NODES.strip().splitlines():
        nodes, _, values = line.partition(":")
        pairs = [
            (theirs, ours or theirs.rstrip("*")) for theirs, _, ours in (each.partition("<") for each in values.split())
        ]
        shown |= dict.fromkeys(nodes.split(), pairs)
    return shown


SHOWN = find_shown()


def as_shown(name, value):
    """Return a saved value as PyTorch's nodes show it under a name."""
    if name.endswith("*") and value is not None:
        value = tuple(value) if type(value) in (tuple, list) else (value,)
    name = name.rstrip("*")
    if name == "indices" and type(value) is tuple:
        return tuple([wrap(each) if type(each) is ndarray else each for each in value])
    if name == "reduction":
        return WORDS.get(value, value)
    if name in UNSIGNED:
        return tuple(map(drop_sign, value)) if type(value) is tuple else drop_sign(value)
    return value


def drop_sign(number):
    """Return an int without its sign, as 64 bits; anything else unchanged."""
    return number % (1 << 64) if type(number) is int else number
