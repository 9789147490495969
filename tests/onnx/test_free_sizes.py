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
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x), "causal": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
    "batch_norm": lambda x: F.batch_norm(x.movedim(3, 1), None, None, training=True), "layer_norm": lambda x: F.layer_norm(x, x.shape[2:]),
    "rms_norm": lambda x: F.rms_norm(x, x.shape[3:]), "linspace": lambda x: x * torch.linspace(-1, 1, x.shape[3]), "eye": lambda x: x @ torch.eye(x.shape[3]),
    "hann": lambda x: x * torch.hann_window(x.shape[3]), "blackman": lambda x: x * torch.blackman_window(x.shape[3], periodic=False),
    "triangle": lambda x: torch.tril_indices(x.shape[2], x.shape[3], 1), "diagonals": lambda x: (x.diagonal(1, 2, 3), x.diagonal(-1, 0, 3), x[0, 0].trace()),
    "diag_embed": lambda x: torch.diag_embed(x, -1), "one_hot": lambda x: (F.one_hot(x.argmax(3)), F.one_hot(x.argmax(3), x.shape[3])),
    "backwards": lambda x: (x[:, :, torch.arange(x.shape[2] - 1, -1, -1)], x[..., torch.arange(-x.shape[3], 0)]), "tensor": lambda x: x / torch.tensor([x.shape[2], 2, x.shape[3]])[:, None, None],
    "repeated": lambda x: (x.repeat_interleave(2, 3), x[..., 0].repeat_interleave(x.shape[3], 2), x.repeat_interleave(torch.arange(x.shape[2]), 2)),
    "split": lambda x: (*x.split(x.shape[3] // 2 + 1, 3), *x.split([1, x.shape[2] - 1], 2)), "tensor_split": lambda x: (*x.tensor_split(3, 2), *x.tensor_split([1, x.shape[3] - 2], 3)),
    "whole_windows": lambda x: (F.avg_pool2d(x, x.shape[2:]), F.max_pool2d(x, x.shape[2:])), "adaptive_mean": lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
    "median": lambda x: (x.median(), *x.median(2)), "quantile": lambda x: x.quantile(0.3, 3), "cumprod": lambda x: x.cumprod(3), "cummax": lambda x: x.cummax(2),
    "searches": lambda x: torch.searchsorted(x.sort(3)[0], x), "histogram": lambda x: x.histc(5), "columns": lambda x: F.unfold(x, 3, padding=1),
    "folded": lambda x: F.fold(F.unfold(x, 2), x.shape[2:], 2), "unpooled": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    "grid": lambda x: F.affine_grid(torch.eye(2, 3).expand(x.shape[0], 2, 3), x.shape, align_corners=False), "statistics": lambda x: (x[0, 0].cov(), F.pdist(x[0, 0]), torch.combinations(x[0, 0, 0])),
    "smooth": lambda x: F.interpolate(x, scale_factor=0.5, mode="bilinear", antialias=True),
    "padded": lambda x: F.pad(x, (0, -x.shape[3] % 5, 0, -x.shape[2] % 4)), "larger": lambda x: x * max(x.shape[2], x.shape[3] - 1), "smaller": lambda x: x[..., : min(x.shape[2], 9)],
}  # fmt: skip
REFUSED = {
    "ceil": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "kaiser": lambda x: x * torch.kaiser_window(x.shape[3]),
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
    for shape in ((2, 3, 8, 8), (3, 3, 10, 12), (1, 3, 14, 6)):
        x = torch.randn(*shape)
        wanted = FOLLOWED[name](x)
        found = session.run(None, {"x": x.numpy()})
        for ours, theirs in zip(wanted if isinstance(wanted, (tuple, list)) else [wanted], found, strict=True):
            torch.testing.assert_close(torch.tensor(theirs), ours)


@pytest.mark.parametrize("name", REFUSED)
def test_sizes_of_the_example_do_not_become_constants(name):
    with pytest.raises(torch.onnx.OnnxExporterError, match="it would fix the size of a dynamic dimension"):
        write(REFUSED[name])


def test_numbers_that_python_makes_of_a_size_are_no_constants():
    with pytest.raises(torch.onnx.OnnxExporterError, match="it makes a tensor of numbers from it"):
        write(lambda x: x * torch.tensor(float(x.shape[2])))


def test_errors_name_the_operator_that_the_program_calls():
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"kaiser_window .*test_free_sizes.py"):
        write(REFUSED["kaiser"])
