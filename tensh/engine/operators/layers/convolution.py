"""Convolutions: three linear maps, each the derivative of the other two, so that every order of derivative consists of them.

In mathematical notation, for an input x, a weight w and an output y with any number of spatial dimensions:
``correlate`` is x, w -> y; ``correlate_back`` is y, w -> x, its adjoint in x and the forward pass of a transposed
convolution; ``match`` is y, x -> w, its adjoint in w.  Shapes: x [N, C, *S], w [O, C / groups, *K], y [N, O, *T].
"""

import math

import numpy as np

from tensh.engine.arrays.matmul import matmul, prepare
from tensh.engine.arrays.pieces import multiply_stacks
from tensh.engine.arrays.threads import pool, run
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.operators.layers.convolution_algorithms.few_positions import (
    FEW,
    FEW_SUMMED,
    add_few,
    find_taps,
    has_few_positions,
    match_few,
    multiply_few,
)
from tensh.engine.operators.layers.convolution_algorithms.little_images import are_little, copy_windows, multiply_little
from tensh.engine.operators.layers.convolution_algorithms.phases import find_phases, place_windows
from tensh.engine.operators.layers.convolution_algorithms.shifts import find_shifts
from tensh.engine.operators.layers.convolution_algorithms.window_sums import sum_products
from tensh.engine.operators.layers.formats import keeping_format
from tensh.engine.operators.layers.windows import lay_together, output_size, pad_sides, strip_padding, windows
from tensh.engine.operators.precision import compute_in_float32

GEOMETRY = "stride, padding, dilation, groups"
# Elements of copies of images made at a time, unless one image has more: those of all images would fill memory, and
# copies in the cache take half of the time.
COPIES = 1 << 19
# Elements of copies of one image made at a time, where its channels are convolved apart: 96 channels with kernels of 7 x 7
# over 56 x 56 take a third of the time, 32 with 3 x 3 over 112 x 112 half.
GROUPED = 1 << 20
# The number of parts of a batch, for several threads, and the least number of copied elements in a part.
PARTS, FEWEST = 4, 1 << 16
# Windows over the padding of a transposed convolution, per position of its input, up to which windows are multiplied:
# for kernels larger than the image, adding a window for every position takes less time.
ROOM = 4
IN_ROWS = np.float64, np.float16
DEAR = 2  # channels of windows made in the time in which one channel of windows is added up


def is_volume_in_rows(input):
    """Return True for volumes that PyTorch convolves row by row: in float64 and float16, and single ones in float32."""
    return input.ndim == 5 and (input.dtype in IN_ROWS or input.dtype == np.float32 and len(input) == 1)


def convolution(kernel_name, **derivatives):
    """Declare one of the three maps."""
    return op(
        public=False, out=False, node="ConvolutionBackward0", types="iufc", kernel_name=kernel_name, **derivatives
    )


NO_BIAS = "expand(sum_dim(sum_dim(g, all_but_channels(g.ndim)), 0, True), weight.shape[:1])"
"""The gradient of the bias, zeros, where an output without channels comes from a weight that has some."""


@convolution(
    "slow_conv2d_cpu",
    input=f"tie(correlate_back(g, conj(weight), None, input.shape, {GEOMETRY}), input)",
    weight=f"tie(match(g, conj(input), weight.shape, {GEOMETRY}), weight)",
    bias=f"tie(tie(sum_dim(g, all_but_channels(g.ndim)) if g.shape[1] else {NO_BIAS}, input), weight)",
)
@keeping_format(operands=slice(2), unless=is_volume_in_rows)
@compute_in_float32
def correlate(input, weight, bias=None, stride=(), padding=(), dilation=(), groups=1, size=None):
    """The convolution of deep learning: a sliding window of ``weight`` over ``input``, plus ``bias`` per channel.

    ``size`` is the number of windows, if it is not the largest that fits.
    """
    if size is None:
        size = output_size(input.shape[2:], weight.shape[2:], stride, padding, dilation)
    taps, padding = find_taps(input.dtype, input.shape[2:], weight.shape[2:], size, stride, padding, dilation)
    weight = weight if taps is None else weight[(..., *taps)]
    if has_few_positions(len(input), size, weight.shape, groups, FEW):
        result = multiply_few(input, weight, stride, padding, dilation, groups, size)
    else:
        result = multiply_windows(input, weight, stride, padding, dilation, groups, size)
    if not input.shape[1] and len(input):
        return result[:, :0]  # as in PyTorch, an input without channels has an output without channels
    if bias is not None:
        result += bias.reshape(-1, *(1,) * len(size))
    return result


