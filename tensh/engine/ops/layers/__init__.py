"""What the layers of neural networks compute: convolution, pooling, normalisation, losses."""

from tensh.engine.ops.layers import (  # noqa: F401
    attend,
    convolve,
    ctc,
    grid,
    lookup,
    loss,
    normalise,
    pad,
    pool,
    rearrange,
    resample,
    taps,
)
