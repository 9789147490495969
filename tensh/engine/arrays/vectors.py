"""The vectors of numbers that the processor adds at a time."""

import numpy as np

HAS_AVX512 = bool(getattr(np._core._multiarray_umath, "__cpu_features__", {}).get("AVX512_SKX"))
"""True if the processor adds 16 float32 numbers at a time, where NumPy and BLAS have other loops."""
