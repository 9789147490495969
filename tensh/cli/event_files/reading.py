"""Event files as they grow: the numbers, texts, histograms and images of the runs below a folder."""

import contextlib
import io
import os
import struct
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tensh.language import _

LARGEST = 1 << 27  # bytes of a record: a larger one is no record
MOST_POINTS = 1 << 24  # of an image that is shown
LONGEST_SIDE = 2048  # of an image as it is shown: in numbers of eight bytes, 16 million points would take 400 MB
HEAD, TAIL = 12, 4  # bytes around the content of a record: its length and the checksums of both
LENGTH = 8  # bytes of the length


class Unreadable(Exception):
    """There is nothing to show, and the text says why."""


class Point(NamedTuple):
    """A value of a run: its step, when it was written, and the number, text, histogram or file of an image."""

    step: int
    time: float
    value: object


class Histogram(NamedTuple):
    """How many numbers lie below each limit, above the one before."""

    limits: list
    counts: list


def load_event():
    """The protocol buffer of an event, and the checksum of its length.  Raise Unreadable without the package that has them."""
    try:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
    except ImportError:
        raise Unreadable(_("tensh watch needs the package tensorboard: pip install 'tensh[tensorboard]'")) from None
    return Event, masked_crc32c


class Runs:
    """The event files below a folder: kind -> tag -> run -> points, where a run is a folder, by its path from there."""

    def __init__(self, folder):
        if not os.path.isdir(folder):
            raise Unreadable(_("there is no folder {path}").format(path=folder))
        self.folder, (self.Event, self.checksum) = Path(folder), load_event()
        self.forget()

    def forget(self):
        """Begin again: nothing has been read."""
        self.places = {}  # file -> bytes that have been read
        tables = (defaultdict(lambda: defaultdict(list)) for _ in range(4))
        self.numbers, self.texts, self.histograms, self.images = tables

    def refresh(self):
        """Read what is new; True if anything is.  Raise Unreadable for a file that holds no events.

        Files that have become shorter, or are gone, belong to runs that were begun again: all files are read anew.
        """
        before, sizes = dict(self.places), dict(self.list_files())
        if any(sizes.get(path, -1) < place for path, place in self.places.items()):
            self.forget()
        for path in sorted(sizes):
            self.read(path)
        return before != self.places

    def list_files(self):
        """(path, size) of the event files found."""
        for place, _folders, names in os.walk(self.folder):
            for name in names:
                with contextlib.suppress(OSError):  # gone again, or a link to nowhere
                    if "tfevents" in name and os.path.isfile(path := os.path.join(place, name)):
                        yield path, os.path.getsize(path)

    def read(self, path):
        """Read the records of a file that have been completed since."""
        run = os.path.relpath(os.path.dirname(path), self.folder)
        try:
            with open(path, "rb") as file:
                file.seek(self.places.setdefault(path, 0))
                while len(head := file.read(HEAD)) == HEAD:
                    size, checksum = struct.unpack("<QI", head)
                    if size > LARGEST or checksum != self.checksum(head[:LENGTH]):
                        raise self.refuse(path)
                    content = file.read(size + TAIL)
                    if len(content) < size + TAIL:
                        break
                    self.take(path, run, content[:size])
                    self.places[path] += HEAD + size + TAIL
        except FileNotFoundError:  # removed since it was listed
            return
        except OSError as error:
            raise Unreadable(f"{path}: {error.strerror}") from None

    def refuse(self, path):
        return Unreadable(_("{path} is no event file of TensorBoard").format(path=path))

    def take(self, path, run, content):
        """Take the values of an event."""
        from google.protobuf.message import DecodeError

        try:
            event = self.Event.FromString(content)
        except DecodeError:
            raise self.refuse(path) from None
        for each in event.summary.value:
            found = self.find_value(each)
            if found is not None:
                table, value = found
                points = table[each.tag.removesuffix("/text_summary")][run]
                if table is self.images:  # of which one is shown, and the others are large
                    points.clear()
                points.append(Point(event.step, event.wall_time, value))

    def find_value(self, summary):
        """The table that a value belongs to, and the value; None for a kind that is not shown."""
        kind = summary.WhichOneof("value")
        if kind == "simple_value":
            return self.numbers, summary.simple_value
        if kind == "histo":
            bars = [*zip(summary.histo.bucket_limit, summary.histo.bucket)]
            return (self.histograms, Histogram(*map(list, zip(*bars)))) if bars else None
        if kind == "image":
            return self.images, summary.image.encoded_image_string
        plugin = summary.metadata.plugin_data.plugin_name
        if kind == "tensor" and plugin == "text" and summary.tensor.string_val:
            return self.texts, summary.tensor.string_val[0].decode(errors="replace")
        if kind == "tensor" and plugin == "images" and len(summary.tensor.string_val) > 2:  # behind width and height
            return self.images, summary.tensor.string_val[2]
        if kind == "tensor" and plugin == "scalars":
            return self.numbers, find_number(summary.tensor)
        return None


def find_number(tensor):
    """The number of a tensor that holds one; nan where it cannot be read."""
    for values in (tensor.float_val, tensor.double_val):
        if values:
            return values[0]
    form = {4: "<f", 8: "<d"}.get(len(tensor.tensor_content))
    return struct.unpack(form, tensor.tensor_content)[0] if form else float("nan")


def decode_image(content):
    """The bytes [rows, columns, 3] of an image that is PNG, JPEG or GIF, made smaller where a side is longer than is shown.

    None where it is too large, or cannot be read.
    """
    try:
        from PIL import Image
    except ImportError:
        raise Unreadable(_("images need the package pillow: pip install 'tensh[tensorboard]'")) from None
    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "GIF")) as image:
            if image.width * image.height > MOST_POINTS:
                return None
            decoded = image.convert("RGB")
            decoded.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            return np.asarray(decoded)
    except Exception:  # a damaged image fails in many ways
        return None
