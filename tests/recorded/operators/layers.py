"""Calls of layers: activations, losses, convolutions, pooling, normalisation, padding, interpolation, attention."""

from tests.recorded.operators import call, i, rough, x

COVERS = (
    *(
        f"operators/layers/{name}.py"
        for name in "attention convolution ctc grid embedding losses normalization padding pooling rearrangement resampling taps".split()
    ),
    "operators/elementwise/activation.py", "operators/elementwise/numbered.py", "operators/linalg/pairs.py",
)  # fmt: skip

# ── activations: away from their bounds, differences of values show the derivative ───
CURVE = [call(x(3, 4)), call(x())]
TWO = [call(x(3, 4), x(3, 4)), call(x(3, 4), x(3, 4), reduction="sum"), call(x(3, 4), x(3, 4), reduction="none")]
P = {"low": 0.1, "high": 0.9}
NAMES = "relu relu6 elu selu leaky_relu hardtanh hardsigmoid hardswish silu mish logsigmoid tanhshrink softsign"
ACTIVATIONS = dict.fromkeys(NAMES.split(), CURVE) | {
    "celu": [*CURVE, call(x(3), 0.5)], "softplus": [*CURVE, call(x(3), 2.0, 1.5)], "gelu": [*CURVE, call(x(3, 4), approximate="tanh")],
    "softshrink": [*CURVE, call(x(4), 0.2)], "hardshrink": [*CURVE, call(x(4), 0.2)], "threshold": [call(x(3, 4), 0.1, 2.0)],
    "prelu": [call(x(2, 3, 4), x(3)), call(x(3), x(1))], "glu": [call(x(3, 4)), call(x(4, 3), 0)],
    "softmax": [call(x(3, 4), 1)], "softmin": [call(x(3, 4), 1)], "log_softmax": [call(x(3, 4), 0)],
}  # fmt: skip

# ── losses ───────────────────────────────────────────────────────────────────
CLASSES = i(3, low=0, high=3)
LOSSES = {
    "mse_loss": [*TWO, call(x(3), x(3), weight=x(3, **P))], "l1_loss": TWO, "smooth_l1_loss": [*TWO, call(x(3), x(3), beta=0.5)],
    "huber_loss": [*TWO, call(x(3), x(3), delta=0.7)],
    "binary_cross_entropy": [call(x(3, 4, **P), x(3, 4, **P)), call(x(3, 4, **P), x(3, 4, **P), reduction="sum")],
    "binary_cross_entropy_with_logits": [call(x(3, 4), x(3, 4, **P)), rough(x(3, 4), x(3, 4, **P), pos_weight=i(4, low=1, high=3))],
    "soft_margin_loss": [rough(x(3, 4), i(3, 4)), rough(x(3, 4), i(3, 4), reduction="none")],
    "nll_loss": [call(x(3, 4), CLASSES), call(x(3, 4), CLASSES, reduction="none"), call(x(3, 4, 2), i(3, 2, low=0, high=3)),
                 call(x(3, 4), CLASSES, ignore_index=1), call(x(4), i(low=0, high=3))],
    "cross_entropy": [call(x(3, 4), CLASSES), call(x(3, 4), CLASSES, label_smoothing=0.2), call(x(3, 4), x(3, 4, **P)),
                      call(x(2, 4, 3), i(2, 3, low=0, high=3), reduction="sum")],
    "linear_cross_entropy": [call(x(3, 2), x(4, 2), CLASSES)],
    "kl_div": [call(x(3, 4), x(3, 4, **P), reduction="batchmean"), call(x(3, 4), x(3, 4), reduction="sum", log_target=True)],
    "poisson_nll_loss": [call(x(3), x(3, **P)), call(x(3, **P), x(3, **P), log_input=False, full=True)],
    "gaussian_nll_loss": [call(x(3, 4), x(3, 4), x(3, 4, low=0.2)), call(x(3, 4), x(3, 4), x(3, 1, low=0.2), full=True)],
    "hinge_embedding_loss": [call(x(6), i(6, low=-1, high=1))],
    "margin_ranking_loss": [rough(x(4), x(4), i(4, low=-1, high=1), 0.3)],
    "cosine_embedding_loss": [call(x(3, 4), x(3, 4), i(3, low=-1, high=1))],
    "triplet_margin_loss": [call(x(3, 4), x(3, 4), x(3, 4)), call(x(3, 4), x(3, 4), x(3, 4), swap=True)],
    "triplet_margin_with_distance_loss": [call(x(3, 4), x(3, 4), x(3, 4))],
    "multi_margin_loss": [rough(x(3, 4), CLASSES), rough(x(3, 4), CLASSES, p=2)],
    "multilabel_margin_loss": [rough(x(2, 4), i(2, 4, low=-1, high=3))],
    "multilabel_soft_margin_loss": [call(x(3, 4), x(3, 4, **P))],
    "ctc_loss": [rough(x(5, 2, 4), i(2, 2, low=1, high=3), (5, 4), (2, 1))],
}  # fmt: skip

