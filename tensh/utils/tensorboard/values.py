"""Values as NumPy arrays, and arrays in the layout of images."""

import numpy as np

from tensh.engine import find_public


def as_array(value):
    """A number [1], an array or a tensor as an array; bfloat16 as float16.  Raise NotImplementedError for anything else."""
    if isinstance(value, np.ndarray):
        return value
    if np.isscalar(value):
        return np.array([value])
    if isinstance(value, find_public("Tensor")):
        value = value.detach()
        return (value.half() if value.dtype == find_public("bfloat16") else value).numpy()
    raise NotImplementedError(f"Got {type(value)}, but numpy array or torch tensor are expected.")


def arrange(array, form):
    """Return images with dimensions named by letters (``"NCHW"``, ``"HW"``) as one image [H, W, C] of three or four channels.

    Several images become a grid. Raise AssertionError for a letter that occurs twice, or another number of dimensions.
    """
    form = form.upper()
    if len(set(form)) < len(form):
        raise AssertionError(f"You can not use the same dimension shorthand twice. input_format: {form}")
    if array.ndim != len(form):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {array.shape}, input_format: {form}"
        )
    wanted = {4: "NCHW", 3: "HWC", 2: "HW"}[array.ndim]
    array = array.transpose([form.index(letter) for letter in wanted])
    if array.ndim == 4:
        return tile(array).transpose(1, 2, 0)
    if array.ndim == 2:
        array = array[:, :, None]
    return np.repeat(array, 3, axis=2) if array.shape[2] == 1 else array


def tile(images, columns=8):
    """Return a grid [3, rows, columns] of images [N, C, H, W].  Raise AssertionError unless they have 1 or 3 channels."""
    if images.ndim == 4 and images.shape[1] == 1:
        images = np.repeat(images, 3, axis=1)
    if images.ndim != 4 or images.shape[1] != 3:
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    count, channels, height, width = images.shape
    columns = min(count, columns)
    rows = -(-count // columns)
    grid = np.zeros((rows * columns, channels, height, width), images.dtype)
    grid[:count] = images
    grid = grid.reshape(rows, columns, channels, height, width).transpose(2, 0, 3, 1, 4)
    return grid.reshape(channels, rows * height, columns * width)


def as_bytes(array):
    """Return pixels from 0 to 255: those of uint8 unchanged, others scaled from 0 to 1."""
    scale = 1 if array.dtype == np.uint8 else 255
    return (array.astype(np.float32) * scale).clip(0, 255).astype(np.uint8)
