"""Checkpoints in memory, with a value of every kind: saved, loaded and packed by hand."""

import collections
import io
import zipfile

import tensh
from tests.support.project import RECORDED

PYTORCHS = RECORDED / "checkpoints" / "pytorch.pt"  # contents(torch), as PyTorch 2.13 wrote it


def contents(torch):
    """A value of every kind that a checkpoint may hold."""
    x = torch.arange(6.0).view(2, 3)
    return collections.OrderedDict(
        a=x, b=x[:, 1], t=x.t(), p=torch.nn.Parameter(torch.ones(2)), l=[1, 2.5, "x", None, True, (1, 2), {3}],
        e=torch.tensor([1.5, -2], dtype=torch.bfloat16), s=x.shape, dt=torch.float32, dev=torch.device("cpu"),
        u=torch.tensor([1, 70000], dtype=torch.uint32), c=torch.tensor([1 + 2j]), z=torch.empty(0, 3), big=2**70,
        i=torch.tensor(5), bo=torch.tensor([True, False]), cnt=collections.Counter("aab"),
        w=torch.ones(2, requires_grad=True), h=torch.tensor([1.0], dtype=torch.float16),
    )  # fmt: skip


def saved(obj, torch=tensh):
    file = io.BytesIO()
    torch.save(obj, file)
    return file.getvalue()


def loaded(data, torch=tensh):
    return torch.load(io.BytesIO(data))


def show(obj):
    return {key: repr(value) for key, value in obj.items()}


def packed(described, records=(), compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as zipped:
        zipped.writestr("x/data.pkl", described)
        for name, data in records:
            zipped.writestr(f"x/{name}", data)
        zipped.writestr("x/version", "3\n", zipfile.ZIP_STORED)
    return file.getvalue()
