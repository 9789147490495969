"""Points of many dimensions as the files of TensorBoard's projector: their coordinates, labels and images."""

import os

import numpy as np
from google.protobuf import text_format
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

from tensh.support.replacing import replace_file
from tensh.utils.tensorboard.media import load_pillow
from tensh.utils.tensorboard.values import as_array, as_bytes, tile


class Embeddings:
    """The points that a writer has been given, below its folder."""

    def __init__(self, folder):
        self.folder, self.config = folder, ProjectorConfig()

    def add(self, mat, metadata, label_img, step, tag, header):
        """Write points [N, D], with a label and an image [N, C, H, W] each.  Raise AssertionError if numbers differ."""
        points = as_array(mat)
        if points.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        if metadata is not None and len(metadata) != len(points):
            raise AssertionError("#labels should equal with #data points")
        if label_img is not None and len(label_img) != len(points):
            raise AssertionError("#images should equal with #data points")
        below = f"{step:05d}/{encode(tag)}"
        place = os.path.join(self.folder, below)
        if os.path.isfile(place):
            raise NotADirectoryError(f"Path: `{place}` exists, but is a file. Cannot proceed.")
        os.makedirs(place, exist_ok=True)
        info = self.config.embeddings.add(tensor_name=f"{tag}:{step:05d}", tensor_path=f"{below}/tensors.tsv")
        write_table(f"{place}/tensors.tsv", points.tolist())
        if metadata is not None:
            info.metadata_path = f"{below}/metadata.tsv"
            write_table(f"{place}/metadata.tsv", metadata if header else [[each] for each in metadata], header)
        if label_img is not None:
            info.sprite.image_path = f"{below}/sprite.png"
            info.sprite.single_image_dim.extend([label_img.shape[3], label_img.shape[2]])
            write_sprite(f"{place}/sprite.png", as_array(label_img))
        with replace_file(os.path.join(self.folder, "projector_config.pbtxt")) as file:
            file.write(text_format.MessageToString(self.config).encode())


def encode(tag):
    """Return a tag as the name of a folder: letters that separate folders are written by their codes."""
    return "".join(f"%{ord(letter):02x}" if letter in "%/\\" else letter for letter in tag)


def write_table(path, rows, header=None):
    """Write rows with tabs between their columns.  Raise AssertionError for a header of another length."""
    if header and len(header) != len(rows[0]):
        raise AssertionError("len of header must be equal to the number of columns in metadata")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for row in [header, *rows] if header else rows:
            file.write("\t".join(map(str, row)) + "\n")


def write_sprite(path, images):
    """Write images as one square picture, row by row."""
    side = int(np.ceil(len(images) ** 0.5))
    grid = as_bytes(tile(images, side)).transpose(1, 2, 0)
    square = np.zeros((grid.shape[1], grid.shape[1], 3), np.uint8)
    square[: len(grid)] = grid
    load_pillow().fromarray(square).save(path, "PNG")
