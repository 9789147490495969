"""Images, moving images and sound as files within a protocol buffer."""

import io
import wave

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary

from tensh.utils.tensorboard.values import arrange, as_array, as_bytes


def load_pillow():
    """Return the module ``PIL.Image``.  Raise ModuleNotFoundError where Pillow is not installed."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ModuleNotFoundError("images for TensorBoard need Pillow: pip install pillow", name="PIL") from None
    return Image


def encode(picture, height, width, channels, kind="PNG", **options):
    """Return a picture of Pillow as an image of a summary."""
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue())


def image(tag, tensor, rescale=1, dataformats="NCHW"):
    """Return an image, or a grid of several: pixels of uint8 from 0 to 255, of floats from 0 to 1."""
    return _picture(tag, as_bytes(arrange(as_array(tensor), dataformats)), rescale)


def image_boxes(tag, tensor_image, tensor_boxes, rescale=1, dataformats="CHW", labels=None):
    """Return an image with red boxes [N, 4]: left, top, right, bottom; with a label each."""
    pixels = as_bytes(arrange(as_array(tensor_image), dataformats))
    return _picture(tag, pixels, rescale, as_array(tensor_boxes), labels)


def _picture(tag, pixels, rescale, boxes=(), labels=None):
    Image = load_pillow()
    height, width, channels = pixels.shape
    picture = Image.fromarray(pixels)
    for number, box in enumerate(boxes):
        draw_box(picture, [float(edge) for edge in box], labels[number] if labels else None)
    picture = picture.resize((int(width * rescale), int(height * rescale)), Image.Resampling.LANCZOS)
    return Summary(value=[Summary.Value(tag=tag, image=encode(picture, height, width, channels))])


def draw_box(picture, box, label):
    """Draw a red box into a picture, with its label at the lower left."""
    from PIL import ImageDraw, ImageFont

    draw, (left, top, right, bottom) = ImageDraw.Draw(picture), box
    draw.line([(left, top), (left, bottom), (right, bottom), (right, top), (left, top)], "red", 2)
    if label:
        font = ImageFont.load_default()
        wide, high = font.getbbox(label)[2:]
        draw.rectangle((left, bottom - high - 2, left + wide + 2, bottom), fill="red")
        draw.text((left + 1, bottom - high - 1), label, fill="black", font=font)


def video(tag, tensor, fps=4):
    """Moving images [N, T, C, H, W], N of them in a grid, as a GIF of ``fps`` images a second."""
    Image = load_pillow()
    frames = tile_videos(as_bytes(as_array(tensor)))
    count, height, width, channels = frames.shape
    first, *others = (Image.fromarray(frame[..., 0] if channels == 1 else frame) for frame in frames)
    held = encode(
        first, height, width, channels, "GIF", save_all=True, append_images=others, duration=1000 // fps, loop=0
    )
    return Summary(value=[Summary.Value(tag=tag, image=held)])


def tile_videos(videos):
    """Videos [N, T, C, H, W] as frames [T, rows, columns, C]: their number is filled up to a power of two with black."""
    count, times, channels, height, width = videos.shape
    whole = 1 << max(count - 1, 0).bit_length()
    rows = 1 << (count.bit_length() - 1) // 2
    filled = np.zeros((whole, *videos.shape[1:]), videos.dtype)
    filled[:count] = videos
    grid = filled.reshape(rows, whole // rows, times, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(times, rows * height, whole // rows * width, channels)


def audio(tag, tensor, sample_rate=44100):
    """Sound between -1 and 1, beyond which it is cut off.  Raise AssertionError for more than one dimension."""
    sound = as_array(tensor).squeeze()
    if sound.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    samples, file = (sound.clip(-1, 1) * np.iinfo(np.int16).max).astype("<i2"), io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(sample_rate)
        written.writeframes(samples.tobytes())
    held = Summary.Audio(
        sample_rate=sample_rate, num_channels=1, length_frames=len(samples), encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=tag, audio=held)])


def draw_figures(figures, close):
    """Return a figure of Matplotlib as pixels [3, H, W]; a list of them as [N, 3, H, W]."""
    if isinstance(figures, list):
        return np.stack([draw_figures(figure, close) for figure in figures])
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figures)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3].transpose(2, 0, 1)
    if close:
        pyplot.close(figures)
    return pixels
