"""Valid files of every kind, small, so that many of them can be read."""

import collections
import functools
import importlib.util
import io
import json
import tempfile
from pathlib import Path

import numpy as np

import tensh
import tensh.support.language as language
from tensh.cli.sweeping.store import Store
from tensh.utils.safetensors import numpy as safetensors_of_arrays
from tensh.utils.safetensors import torch as safetensors
from tests.export.branching import make_programs
from tests.fuzz.files import events
from tests.support.project import RECORDED

CHECKPOINTS = RECORDED / "checkpoints"
BRANCHING = ("members", "nested", "branch_in_loop")
OLD = {"_use_new_zipfile_serialization": False}


def saved(obj, **options):
    file = io.BytesIO()
    tensh.save(obj, file, **options)
    return file.getvalue()


def values():
    x = tensh.arange(6.0).view(2, 3)
    return collections.OrderedDict(
        a=x, b=x[:, 1], t=x.t(), p=tensh.nn.Parameter(tensh.ones(2)), l=[1, 2.5, "x", None, (1, 2), {3}],
        e=tensh.tensor([1.5], dtype=tensh.bfloat16), s=x.shape, d=tensh.float32, u=tensh.tensor([1], dtype=tensh.uint32),
        z=tensh.empty(0, 3), big=2**70, c=collections.Counter("aab"), dev=tensh.device("cpu"), raw=b"abc",
    )  # fmt: skip


def sparse():
    x = tensh.eye(4)
    twice = tensh.sparse_coo_tensor([[0, 1, 1], [0, 2, 2]], [1.0, 2.0, 3.0], (2, 3))
    return [
        x.to_sparse(),
        twice,
        x.to_sparse_csr(),
        x.to_sparse_csc(),
        x.to_sparse_bsr((2, 2)),
        x.to_sparse_bsc((2, 1)),
    ]


def archives():
    model = tensh.nn.Linear(2, 3)
    optimizer = tensh.optim.Adam(model.parameters())
    model(tensh.ones(1, 2)).sum().backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    small = saved(tensh.ones(3), pickle_protocol=4), saved([tensh.ones(2), 1.5])
    ragged = [tensh.arange(2.0), tensh.arange(3.0)]
    nested = {
        str(layout): tensh.nested.nested_tensor(ragged, layout=layout) for layout in (tensh.strided, tensh.jagged)
    }
    more = saved(nested), saved(sparse())
    return [(CHECKPOINTS / "pytorch.pt").read_bytes(), saved(values()), saved(state), *more, *small]


def legacies():
    small = saved(tensh.ones(3), **OLD), saved({"w": tensh.ones(3, 3)}, **OLD, pickle_protocol=4)
    return [saved(values(), **OLD), saved(sparse(), **OLD), *small]


def beyond():
    odd = {"n": np.float64(2), "a": np.arange(6).reshape(2, 3), "f": frozenset([1]), "d": collections.defaultdict(int, a=1),
           "g": tensh.Generator(), "r": range(3), "sl": slice(1, 2), "u": np.array(["a", "b"]),
           "t": np.datetime64("2020-01-01"), "y": np.dtype(">f4"), "v": np.array([True])}  # fmt: skip
    arrays = [np.ones(2, ">f4"), np.array([b"x"]), np.float32(1)]
    modules = tensh.nn.Sequential(tensh.nn.Linear(1, 1), tensh.nn.ReLU()), tensh.nn.LSTM(1, 1)
    return [*map(saved, (*modules, odd, arrays)), saved(arrays, **OLD)]


def model():
    return tensh.nn.Sequential(tensh.nn.Linear(2, 3), tensh.nn.ReLU(), tensh.nn.BatchNorm1d(3)).eval()


def exported():
    """Files of `torch.export.save`: one with parts of every kind, one with a dynamic dimension, some with branches."""

    class Several(tensh.nn.Module):
        def forward(self, x, pair):
            return {"sum": x + pair[0], "parts": x.split(1), "last": x[..., -1:] * 2.5}

    x = tensh.ones(2, 2)
    batch = {0: tensh.export.Dim("batch")}
    programs = [
        tensh.export.export(Several(), (x, [x, x])),
        tensh.export.export(model(), (x,), dynamic_shapes=(batch,)),
        *(tensh.export.export(module, args) for module, args, _ in map(make_programs(tensh).get, BRANCHING)),
        tensh.export.export(model().train(), (x,)).run_decompositions(),  # which writes to buffers
    ]
    return [stored(lambda file, program: tensh.export.save(program, file), program) for program in programs]