# ── convolutions, pooling ────────────────────────────────────────────────────
IMAGE, ROW, BLOCK = x(1, 2, 5, 4), x(2, 2, 6), x(1, 2, 4, 4, 3)
CONVOLUTIONS = {
    "conv1d": [call(ROW, x(3, 2, 3), x(3)), call(ROW, x(2, 1, 2), None, 2, 1, 2, 2)],
    "conv2d": [call(IMAGE, x(3, 2, 2, 3), x(3)), call(IMAGE, x(2, 1, 2, 2), None, (2, 1), "valid", 1, 2),
               call(IMAGE, x(1, 2, 3, 3), None, 1, "same")],
    "conv3d": [call(BLOCK, x(1, 2, 2, 2, 2), x(1))],
    "conv_transpose1d": [call(ROW, x(2, 3, 2), x(3), 2, 1, 1)], "conv_transpose2d": [call(IMAGE, x(2, 1, 2, 2), x(1), 2, 0, 1)],
    "conv_transpose3d": [call(x(1, 1, 2, 2, 2), x(1, 2, 2, 2, 2))], "conv_tbc": [call(x(4, 1, 2), x(2, 2, 3), x(3), 1)],
}  # fmt: skip
POOLS = {
    "max_pool1d": [call(ROW, 2), call(ROW, 3, 2, 1)], "max_pool3d": [call(BLOCK, 2)],
    "max_pool2d": [call(IMAGE, 2), call(IMAGE, 3, 2, 1), call(IMAGE, 2, return_indices=True), call(IMAGE, 2, 1, 0, 2, True)],
    "avg_pool1d": [call(ROW, 2)], "avg_pool3d": [call(BLOCK, 2)],
    "avg_pool2d": [call(IMAGE, 2), call(IMAGE, 3, 2, 1, True, False), call(IMAGE, 2, divisor_override=3)],
    "lp_pool1d": [call(x(1, 2, 6, low=0.2), 3, 2)], "lp_pool2d": [call(x(1, 2, 4, 4, low=0.2), 2, 2)], "lp_pool3d": [call(x(1, 1, 2, 2, 2, low=0.2), 2, 2)],
    "adaptive_avg_pool1d": [call(ROW, 4)], "adaptive_avg_pool2d": [call(IMAGE, (2, 3)), call(IMAGE, 1)], "adaptive_avg_pool3d": [call(BLOCK, 2)],
    "adaptive_max_pool1d": [call(ROW, 4)], "adaptive_max_pool2d": [call(IMAGE, (2, 3)), call(IMAGE, 2, True)], "adaptive_max_pool3d": [call(BLOCK, 2)],
    "max_unpool2d": [call(x(1, 2, 1, 1), i(1, 2, 1, 1, low=0, high=3), 2)],
}  # fmt: skip