def multiply_windows(input, weight, stride, padding, dilation, groups, size):
    """Multiply all ``size`` windows by the weight, with one matrix product for every image."""
    if are_little(len(input), size, weight.shape, groups):
        return multiply_little(input, weight, stride, padding, dilation, groups, size)
    kernel = weight.shape[2:]
    if blocks := cut_groups(groups, input.shape[1], len(weight), kernel, size):
        parts = [
            multiply_windows(input[:, read], weight[write], stride, padding, dilation, number, size)
            for number, read, write in blocks
        ]
        return np.concatenate(parts, 1)
    kernels = weight.reshape(groups, weight.shape[0] // groups, math.prod(weight.shape[1:]))
    result = np.empty((len(input), groups, kernels.shape[1], math.prod(size)), np.result_type(input, weight))
    shifts = find_shifts(
        len(input), input.shape[2:], padding, kernel, size, stride, dilation, weight.shape[1], len(weight) // groups
    )
    phases = find_phases_of(input, padding, kernel, size, stride, dilation)
    whole = input if shifts and shifts.pads or phases else pad_sides(input, padding)
    multiply = choose_product(len(input))
    if shifts:
        parts, lines = shifts.split(weight, groups), result.reshape(*result.shape[:3], *size)

    def work(part):
        if shifts:
            shifts.slide(parts, whole[part], lines[part])
        elif phases:
            phases.multiply(multiply, kernels, phases.windows(whole[part], padding, groups), result[part])
        else:
            multiply(kernels, windows(whole[part], kernel, size, stride, dilation, groups), result[part])

    map_images(work, input, count_copies(shifts, kernel), size, weight.size, apart=True)
    return result.reshape(len(input), weight.shape[0], *size)


@convolution(
    "slow_conv_transpose2d_out_cpu",
    grad=f"tie(correlate(g, conj(weight), None, {GEOMETRY}, grad.shape[2:]), grad)",
    weight=f"tie(match(conj(grad), g, weight.shape, {GEOMETRY}), weight)",
    bias="tie(tie(sum_dim(g, all_but_channels(g.ndim)), grad), weight)",
)
@keeping_format(operands=slice(2), unless=is_volume_in_rows)
@compute_in_float32
def correlate_back(grad, weight, bias=None, shape=(), stride=(), padding=(), dilation=(), groups=1):
    """Add the weight, scaled by each output element, to that element's window: the adjoint of ``correlate``."""
    spatial, size = shape[2:], grad.shape[2:]
    taps, padding = find_taps(grad.dtype, spatial, weight.shape[2:], size, stride, padding, dilation)
    weight = weight if taps is None else weight[(..., *taps)]
    kernel = weight.shape[2:]
    around = tuple(d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding))
    if not grad.size or not weight.size:
        result = np.zeros((len(grad), weight.shape[1] * groups, *spatial), np.result_type(grad, weight))
    elif has_few_positions(len(grad), size, weight.shape, groups, FEW):
        result = add_few(grad, weight, spatial, stride, padding, dilation, groups)
    elif (
        set(stride) == {1}
        and min(around) >= 0
        and spatial == output_size(size, kernel, stride, around, dilation)
        and math.prod(spatial) <= ROOM * math.prod(size)
        and (
            len(weight) // groups < DEAR * weight.shape[1]
            or find_shifts(
                len(grad), size, around, kernel, spatial, stride, dilation, len(weight) // groups, weight.shape[1]
            )
        )
    ):
        result = multiply_windows(grad, flip_weight(weight, groups), stride, around, dilation, groups, spatial)
    else:
        result = add_windows(grad, weight, spatial, stride, padding, dilation, groups)
    if bias is not None:
        result += bias.reshape(-1, *(1,) * len(spatial))
    return result


