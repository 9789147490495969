"""Incremental reading of event files: the numbers, texts, histograms and images of the runs below a folder."""

import contextlib
import io
import os
import struct
from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np

from tensh.support.language import _

LARGEST = 1 << 27  # bytes of a record; a larger size means a damaged file
MOST_POINTS = 1 << 24  # pixels of an image that is shown
LONGEST_SIDE = 2048  # pixels of a side as shown: as 8-byte numbers, 16 million pixels would take 400 MB
HEAD, TAIL = 12, 4  # bytes around the content of a record: its length, and the checksums of length and content
LENGTH = 8  # bytes of the length field


class Unreadable(Exception):
    """Raised when there is nothing to show; the message says why."""


class DamagedRecord(Exception):
    """Raised for bytes of a file that are no event."""


class Point(NamedTuple):
    """A value of a run: its step, its wall time, and a number, text, histogram or encoded image."""

    step: int
    time: float
    value: object


class Histogram(NamedTuple):
    """A histogram: for each upper limit the count of values up to it and above the limit before."""

    limits: list
    counts: list


def find_files(path):
    """Yield the paths of all files below a folder, or that of one file; raise Unreadable if there is neither."""
    if os.path.isfile(path):
        yield path
    elif not os.path.isdir(path):
        if os.path.exists(path):  # a device, a pipe
            raise Unreadable(_("{path} is neither a folder nor a file").format(path=path))
        raise Unreadable(_("there is no folder or file {path}").format(path=path))
    for place, _folders, names in os.walk(path):
        yield from (os.path.join(place, name) for name in names)


@cache
def load_event():
    """Return the protocol buffer class of events and their checksum function; raise Unreadable without tensorboard."""
    try:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
    except ImportError:
        raise Unreadable(_("the package tensorboard is not installed: pip install 'tensh[tensorboard]'")) from None
    return Event, masked_crc32c


class Runs:
    """The event files below a folder, or one file: kind -> tag -> run -> points. A run is named by its relative path.

    What precedes a damaged record is kept, and `errors` says why the rest of a file cannot be read.
    """

    def __init__(self, path):
        self.path = path
        self.folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
        self.forget()

    def forget(self):
        """Discard everything read so far."""
        self.places, self.errors = {}, {}  # file -> bytes read, and what is wrong
        tables = (defaultdict(lambda: defaultdict(list)) for _ in range(4))
        self.numbers, self.texts, self.histograms, self.images = tables

    def refresh(self):
        """Read new records; return True if there are any.

        A file that has shrunk or disappeared belongs to a run that was restarted: read all files anew.
        """
        before, sizes = (dict(self.places), dict(self.errors)), dict(self.list_files())
        if any(sizes.get(path, -1) < place for path, place in self.places.items()):
            self.forget()
        for path in sorted(sizes):
            self.errors.pop(path, None)
            self.read(path)
        return before != (self.places, self.errors)

    def list_files(self):
        """Yield (path, size) of the event files found."""
        for path in find_files(self.path):
            with contextlib.suppress(OSError):  # deleted meanwhile, or a broken link
                if "tfevents" in os.path.basename(path) and os.path.isfile(path):
                    yield path, os.path.getsize(path)

    def read(self, path):
        """Read the records of a file completed since the last read."""
        run = os.path.relpath(os.path.dirname(path), self.folder)
        try:
            _event, checksum = load_event()
            with open(path, "rb") as file:
                file.seek(self.places.setdefault(path, 0))
                while len(head := file.read(HEAD)) == HEAD:
                    size, expected = struct.unpack("<QI", head)
                    if size > LARGEST or expected != checksum(head[:LENGTH]):
                        raise DamagedRecord
                    content = file.read(size + TAIL)
                    if len(content) < size + TAIL:
                        break
                    self.take(run, content[:size])
                    self.places[path] += HEAD + size + TAIL
        except FileNotFoundError:  # deleted since it was listed
            return
        except OSError as error:
            self.errors[path] = f"{path}: {error.strerror}"
        except Unreadable as error:  # without tensorboard
            self.errors[path] = str(error)
        except DamagedRecord:
            place = self.places[path]
            self.errors[path] = (
                _("{path} is damaged after {place:,} bytes").format(path=path, place=place)
                if place
                else _("{path} is not a TensorBoard event file").format(path=path)
            )

    def take(self, run, content):
        """Store the values of an event. Raise DamagedRecord for other bytes."""
        from google.protobuf.message import DecodeError

        try:
            event = load_event()[0].FromString(content)
        except DecodeError:
            raise DamagedRecord from None
        for each in event.summary.value:
            found = self.find_value(each)
            if found is not None:
                table, value = found
                points = table[each.tag.removesuffix("/text_summary")][run]
                if table is self.images:  # images are large, and only the last one is shown
                    points.clear()
                points.append(Point(event.step, event.wall_time, value))

    def find_value(self, summary):
        """Return (table of a value's kind, the value); None for a kind that is not shown."""
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
        if kind == "tensor" and plugin == "images" and len(summary.tensor.string_val) > 2:  # after width and height
            return self.images, summary.tensor.string_val[2]
        if kind == "tensor" and plugin == "scalars":
            return self.numbers, find_number(summary.tensor)
        return None


def find_number(tensor):
    """Return the number that a tensor holds; nan if it cannot be read."""
    for values in (tensor.float_val, tensor.double_val):
        if values:
            return values[0]
    form = {4: "<f", 8: "<d"}.get(len(tensor.tensor_content))
    return struct.unpack(form, tensor.tensor_content)[0] if form else float("nan")


def decode_image(content):
    """Decode a PNG, JPEG or GIF image to bytes [rows, columns, 3], scaled down to LONGEST_SIDE.

    Return None if it is too large or cannot be read.
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
    except Exception:  # a damaged image can raise anything
        return None
