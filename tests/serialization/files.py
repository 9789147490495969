"""Files of torch.save in memory: written, loaded, and with records put together anew."""

import io

import numpy as np

import tensh
from tests.support.checkpoints import packed, saved


def load(obj, torch=tensh, **options):
    return tensh.load(io.BytesIO(obj if isinstance(obj, bytes) else saved(obj, torch)), **options)


def write(obj, torch=tensh, **options):
    file = io.BytesIO()
    torch.save(obj, file, **options)
    return file.getvalue()


def repacked(data):
    """An archive whose sums of its records are right again."""
    import zipfile

    start = data.index(b"\x80\x02")
    return packed(
        data[start : data.index(b".PK", start) + 1], [("data/0", np.ones(2, np.float32).tobytes())], zipfile.ZIP_STORED
    )
