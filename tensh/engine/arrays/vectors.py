"""The vectors of numbers that the processor adds at a time."""

import numpy as np

from tensh.engine.arrays.blas import CORE

HAS_AVX512 = bool(getattr(np._core._multiarray_umath, "__cpu_features__", {}).get("AVX512_SKX"))
"""True if the processor adds 16 float32 numbers at a time, where NumPy has other loops."""
BLAS_HAS_AVX512 = HAS_AVX512 and CORE in ("", "skylakex", "cooperlake", "sapphirerapids")
"""True if BLAS does."""
