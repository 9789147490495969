"""Names of a loader's workers, where programs written for PyTorch look for them."""

import numpy as np

from tensh.utils.data.worker_info import WorkerInfo, get_worker_info

__all__ = ["WorkerInfo", "get_worker_info"]


def _generate_state(base_seed, worker_id):
    """Four numbers that seed NumPy's random numbers in a worker, different in each."""
    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return np.random.SeedSequence(entropy).generate_state(4).tolist()
