"""A pipe that goes on where another stopped."""

from tensh.utils.data.datapipes._hook_iterator import _SnapshotState
from tensh.utils.data.graph_settings import apply_random_seed


def _simple_graph_snapshot_restoration(datapipe, n_iterations, rng=None):
    """Skip ``n_iterations`` samples of a pipe, so that its next iterator gives those after them.

    ``rng`` is the generator for shuffled pipes, in the state that it had first. RuntimeError if there are too few samples, or
    if the pipe has been restored and not been iterated over since.
    """
    if datapipe._snapshot_state == _SnapshotState.Restored:
        raise RuntimeError(
            "Snapshot restoration cannot be applied. You can only restore simple snapshot to the graph "
            "if your graph has not been restored."
        )
    datapipe.reset()
    apply_random_seed(datapipe, rng)
    samples = iter(datapipe)
    for _ in range(n_iterations):
        try:
            next(samples)
        except StopIteration as error:
            raise RuntimeError(
                f"Fast-forward {datapipe} by {n_iterations} iterations exceeds the number of samples available."
            ) from error
    datapipe._fast_forward_iterator = samples
    datapipe._snapshot_state = _SnapshotState.Restored