@functools.cache
def checkpoint():
    """The bytes of a checkpoint: its description, and its data."""
    with tempfile.TemporaryDirectory() as folder:
        state = {"w": tensh.arange(6.0).view(2, 3), "layers": [{"v": tensh.ones(2)}, {"n": 3}]}
        tensh.distributed.checkpoint.save(state, checkpoint_id=folder, no_dist=True)
        return tuple((Path(folder) / name).read_bytes() for name in (".metadata", "__0_0.distcp"))


def traces():
    x = tensh.ones(2, 2)
    made = [tensh.jit.trace(model(), x), tensh.jit.trace(lambda x: (x * 2, x.view(-1)[0]), x)]
    return [stored(lambda file, trace: tensh.jit.save(trace, file), trace) for trace in made]


def onnx_models():
    x = tensh.ones(2, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.onnx")
        tensh.onnx.export(tensh.nn.Linear(20, 20), tensh.ones(2, 20), path)  # with its weights beside it
        apart = path.read_bytes()
    modules = model(), model()[:1]
    return [apart, *(stored(lambda file, module: tensh.onnx.export(module, x, file), module) for module in modules)]


def event_files():
    """Scalars of both kinds, a histogram and a text; images in each format, for some of which Pillow imports a module."""
    from tensh.utils.tensorboard import SummaryWriter

    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            for step in range(3):
                writer.add_scalar("loss", 1 / (step + 1), step, new_style=step == 2)
            writer.add_histogram("weights", tensh.arange(9.0), 2)
            writer.add_text("note", "a text", 1)
            writer.add_image("picture", tensh.rand(3, 5, 7), 1)
        return [*map(write_image_event, IMAGES), *(path.read_bytes() for path in Path(folder).iterdir())]


def sweeps():
    """Files of a sweep: with runs in every state, and with so many that a table has several pages."""
    return [write_sweep(runs) for runs in (4, 60)]


def write_sweep(number):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.sqlite")
        store = Store(str(path), {"script": "train.tsh", "digest": "ab", "options": "{}"})
        store.add([{"rate": str(each / 8), "name": "a"} for each in range(number)], [0])
        done, *others, _last = store.waiting()
        store.begin(others[:1])
        store.finish([done._replace(state="done", values={"loss": 0.5, "n": float("nan")}, output="w\n", seconds=1.5)])
        store.finish([run._replace(state="failed", error="s.tsh:1: no", seconds=0.1) for run in others[1:]])
        store.close()
        return path.read_bytes()


IMAGES = {"PNG": "RGBA", "GIF": "P", "JPEG": "L"}  # format -> how its colours are stored


def write_image_event(form):
    """An event file with an image."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).convert(IMAGES[form]).save(file, form)
    return events.frame(events.write_event(tag=form, image={"encoded_image_string": file.getvalue()}))


def tables():
    tensors = {
        "w": tensh.arange(6.0).view(2, 3), "n": tensh.tensor(5), "b": tensh.tensor([True]), "e": tensh.empty(0, 3),
    }  # fmt: skip
    return [safetensors.save(tensors, {"format": "pt"}), (CHECKPOINTS / "package.safetensors").read_bytes()]


def sessions():
    """Build a file of `%save` from its parts: a table of names, and rows over memories."""
    arrays = {"m": np.arange(8.0), "i": np.arange(4), "random state": tensh.Generator().get_state().array}
    names = {
        "x": {"tensor": 0}, "y": {"tensor": 1}, "a": {"array": 2}, "n": {"plain": 3}, "f": {"float": "0x1.8p+0"},
        "l": {"list": [{"plain": "t"}, {"tensor": 0}]}, "d": {"dict": [[{"plain": 1}, {"complex": ["0x1p0", "0x0p0"]}]]},
        "s": {"Size": [2, 3]}, "k": {"dtype": "float32"}, "e": {"tensor": 6}, "c": {"tensor": 9}, "r": {"tensor": 12}, "o": {"state": ["Linear", {"dict": [[{"plain": "weight"}, {"tensor": 4}], [{"plain": "bias"}, {"tensor": 5}]]}]},
    }  # fmt: skip
    rows = [
        {"memory": "m", "dtype": "float64"},
        {"memory": "m", "dtype": "float64", "shape": [2, 2], "strides": [2, 1], "offset": 1, "requires_grad": True, "grad": 3},
        {"memory": "i", "dtype": "int64", "shape": [2], "strides": [2], "offset": 0},
        {"memory": "m", "dtype": "float64", "shape": [2, 2], "strides": [0, 1], "offset": 4, "parameter": True},
        {"memory": "m", "dtype": "float64", "shape": [1, 1], "strides": [1, 1], "offset": 7},
        {"memory": "m", "dtype": "float64", "shape": [1], "strides": [1], "offset": 6},
        {"meta": [2, 3], "strides": [1, 2], "dtype": "float32", "requires_grad": True},
        {"memory": "i", "dtype": "int64", "shape": [1, 2], "strides": [1, 1], "offset": 0},
        {"memory": "m", "dtype": "float64", "shape": [2], "strides": [1], "offset": 0},
        {"sparse": [9], "layout": "sparse_coo", "indices": [7], "values": 8, "coalesced": True},
        {"memory": "i", "dtype": "int64", "shape": [3], "strides": [1], "offset": 0},
        {"memory": "i", "dtype": "int64", "shape": [2], "strides": [1], "offset": 0},
        {"sparse": [2, 2], "layout": "sparse_csr", "indices": [10, 11], "values": 8},
    ]  # fmt: skip
    table = {"version": 1, "names": names, "tensors": rows, "default_dtype": "float32"}
    return [safetensors_of_arrays.save(arrays, {"tensh": json.dumps(table), "source": "x = 1\n"})]


def array_files():
    arrays = [np.arange(6.0).reshape(2, 3), np.array(5), np.zeros((0, 2)), np.array(["a", "bc"]), np.asfortranarray(np.ones((2, 3))),
              np.array([True]), np.array(["2020"], "M8[D]")]  # fmt: skip
    return [stored(np.save, array) for array in arrays]


def array_archives():
    arrays = {"x": np.arange(6.0), "y": np.zeros((30, 30))}
    return [
        stored(np.savez, **arrays),
        stored(np.savez_compressed, **arrays),
        stored(np.savez, x=np.ones(2, np.float16)),
    ]


def stored(write, *arrays, **named):
    file = io.BytesIO()
    write(file, *arrays, **named)
    return file.getvalue()


def catalogues():
    return [Path(language.FOLDER, "zh", "LC_MESSAGES", "tensh.mo").read_bytes()[:20_000]]


# ── documents ────────────────────────────────────────────────────────────────

CODE = """# %% [markdown]
# A title

# %% [1] {"metadata": {"tensh": {"skip": true}}}
import math
x = torch.ones(2, 3, requires_grad=True)
%time x.sum()
x?
x
#> tensor([[1., 1., 1.],
#>         [1., 1., 1.]], requires_grad=True)
def f(a):
    '''doc'''
    return a @ x.T  # \\
print(f'{x.sum().item():.4f}', 1e-3, 0x1F)
#: # %% not a mark
"""
MARKDOWN = """<!-- tensh: {"echo": "each", "metadata": {"kernelspec": {"name": "python3"}}} -->
# A title

Text with `code` and a list:

- one

```python
x = torch.ones(2)
x.sum()
```

```text
tensor(2.)
```

```pycon
>>> x + 1
tensor([2., 2.])
>>> for i in range(2):
...     print(i)
0
1
```

<!-- cell [2] {"outputs": [{"kind": "printed", "lines": 1}, {"kind": "value", "text": "3"}]} -->
````tsh
print(1)
````

~~~output
1
~~~

<!-- cell [raw] a title -->
raw text
<!-- /cell -->
"""
CELLS = [
    {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Title\n", "text"]},
    {"cell_type": "code", "execution_count": 1, "id": "b", "metadata": {"tensh": {"skip": True}, "tags": ["x"]},
     "source": "x = 1\nx", "outputs": [
         {"data": {"text/plain": ["1"], "image/png": "aGVsbG8="}, "execution_count": 1, "metadata": {}, "output_type": "execute_result"},
         {"name": "stdout", "output_type": "stream", "text": "printed\n"},
         {"ename": "ValueError", "evalue": "no", "output_type": "error", "traceback": ["\x1b[0;31mno"]}]},
    {"cell_type": "raw", "metadata": {}, "source": ""},
]  # fmt: skip
NOTEBOOK = {
    "cells": CELLS,
    "metadata": {"kernelspec": {"name": "python3"}, "tensh": {"echo": "each"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
SETTINGS = """# settings
caption = false
precision = 6
linewidth = "auto"
threshold = 1_000
theme = "dark"
keys = 'vi'
history = "/nowhere/history"
[table]
a = [1, 2.5e3, 1979-05-27T07:32:00Z, {b = "c"}]
"""
LESSON = """# %% [markdown]
# # A title
#
# Some **text** with `code`.

# %%
x = torch.ones(2, 3, requires_grad=True)
x * 2           #? shape
y = x.sum()     #? dtype y | Which dtype?
y.backward()    #? grad x.grad
#! each element counts once
x + torch.ones(4)  #? fails size, match
x.____(0)       #? complete sum
"""
LESSON_CODE = LESSON.partition("# %%\n")[2]
LESSON_IN_MARKDOWN = f"# A title\n\nSome **text**:\n\n- one `x`\n\n```python\n{LESSON_CODE}```\n"
ANSWERS = """lesson: tensors
1: (5,)
2: 2 x 3
# a comment
2. torch.Size([3, 2])
3) float
4: [[0, 1, 2], [3, 4, 5]]
5: 0 1 2; 3 4 5
6: 2 ** 3 + sqrt(2) * -[1, 2]
7: no
8: sizes do not match
"""
PROGRESS = {
    "v": 1, "lesson": "tensors", "digest": "ab", "at": 3, "questions": 5, "steps": 9,
    "results": {"1": "right", "2": "shown", "3": "skipped"},
}  # fmt: skip
HISTORY = """>>> x = torch.ones(2)
>>> for i in range(3):
...     print(i)
>>> 'a text'

