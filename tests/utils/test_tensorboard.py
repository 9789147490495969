"""Event files: TensorBoard's reader gives back what was written, and a file has the records that PyTorch writes."""

import struct
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

import tensh
from tests.support.project import ROOT

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("tensorboard", "PIL"))), reason="tensorboard and Pillow are not installed"
)

CALLS = """
add_scalar("a", 1.5, 1)
add_scalar("a", 3)
add_scalar("a", "2.5", np.int64(4))
add_scalar("a", T.tensor([[2.]], requires_grad=True), 3)
add_scalar("a", T.tensor(2., dtype=T.bfloat16), 3)
add_scalar("a", np.float32(0.1), 3, new_style=True)
add_scalar("a", np.float32(0.1), 3, new_style=True, double_precision=True)
add_scalar("a", T.tensor([1., 2.]))
add_scalar("a", [1.])
add_scalar("a", float("nan"), 2)
add_tensor("t", T.arange(6.).reshape(2, 3), 1)
add_tensor("t", T.arange(6), 1)
add_tensor("t", T.tensor([True, False]), 1)
add_tensor("t", T.tensor([1 + 2j]), 1)
add_tensor("t", T.tensor([1 + 2j], dtype=T.complex128), 1)
add_tensor("t", T.tensor(3, dtype=T.int16), 1)
add_tensor("t", T.tensor(3, dtype=T.int8), 1)
add_tensor("t", T.tensor(3, dtype=T.float64), 1)
add_tensor("t", T.tensor(3, dtype=T.int32), 1)
add_tensor("t", T.zeros(0, 2), 1)
add_histogram("h", T.arange(100.), 1)
add_histogram("h", np.array([-1e-3, 0, 0, 5]), 1)
add_histogram("h", T.ones(5), 1, bins=10)
add_histogram("h", T.arange(9.), 1, bins="auto")
add_histogram("h", T.arange(1000.), 1, max_bins=13)
add_histogram("h", T.arange(1000.), 1, bins=[0, 1, 2, 10, 2000.])
add_histogram("h", T.zeros(0), 1)
add_histogram("h", T.tensor([1e30]), 1)
add_histogram_raw("h", 0, 2, 3, 4, 5, [0, 1, 2], [1, 1, 1], 3)
add_histogram_raw("h", 0, 2, 3, 4, 5, [0, 1, 2], [1, 1], 3)
add_image("i", T.linspace(0, 1, 48).reshape(3, 4, 4), 1)
add_image("i", T.arange(48).reshape(1, 6, 8).to(T.uint8), 1)
add_image("i", T.linspace(-1, 2, 12).reshape(3, 4), 1, dataformats="HW")
add_image("i", T.linspace(-1, 2, 36).reshape(3, 4, 3), 1, dataformats="HWC")
add_image("i", T.zeros(3, 4), 1)
add_image("i", T.zeros(3, 4), 1, dataformats="HH")
add_images("i", T.linspace(0, 1, 10 * 48).reshape(10, 3, 4, 4), 1)
add_images("i", T.linspace(0, 1, 3 * 16).reshape(3, 4, 4, 1), 1, dataformats="NHWC")
add_images("i", T.zeros(3, 2, 4, 4), 1)
add_image_with_boxes("i", T.zeros(3, 20, 20), T.tensor([[2., 3, 10, 12], [5, 5, 15, 18]]), 1)
add_image_with_boxes("i", T.zeros(3, 20, 20), T.tensor([[2., 3, 10, 12]]), 1, rescale=2)
add_audio("s", T.linspace(-1, 1, 100), 1, 8000)
add_audio("s", np.linspace(-2, 1, 100)[None], 1)
add_audio("s", T.zeros(2, 100), 1)
add_text("x", "**bold** 汉字", 1)
add_custom_scalars({"c": {"t": ["Multiline", ["a", "b"]], "u": ["Margin", ["a", "b", "c"]]}})
add_custom_scalars_multilinechart(["a", "b"])
add_custom_scalars_marginchart(["a", "b", "c"])
add_custom_scalars_marginchart(["a", "b"])
add_pr_curve("p", T.tensor([0, 1, 1, 0, 1]), T.tensor([0.1, 0.9, 0.4, 0.6, 1.0]), 1)
add_pr_curve("p", np.array([0, 1, 1]), np.array([0.1, 0.9, 0.4]), 1, num_thresholds=5, weights=np.array([1., 2., 3.]))
add_pr_curve_raw("p", [2., 1], [1., 0], [0., 1], [0., 1], [.5, 1], [1., .5], 1, num_thresholds=2)
add_mesh("m", T.arange(9.).reshape(1, 3, 3), T.zeros(1, 3, 3).int(), T.tensor([[[0, 1, 2]]]), {"camera": {"fov": 75}}, 1)
add_mesh("m", T.arange(9.).reshape(1, 3, 3))
add_hparams({"lr": 0.1, "n": 3, "name": "x", "flag": True, "none": None, "t": T.tensor([2.])}, {"hp/loss": 0.5}, {"n": [1, 3]}, "run")
add_hparams({"lr": [1]}, {})
add_hparams({"lr": 1}, {}, {"lr": ["a"]})
add_hparams([], {})
add_scalars("many/tags", {"a": 1., "b": T.tensor(2.)}, 3)
add_embedding(T.arange(6.).reshape(3, 2), ["a", "b", "c"], T.linspace(0, 1, 36).reshape(3, 3, 2, 2), 2, "tag/with")
add_embedding(np.arange(6.).reshape(3, 2), [["a", 1], ["b", 2], ["c", 3]], metadata_header=["name", "number"])
add_embedding(T.zeros(3))
add_embedding(T.zeros(3, 2), ["a"])
""".strip().splitlines()


