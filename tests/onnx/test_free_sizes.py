"""Models with dynamic dimensions compute for other sizes what the module computes, or are refused."""

import io

import pytest

import tensh as torch
from tensh.nn import functional as F

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

FOLLOWED = {
    "sort": lambda x: x.sort(descending=True), "argsort": lambda x: x.argsort(1), "chunk": lambda x: x.chunk(2, -1), "glu": lambda x: F.glu(x, 3),
    "chunk_uneven": lambda x: x.chunk(3, 2), "unfold": lambda x: x.unfold(3, 2, 1), "unfold_steps": lambda x: x.unfold(2, 3, 2),
    "index_put": lambda x: x.index_put((torch.tensor([0]),), torch.tensor(1.0)), "masked_select": lambda x: x.masked_select(x > 0),
    "take_along": lambda x: x.take_along_dim(x.argsort(1), 1), "positions": lambda x: F.max_pool2d(x, 2, return_indices=True),
    "adaptive_max": lambda x: F.adaptive_max_pool2d(x, 4), "largest": lambda x: F.adaptive_max_pool2d(x, 1),
    "broadcast": lambda x: torch.broadcast_tensors(x, x[:, :1]), "loss": lambda x: F.smooth_l1_loss(x, x * 0.5), "similarity": lambda x: F.cosine_similarity(x, x + 1),
    "mean": lambda x: F.adaptive_avg_pool2d(x, 1), "reshape": lambda x: x.view(x.shape[0], 3, -1, 2, x.shape[3] // 2),
}  # fmt: skip
REFUSED = {
    "adaptive_mean": lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
    "ceil": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "tensor_split": lambda x: x.tensor_split(2, 2),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :, :2] * 2, 2, 0, 2),
}


def write(function):
    """Write a function of images, all of whose sizes but the channels are dynamic."""

    class Program(torch.nn.Module):
        def forward(self, x):
            return function(x)

    file = io.BytesIO()
    axes = {"x": {0: "b", 2: "h", 3: "w"}}
    torch.onnx.export(Program(), (torch.randn(2, 3, 8, 8),), file, input_names=["x"], dynamic_axes=axes)
    return file


@pytest.mark.parametrize("name", FOLLOWED)
def test_other_sizes_are_followed(name):
    torch.manual_seed(0)
    session = runtime.InferenceSession(write(FOLLOWED[name]).getvalue())
    for shape in ((2, 3, 8, 8), (3, 3, 10, 12)):
        x = torch.randn(*shape)
        wanted = FOLLOWED[name](x)
        found = session.run(None, {"x": x.numpy()})
        for ours, theirs in zip(wanted if isinstance(wanted, (tuple, list)) else [wanted], found, strict=True):
            torch.testing.assert_close(torch.tensor(theirs), ours)


@pytest.mark.parametrize("name", REFUSED)
def test_sizes_of_the_example_do_not_become_constants(name):
    with pytest.raises(torch.onnx.OnnxExporterError, match="it would fix the size of a dynamic dimension"):
        write(REFUSED[name])
