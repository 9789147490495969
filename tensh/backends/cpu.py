"""torch.backends.cpu: what the processor can do."""

import numpy as np

__all__ = ["get_cpu_capability"]


def get_cpu_capability():
    """Return the processor's widest instructions for which PyTorch has kernels: "AVX512", "AVX2" or "DEFAULT".

    >>> import tensh as torch
    >>> torch.backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")
    True
    """
    features = getattr(np._core._multiarray_umath, "__cpu_features__", {})
    known = {"AVX512": "AVX512_SKX", "AVX2": "AVX2"}
    return next((name for name, feature in known.items() if features.get(feature)), "DEFAULT")