>>> %time x.sum()
"""


def texts(*texts):
    return [text.encode() for text in texts]


SEEDS = {
    "archive": archives, "legacy": legacies, "beyond": beyond, "safetensors": tables, "session": sessions,
    "npy": array_files, "npz": array_archives, "export": exported, "checkpoint": lambda: checkpoint()[:1],
    "torchscript": traces, "onnx": onnx_models,
    "events": event_files, "sweep": sweeps,
    "notebook": lambda: texts(json.dumps(NOTEBOOK), json.dumps(NOTEBOOK | {"cells": CELLS[1:2]}, indent=1)),
    "markdown": lambda: texts(MARKDOWN, MARKDOWN.partition("\n\n")[2]),
    "percent": lambda: texts(CODE, "x = 1\nx\n"),
    "script": lambda: texts(CODE, "%time 1\n1 + 1\n#> 2\n"),
    "output": lambda: texts("tensor([1.0000, 2.5e-3])\0tensor([1.0001, 2.5e-3])", "took 3.2 ms at 0x7f\0<function a.b>"),
    "lesson": lambda: texts(LESSON, LESSON_IN_MARKDOWN, LESSON_CODE),
    "answers": lambda: texts(ANSWERS, "1: 2 x 3\n"), "progress": lambda: texts(json.dumps(PROGRESS)), "catalogue": catalogues,
    "settings": lambda: texts(SETTINGS), "history": lambda: texts(HISTORY),
}  # fmt: skip
if importlib.util.find_spec("onnx") is None:  # which its reader needs
    del SEEDS["onnx"]
if not all(map(importlib.util.find_spec, ("tensorboard", "PIL"))):
    del SEEDS["events"]


@functools.cache
def seeds(name):
    """The whole files of a kind."""
    return tuple(SEEDS[name]())
