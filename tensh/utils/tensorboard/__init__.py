"""torch.utils.tensorboard: what a training program tells TensorBoard, as event files, with the package ``tensorboard``.

A value becomes a protocol buffer (``summary``, with pictures and sound in ``media``, choices in ``hyperparameters``,
models in ``graphs``); the ``writer`` puts it into a file. Points in space are separate files (``embeddings``).
"""

from importlib.util import find_spec

if find_spec("tensorboard") is None:
    raise ModuleNotFoundError(
        "torch.utils.tensorboard needs the package tensorboard: pip install 'tensh[tensorboard]'", name="tensorboard"
    )

from tensorboard.summary.writer.record_writer import RecordWriter

from tensh.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
