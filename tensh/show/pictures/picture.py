"""A tensor as an image: `image`."""

import math

import numpy as np

from tensh.show.drawing.blocks import shade
from tensh.show.drawing.page import Bitmap, Paint, View
from tensh.show.drawing.shrinking import shrink
from tensh.show.drawing.text import comment
from tensh.show.reading import describe
from tensh.show.reading.values import array_of, is_complex
from tensh.support.language import _

CHANNELS = (1, 3, 4)  # grey, RGB, RGBA
MOST_ROWS = 60  # columns, on a page of any height
MOST_IMAGES = 32
MOST_POINTS = 1024  # pixels of a side, in a terminal that shows images
BRIGHTNESS = np.array([0.299, 0.587, 0.114])  # weights of red, green and blue, by ITU-R BT.601


class Image(View):
    """One or several images, as values from 0 to 1 of (image, row, column, channel), and how they were read."""

    def __init__(self, value, name=""):
        self.name = name
        array = array_of(value)
        self.brief = describe.brief(value) if describe.is_array(value) else ""
        images, self.reading = arrange(array)
        self.whole = len(images)
        self.images = images[:MOST_IMAGES]
        self.low, self.high = value_range(self.images, array.dtype)

    @property
    def values(self):
        """The images as values from 0 to 1."""
        values = self.images.astype(np.float64)
        values = np.nan_to_num((values - self.low) / ((self.high - self.low) or 1.0), nan=0.0)
        if values.shape[-1] == 4:
            values = values[..., :3] * values[..., 3:]
        return np.clip(values, 0.0, 1.0)

    def draw(self, page):
        room = max(page.height - 7, 4) if page.height else MOST_ROWS
        in_color = page.colors > 16 and page.unicode
        width = page.width if in_color else page.width - 4
        values = self.values
        rows, columns = values.shape[1:3]
        scale = min(1.0, 2 * room / rows, width / columns)
        small = [shrink(image, max(round(rows * scale), 1), max(round(columns * scale), 1)) for image in values]
        each = -(-len(small[0]) // 2) + 1
        shown = 0
        for number, group in enumerate(rows_of(small, width)):
            if number and (number + 1) * each > room:
                break
            yield "plain", "\n" * bool(number)
            if page.graphics and in_color:
                yield draw_bitmap(join_images(values[shown : shown + len(group)]), join_images(group), page.graphics)
                yield "plain", "\n"
            else:
                yield from draw_in_half_blocks(join_images(group)) if in_color else draw_in_shades(join_images(group))
            shown += len(group)
        yield from comment(self.remarks(shown), page)

    def remarks(self, shown):
        """Describe the picture, and the meaning given to each dimension."""
        if self.name or self.brief:
            yield f"{self.name}  {self.brief}".strip()
        yield _("read as {reading}").format(reading=self.reading)
        yield _("dark = {low}, bright = {high}").format(low=describe.number(self.low), high=describe.number(self.high))
        if np.isnan(self.images).any():
            yield _("NaN is dark")
        if self.whole > shown:
            yield _("{shown} of {whole:,} images").format(shown=shown, whole=self.whole)


def arrange(array):
    """Return (image, row, column, channel) values, and a description of the dimensions."""
    if is_complex(array):
        array = np.abs(array.astype(np.complex64))
    shape = array.shape
    if array.ndim in (2, 3, 4) and 0 in shape:
        raise ValueError(_("image(): there are no values to draw"))
    if array.ndim not in (2, 3, 4):
        raise ValueError(
            _("image(): expected 2 to 4 dimensions (such as [3, 32, 32]), not {shape}").format(shape=list(shape))
        )
    if array.ndim == 2:
        return array[None, ..., None], _("height x width")
    if array.ndim == 3:
        if channels_first(shape):
            return np.moveaxis(array, 0, -1)[None], _("channels x height x width")
        if shape[2] in CHANNELS:
            return array[None], _("height x width x channels")
        return array[..., None], _("images x height x width")
    if channels_first(shape[1:]):
        return np.moveaxis(array, 1, -1), _("images x channels x height x width")
    if shape[3] in CHANNELS:
        return array, _("images x height x width x channels")
    return array.reshape(-1, *shape[2:], 1), _("images x maps x height x width")


def channels_first(shape):
    """Return True if the first of three dimensions is the channels; if the last may be, too, not for four channels."""
    return shape[0] in CHANNELS and (shape[0] != 4 or shape[2] not in CHANNELS)


def value_range(images, dtype):
    """Return the values shown dark and bright: the usual range of images if it contains all values, else their range."""
    finite = images[np.isfinite(images)].astype(np.float64)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if dtype.kind == "b":
        return 0.0, 1.0
    if dtype.kind in "iu":
        return (0.0, 255.0) if dtype == np.uint8 or (low >= 0 and 1 < high <= 255) else (low, high)
    for usual in ((0.0, 1.0), (-1.0, 1.0)):
        if usual[0] <= low and high <= usual[1] and high - low > 0.1 * (usual[1] - usual[0]):
            return usual
    return (0.0, 255.0) if low >= 0 and 32 < high <= 255 else (low, high)


def rows_of(images, width):
    """Yield the images in groups that fit a width, with a column between them."""
    number = max((width + 1) // (images[0].shape[1] + 1), 1)
    for begin in range(0, len(images), number):
        yield images[begin : begin + number]


def join_images(images):
    """Join images side by side."""
    gap = np.zeros((images[0].shape[0], 1, images[0].shape[2]))
    return np.concatenate([part for image in images for part in (gap, image)][1:], axis=1)


def draw_bitmap(image, small, protocol):
    """Return an image with all its pixels, for the space that its half-block form takes."""
    from tensh.show.drawing.png import encode

    image = shrink(image, MOST_POINTS, MOST_POINTS)
    points = np.rint(np.broadcast_to(image, (*image.shape[:2], 3)) * 255).astype(np.uint8)
    return Bitmap(encode(points), small.shape[1], -(-small.shape[0] // 2), protocol), " "


def draw_in_half_blocks(image):
    """Draw two rows of an image per line: the upper as the foreground of a half block, the lower as its background."""
    colors = np.rint(np.broadcast_to(image, (*image.shape[:2], 3)) * 255).astype(int).tolist()
    for row in range(0, len(colors), 2):
        below = colors[row + 1] if row + 1 < len(colors) else [None] * len(colors[row])
        for upper, lower in zip(colors[row], below, strict=True):
            yield Paint(tuple(upper), lower and tuple(lower)), "▀"
        yield "plain", "\n"


def draw_in_shades(image):
    """Draw two rows of an image per line, as a character whose density is their brightness."""
    grey = image[..., 0] if image.shape[-1] == 1 else image @ BRIGHTNESS
    grey = shrink(grey, math.ceil(len(grey) / 2), grey.shape[1])
    for row in grey.tolist():
        yield "plain", "  |" + "".join(map(shade, row)) + "|\n"


def image(input, name=""):
    """Show a tensor as an image, or as several images side by side.

    Args:
        input: of shape height x width; channels x height x width, with 1, 3 or 4 channels; or a batch of these. The
            channels may come last as well; the line below the image tells how the dimensions were read. Values are read
            as 0 to 1, -1 to 1 or 0 to 255 if they all lie in that range, else from the smallest to the largest.
        name: the name in the summary line.

    >>> import tensh
    >>> tensh.show.image(tensh.arange(64.).view(4, 16) / 63)
      |.....::::::-----|
      |*****######%%%%%|
    # [4, 16] float32 · read as height x width · dark = 0, bright = 1
    """
    return Image(input, name)