def records(path):
    """The records of an event file, without their checksums and times."""
    from tensorboard.compat.proto.event_pb2 import Event

    data, found = path.read_bytes(), []
    while data:
        (size,) = struct.unpack("<Q", data[:8])
        event = Event.FromString(data[12 : 12 + size])
        event.wall_time = 0
        event.ClearField("source_metadata")
        if event.WhichOneof("what") != "file_version":
            found.append(str(event))
        data = data[16 + size :]
    return found


def write(SummaryWriter, torch, line, folder):
    """What is in the files below a folder after a call, and the error that it raised."""
    with SummaryWriter(str(folder)) as writer:
        try:
            eval(f"w.{line}", {"w": writer, "T": torch, "np": np})
            error = None
        except Exception as raised:
            error = type(raised).__name__
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if "tfevents" in path.name:
            files[str(name.parent)] = files.get(str(name.parent), []) + records(path)
        elif path.is_file():
            files[str(name)] = path.read_bytes()
    return files, error


@pytest.mark.oracle
@pytest.mark.parametrize("line", CALLS)
def test_files_are_pytorchs(line, tmp_path):
    import torch
    from torch.utils.tensorboard import SummaryWriter

    from tensh.utils.tensorboard import SummaryWriter as Own

    assert write(Own, tensh, line, tmp_path / "own") == write(SummaryWriter, torch, line, tmp_path / "torch")


DTYPES = "uint8 int8 int16 int32 int64 bool float16 float32 float64 complex64 complex128 complex32".split()


def read(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(folder))
    found.Reload()
    return found


def test_tensorboards_reader_gives_values_back(tmp_path):
    from tensorboard.util.tensor_util import make_ndarray

    from tensh.utils.tensorboard import SummaryWriter

    tensors = {name: tensh.tensor([1.0, 0.0]).to(getattr(tensh, name)) for name in DTYPES}
    with SummaryWriter(tmp_path) as writer:
        for step in range(20):
            writer.add_scalar("loss", 1 / (step + 1), step)
        for name, tensor in tensors.items():
            writer.add_tensor(name, tensor)
        writer.add_histogram("weights", tensh.arange(100.0), 3)
        writer.add_image("image", tensh.zeros(3, 4, 6))
        writer.add_video("video", tensh.zeros(3, 2, 3, 4, 6))
        writer.add_audio("sound", tensh.zeros(10))
        writer.add_text("text", "seen")
    found = read(tmp_path)
    scalars = found.Scalars("loss")
    assert [(each.step, each.value) for each in scalars] == [(n, np.float32(1 / (n + 1))) for n in range(20)]
    for name, tensor in tensors.items():
        array = make_ndarray(found.Tensors(name)[0].tensor_proto)
        assert array.tolist() == tensor.tolist(), name
    assert found.Histograms("weights")[0].histogram_value.num == 100
    assert (found.Images("image")[0].width, found.Images("video")[0].width) == (6, 4 * 6)
    assert found.Audio("sound")[0].length_frames == 10
    assert found.Tensors("text/text_summary")[0].tensor_proto.string_val == [b"seen"]


class Net(tensh.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = tensh.nn.Sequential(tensh.nn.Linear(3, 4), tensh.nn.ReLU(), tensh.nn.Dropout())
        self.out = tensh.nn.Linear(4, 2)

    def forward(self, x):
        hidden = self.hidden(x)
        return self.out(hidden), hidden.chunk(2, 1)[1]


def test_graph_of_a_model_has_a_box_for_each_module(tmp_path):
    from tensh.utils.tensorboard import SummaryWriter

    model = Net()
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, tensh.ones(1, 3))
    assert model.training
    nodes = {node.name: node for node in read(tmp_path).Graph().node}
    assert all(name in nodes for node in nodes.values() for name in node.input)
    kinds = {name.rpartition("/")[0]: node.op for name, node in nodes.items()}
    assert kinds["Net/Sequential[hidden]/Linear[0]"] == "aten::linear"
    assert kinds["Net/Sequential[hidden]/ReLU[1]"] == "aten::relu"
    out = nodes["output/output.1"]
    assert [dim.size for dim in out.attr["_output_shapes"].list.shape[0].dim] == [1, 2]
    assert out.input[0].startswith("Net/Linear[out]/")


def watch(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tensh", "watch", *arguments], capture_output=True, text=True, cwd=ROOT
    )


def test_watch_shows_runs(tmp_path):
    from tensh.utils.tensorboard import SummaryWriter

    for rate in (1, 2):
        with SummaryWriter(tmp_path / str(rate)) as writer:
            for step in range(3):
                writer.add_scalar("loss", rate / (step + 1), step, new_style=rate == 2)
            writer.add_histogram("weights", tensh.arange(9.0), 2)
            writer.add_text("note", "seen\x1b[2J", 1)
    shown = watch(tmp_path, "--once").stdout
    assert "2 curves of 3 points" in shown and "0.666667" in shown and "weights" in shown
    assert "\x1b" not in shown and r"seen\x1b[2J" in shown
    lines = watch(tmp_path, "--csv", "--tag", "lo*").stdout.splitlines()
    assert lines[0] == "run,tag,step,time,value" and [line.split(",")[4] for line in lines[1:3]] == ["1.0", "0.5"]
    (tmp_path / "events.tfevents.0").write_bytes(b"nothing of the kind, and long enough")
    done = watch(tmp_path, "--csv")
    assert done.returncode == 0 and done.stdout.startswith("run,tag,")
    assert "is not a TensorBoard event file" in done.stderr and "0.666667" in watch(tmp_path, "--once").stdout
