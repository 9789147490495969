"""``torch.ops.torchaudio``: operators that ``import torchaudio`` expects of its compiled library, which is not loaded."""

import numpy as np

from tensh.library import Library

BLOCK = 128
"""The number of samples that are filtered at once: products of that many rows, and as few steps as possible."""


def filter_recursively(input, a_flipped, padded):
    """Write the outputs of recursive filters behind the first ones in ``padded``, which are given.

    An output is the input without the products of ``order`` coefficients, the last first, and the outputs before. Shapes:
    [batch, channels, samples], [channels, order + 1], [batch, channels, samples + order].
    """
    coefficients = a_flipped.array[:, :-1].astype(np.float64)
    for channel, row in enumerate(coefficients):
        filter_channel(input.array[:, channel], row, padded.array[:, channel])


def filter_channel(input, coefficients, padded):
    """Filter one channel, in blocks: a block is the product of its inputs and the filter's answers to impulses."""
    order, samples = len(coefficients), input.shape[1]
    impulse = np.zeros(BLOCK + order)
    impulse[order] = 1
    for t in range(1, BLOCK):
        impulse[t + order] = -coefficients @ impulse[t : t + order]
    late = np.arange(BLOCK)[:, None] - np.arange(BLOCK)
    answers = np.where(late >= 0, impulse[order:][late.clip(0)], 0.0)
    for start in range(0, samples, BLOCK):
        block = input[:, start : start + BLOCK].astype(np.float64)
        n = block.shape[1]
        before = padded[:, start : start + order].astype(np.float64)
        for t in range(min(order, n)):
            block[:, t] -= before[:, t:] @ coefficients[: order - t]
        padded[:, start + order : start + order + n] = block @ answers[:n, :n].T


def overdrive(waveform, distorted, last_in, last_out, output):
    """Write half of a waveform plus three quarters of its distorted form without its mean: [channels, samples]."""
    before, after = last_in.array, last_out.array
    for t, (plain, new) in enumerate(zip(waveform.array.T, distorted.array.T, strict=True)):
        after[:] = new - before + 0.995 * after
        before[:] = new
        output.array[:, t] = plain * 0.5 + after * 0.75


LIBRARY = Library("torchaudio", "FRAGMENT")  # lives as long as the program
LIBRARY.define(
    "_lfilter_core_loop(Tensor input_waveform, Tensor a_coeffs_flipped, Tensor(a!) padded_output_waveform) -> ()"
)
LIBRARY.impl("_lfilter_core_loop", filter_recursively, "CPU")
LIBRARY.define(
    "_overdrive_core_loop(Tensor waveform, Tensor temp, Tensor(a!) last_in, Tensor(b!) last_out, Tensor(c!) output_waveform) -> ()"
)
LIBRARY.impl("_overdrive_core_loop", overdrive, "CPU")

FACTS = Library("_torchaudio", "FRAGMENT")
FACTS.define("is_align_available() -> bool")
FACTS.impl("is_align_available", lambda: False, "CompositeExplicitAutograd")
FACTS.define("cuda_version() -> int?")
FACTS.impl("cuda_version", lambda: None, "CompositeExplicitAutograd")