# ── shapes of images ─────────────────────────────────────────────────────────
SPATIAL = {
    "pad": [call(IMAGE, (1, 2), value=0.5), call(IMAGE, (1, 2, 2, 1), "reflect"), call(IMAGE, (1, 2, 2, -1), "replicate"),
            call(ROW, (2, 1), "circular")],
    "interpolate": [call(ROW, 4, mode="linear"), call(IMAGE, (3, 7)), call(IMAGE, (3, 7), mode="nearest-exact"),
                    call(IMAGE, (3, 7), mode="bilinear"), call(IMAGE, (3, 7), mode="bicubic", align_corners=True),
                    call(IMAGE, (3, 2), mode="bilinear", antialias=True), call(IMAGE, (3, 2), mode="bicubic", antialias=True),
                    call(BLOCK, 3, mode="trilinear"), call(IMAGE, (2, 3), mode="area"), call(IMAGE, scale_factor=1.5, mode="bilinear")],
    "grid_sample": [call(IMAGE, x(1, 2, 2, 2, low=-0.8, high=0.8), align_corners=False),
                    call(IMAGE, x(1, 2, 2, 2), "bicubic", "reflection", False), rough(IMAGE, x(1, 2, 2, 2), "bilinear", "border", True),
                    rough(IMAGE, x(1, 2, 2, 2), "nearest", "zeros", True)],
    "affine_grid": [call(x(2, 2, 3), (2, 1, 2, 3), align_corners=False), call(x(1, 3, 4), (1, 1, 2, 2, 2), align_corners=True)],
    "pixel_shuffle": [call(x(1, 4, 2, 3), 2)], "pixel_unshuffle": [call(x(1, 2, 2, 4), 2)], "channel_shuffle": [call(x(1, 4, 2, 2), 2)],
    "unfold": [call(IMAGE, (2, 3)), call(IMAGE, 2, 2, 1, 2)], "fold": [call(x(1, 4, 6), (3, 4), 2)],
}  # fmt: skip

# ── normalisation, products, rows ────────────────────────────────────────────
OTHERS = {
    "batch_norm": [call(x(4, 2, 3), None, None, x(2), x(2), True), call(x(4, 2), None, None, training=True)],
    "layer_norm": [call(x(3, 4), (4,), x(4), x(4)), call(x(2, 3, 2), (3, 2))],
    "group_norm": [call(x(2, 4, 3), 2, x(4), x(4))], "instance_norm": [call(x(2, 3, 4), weight=x(3), bias=x(3))],
    "rms_norm": [call(x(3, 4), (4,), x(4))], "local_response_norm": [call(x(2, 4, 3), 3), call(x(1, 4, 2, 2), 2)],
    "linear": [call(x(3, 4), x(2, 4), x(2)), call(x(4), x(2, 4)), call(x(2, 3, 4), x(2, 4), x(2))],
    "bilinear": [call(x(3, 2), x(3, 4), x(2, 2, 4), x(2))],
    "normalize": [call(x(3, 4)), call(x(3, 4), 1.5, 0)], "cosine_similarity": [call(x(3, 4), x(3, 4)), call(x(3, 4), x(4), dim=-1)],
    "pairwise_distance": [call(x(3, 4), x(3, 4)), call(x(3, 4), x(4), 3.0)], "pdist": [call(x(4, 3)), call(x(4, 3), 3.0)],
    "one_hot": [rough(i(4, low=0, high=3)), rough(i(2, low=0, high=3), 5)],
    "embedding": [call(i(2, 3, low=0, high=3), x(4, 2)), rough(i(4, low=0, high=3), x(4, 2), 1, scale_grad_by_freq=True)],
    "embedding_bag": [call(i(2, 3, low=0, high=3), x(4, 2)), call(i(2, 3, low=0, high=3), x(4, 2), mode="max"),
                      rough(i(2, 3, low=0, high=3), x(4, 2), mode="sum", per_sample_weights=x(2, 3))],
    "scaled_dot_product_attention": [call(x(1, 2, 3, 4), x(1, 2, 2, 4), x(1, 2, 2, 4)),
                                     call(x(2, 3, 4), x(2, 3, 4), x(2, 3, 2), is_causal=True), call(x(3, 4), x(2, 4), x(2, 4), x(3, 2))],
}  # fmt: skip

SAMPLES = {
    f"nn.functional.{name}": calls
    for family in (ACTIVATIONS, LOSSES, CONVOLUTIONS, POOLS, SPATIAL, OTHERS)
    for name, calls in family.items()
} | {"constant_pad_nd": [call(x(2, 3), (1, 0, -1, 2), 0.5)]}