def flip_weight(weight, groups):
    """Return the weight of the adjoint as a convolution: reversed, with input and output channels exchanged."""
    weight = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:]).swapaxes(1, 2)
    weight = np.ascontiguousarray(np.flip(weight, range(3, weight.ndim)))
    return weight.reshape(-1, *weight.shape[2:])


def add_windows(grad, weight, spatial, stride, padding, dilation, groups):
    """Sum the scaled weights of all output positions, each in its window."""
    kernel, size = weight.shape[2:], grad.shape[2:]
    batch, channels = grad.shape[0], weight.shape[1] * groups
    kernels = weight.reshape(groups, weight.shape[0] // groups, math.prod(weight.shape[1:])).swapaxes(1, 2)
    values = grad.reshape(batch, groups, grad.shape[1] // groups, *size)
    shape = batch, channels, *(n + 2 * p for n, p in zip(spatial, padding))
    result, multiply = np.zeros(shape, np.result_type(grad, weight)), choose_product(batch)
    if values.shape[2] == 1:
        multiply = np.multiply  # a column by a row
    lines = None
    if math.prod(size) >= math.prod(kernel) and np.isfinite(weight).all():  # zeros between rows stay zeros
        lines = place_windows(shape[2:], kernel, tuple(size), tuple(stride), tuple(dilation))

    def work(part):
        some = values[part]
        if lines is not None:
            columns = multiply(kernels, lines.spread(some))
            lines.lay_together(columns.reshape(len(some), channels, -1, lines.length), result[part])
        else:
            columns = multiply(kernels, some.reshape(*some.shape[:3], -1))
            lay_together(columns.reshape(-1, channels, *kernel, *size), result[part], stride, dilation)

    map_images(work, result, count_copies(None, kernel), size, weight.size, apart=True)
    return strip_padding(padding, result, spatial)


@convolution(
    "slow_conv2d_cpu",
    grad=f"correlate(conj(input), g, None, {GEOMETRY}, grad.shape[2:])",
    input=f"correlate_back(conj(grad), g, None, input.shape, {GEOMETRY})",
)
@keeping_format(operands=slice(1, 2), unless=is_volume_in_rows)
@compute_in_float32
def match(grad, input, shape, stride, padding, dilation, groups):
    """Correlate every window of ``input`` with the gradient: the adjoint of ``correlate`` in the weight."""
    if not grad.size or not input.size:
        return np.zeros(shape, grad.dtype)
    size = grad.shape[2:]
    taps, around = find_taps(input.dtype, input.shape[2:], shape[2:], size, stride, padding, dilation)
    if taps is None:
        return match_windows(grad, input, shape, stride, padding, dilation, groups)
    result = np.zeros(shape, grad.dtype)
    part = result[(..., *taps)]
    part[...] = match_windows(grad, input, part.shape, stride, around, dilation, groups)
    return result


def match_windows(grad, input, shape, stride, padding, dilation, groups):
    """Correlate all windows with the gradient, with one product for several images."""
    size = grad.shape[2:]
    if has_few_positions(len(input), size, shape, groups, FEW_SUMMED):
        return match_few(grad, input, shape, stride, padding, dilation, groups)
    if are_little(len(input), size, shape, groups):
        columns = copy_windows(input, shape[2:], size, stride, padding, dilation, groups)
        values = grad.reshape(len(grad), groups, -1, math.prod(size))
        return np.ascontiguousarray(sum_products([columns], values)[0].swapaxes(1, 2)).reshape(shape)
    if blocks := cut_groups(groups, input.shape[1], shape[0], shape[2:], size):
        parts = [
            match_windows(
                grad[:, write],
                input[:, read],
                (write.stop - write.start, *shape[1:]),
                stride,
                padding,
                dilation,
                number,
            )
            for number, read, write in blocks
        ]
        return np.concatenate(parts)
    values = grad.reshape(grad.shape[0], groups, grad.shape[1] // groups, math.prod(size))
    shifts = find_shifts(
        len(input), input.shape[2:], padding, shape[2:], size, stride, dilation, shape[1], shape[0] // groups
    )
    phases = find_phases_of(input, padding, shape[2:], size, stride, dilation)
    whole = input if shifts and shifts.pads or phases else pad_sides(input, padding)
    lines, sums = values.reshape(*values.shape[:3], *size), {}

    def work(part):
        if shifts:
            sums[part.start] = shifts.join(shifts.match(lines[part], whole[part], groups))
        elif phases:
            columns = phases.windows(whole[part], padding, groups)
            sums[part.start] = sum_products([columns], phases.spread(lines[part]))[0].swapaxes(1, 2)
        else:
            columns = windows(whole[part], shape[2:], size, stride, dilation, groups)
            sums[part.start] = sum_products([columns], values[part])[0].swapaxes(1, 2)

    map_images(work, input, count_copies(shifts, shape[2:]), size, math.prod(shape))
    result = np.zeros((groups, shape[0] // groups, math.prod(shape[1:])), grad.dtype)
    for start in sorted(sums):  # threads finish in any order
        result += sums[start]
    return result.reshape(shape)


@word
def all_but_channels(ndim):
    """Return the dimensions over which the gradient of the bias is summed."""
    return (0, *range(2, ndim))


# ── work on images ───────────────────────────────────────────────────────────


def find_phases_of(input, *geometry):
    """Return the phases of an image; None where columns of windows take less time."""
    padding, *geometry = geometry
    padded = tuple(n + 2 * p for n, p in zip(input.shape[2:], padding))
    return find_phases(padded, *geometry)


def choose_product(images):
    """Return the matrix product for each image: threads share the images, or the product of a single one."""
    return matmul if images == 1 else multiply_stacks


def cut_groups(groups, channels, outputs, kernel, size):
    """Return blocks of groups whose windows in an image are computed together, or nothing if all of them are.

    A block is (number of groups, slice of the channels, slice of the outputs).
    """
    windows = channels // groups * math.prod(kernel) * math.prod(size)
    number = max(1, GROUPED // max(1, windows))
    if number >= groups:
        return []
    read, write = channels // groups, outputs // groups
    parts = [(start, min(start + number, groups)) for start in range(0, groups, number)]
    return [
        (stop - start, slice(start * read, stop * read), slice(start * write, stop * write)) for start, stop in parts
    ]


def count_copies(shifts, kernel):
    """Count the copies of an image that are made: one for each element of the kernel, or for each that is shifted."""
    return len(shifts.inner) if shifts else math.prod(kernel)


def map_images(work, images, copies, size, products, apart=False):
    """Call ``work(part)`` for slices of the batch, on several threads.

    There are as many parts as the ``copies`` of an image, each as large as the windows, require, and at least PARTS.
    If images are computed ``apart``, so that the result of one is the same in any part, each thread may have a part: threads
    wait for Python's lock in every step, and take three quarters of the time of PARTS.  Each window is multiplied by
    ``products`` numbers.
    """
    number, windows = len(images), math.prod(size)
    length = max(1, images.shape[1] * copies * windows)
    if number == 1 or 0 < number * length < 2 * FEWEST:
        prepare(number * windows * products)
        work(slice(0, number))
        return
    parts, most = max(1, -(-number * length // COPIES)), max(1, number * length // FEWEST)
    threads = pool.size() if apart and copies > 1 else 1
    parts = min(threads * -(-parts // threads), most) if threads > 1 else max(parts, min(PARTS, most))
    share = max(1, -(-number // parts))
    parts = -(-number // share)
    prepare(number * windows * products, parts)
    run(lambda i: work(slice(i * share, (i + 1) * share)), parts)
