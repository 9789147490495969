"""torch.onnx.export: models are checked, run alike by onnxruntime and read back; a missing form names the line."""

import inspect
import io
import math
import sys

import pytest

import tensh as torch
from tests.onnx.models import MODELS, F, assert_alike, export, flatten, run
from tests.support.invented import make_invented


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_run_alike(name):
    model, inputs = MODELS[name]
    assert_alike(run(export(model, *inputs), inputs), model(*inputs))


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_take_other_batches(name):
    model, inputs = MODELS[name]
    batch = 1 if name == "gru" else 0
    proto = export(
        model, *inputs, dynamic_axes={each: {batch: "batch"} for each in inspect.signature(model.forward).parameters}
    )
    assert proto.graph.input[0].type.tensor_type.shape.dim[batch].dim_param == "batch"
    larger = [torch.cat([each, each, each], batch) for each in inputs]
    assert_alike(run(proto, larger), model(*larger))


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_come_back(name):
    model, inputs = MODELS[name]
    file = io.BytesIO()
    torch.onnx.export(model, tuple(inputs), file)
    file.seek(0)
    loaded = torch.onnx.load(file)
    assert_alike([each.detach().numpy() for each in flatten(loaded(*inputs))], model(*inputs))
    if name == "pooling":
        loaded(*inputs).sum().backward()
        model.zero_grad()
        model(*inputs).sum().backward()
        assert torch.allclose(loaded.program.query.grad, model.query.grad)


# One call for many forms: (function, its inputs). What onnxruntime computes must be what tensh computes.
x, positive, whole = torch.randn(2, 3, 4), torch.rand(2, 3, 4) + 0.1, torch.randint(-5, 6, (2, 3, 4))
matrix, image = torch.randn(4, 4), torch.randn(2, 4, 6, 6)
CALLS = {
    "arithmetic": (lambda a, b: (a + b, a - 2, 3 - a, a * b, a / 2, 1 / b, a % b, -a, abs(a), a // b, torch.add(a, b, alpha=2), a**2, b**0.5, 2**a), x, positive),
    "integers": (lambda a: (a // 2, a % 3, a * 2 + 1, a / 2, torch.div(a, 2, rounding_mode="trunc"), a & 3, a | 1, a ^ 2, a == 2, ~a), whole),
    "promotion": (lambda a, b: (a + b, a > b, torch.where(a > 0, b, 0.5), a.float() * b, torch.cat([a.float(), b])), whole, x),
    "comparisons": (lambda a, b: (a > b, a >= 1, a < 0, a <= b, a == b, a != 0, (a > 0) & (b > 0.5), (a > 0) | (b > 0.5), ~(a > 0)), x, positive),
    "functions": (lambda a, b: (a.exp(), b.log(), b.sqrt(), a.sin(), a.tanh(), a.sigmoid(), a.relu(), b.rsqrt(), a.floor(), a.round(), a.sign(), torch.atan2(a, b), a.erf(), torch.expm1(a), b.log2(), b.log10(), b.log1p()), x, positive),
    "activations": (lambda a: (F.gelu(a), F.gelu(a, approximate="tanh"), F.silu(a), F.elu(a, 0.5), F.selu(a), F.softplus(a, 2.0), F.hardswish(a), F.mish(a), F.leaky_relu(a, 0.1), F.glu(a), F.logsigmoid(a), F.hardtanh(a), F.softsign(a), F.celu(a), F.hardsigmoid(a), F.relu6(a), F.threshold(a, 0.1, 5.0)), x),
    "reductions": (lambda a: (a.sum(), a.mean(1), a.amax((0, 2), keepdim=True), a.var(1), a.std(), a.prod(-1), a.norm(), a.logsumexp(2), a.argmax(1), a.max(), *a.max(2), *a.min(0, keepdim=True), (a > 0).any(1), (a > 0).all(), a.cumsum(1), a.var(1, unbiased=False)), x),
    "second names": (lambda a, b: (torch.arccos(b / 4), torch.concat([a, a]), a.swapaxes(0, 1), torch.clip(a, 0, 1), torch.true_divide(a, 2), torch.special.expit(a), a.moveaxis(0, 1), torch.greater(a, 0.5), torch.fix(a * 3), torch.absolute(a), torch.subtract(a, b, alpha=2), torch.where(a > 0, 1, 0)), x, positive),
    "softmax": (lambda a: (a.softmax(-1), F.log_softmax(a, 1), F.softmax(a, 0, dtype=torch.float64)), x),
    "shapes": (lambda a: (a.reshape(6, -1), a.view(2, 12), a.flatten(1), a.transpose(1, 2), a.permute(2, 0, 1), a.unsqueeze(1), a[:, :1].squeeze(1), a.expand(5, 2, 3, 4), a.repeat(2, 1, 1), a.flip(0, 2), a.roll(1, 1), a.movedim(0, -1), a.unflatten(2, (2, 2)), a.T if a.dim() == 2 else a.mT, a.tile(2)), x),
    "parts": (lambda a: (a[0], a[:, 1], a[..., 1:3], a[:, None], a[-1, ::2], a[:, [0, 2]], *a.chunk(2, 2), *a.split([1, 2], 1), *a.unbind(0), a.narrow(2, 1, 2), a.diagonal(0, 1, 2), a.tril(), a.triu(1), *a.topk(2, 1), *a.sort(2, descending=True)), x),
    "indices": (lambda a, i: (a[i], a[:, i], torch.gather(a, 2, i.reshape(2, 1, 1).expand(2, 3, 1)), torch.index_select(a, 1, i), a[0, i], a[i, :, i], torch.take_along_dim(a, i.reshape(2, 1, 1), 2), F.one_hot(i, 3), F.embedding(i, a[0])), x, torch.tensor([1, 0])),
    "joining": (lambda a, b: (torch.cat([a, b], 1), torch.stack([a, b]), torch.hstack([a, b]), torch.vstack([a, b]), torch.block_diag(a[0], b[0]), *torch.meshgrid(a[0, 0], b[0, 0], indexing="ij")), x, positive),
    "products": (lambda a, m: (a @ m, torch.einsum("bij,jk->bik", a, m), F.linear(a, m), torch.addmm(m, m, m, beta=0.5, alpha=2), torch.outer(m[0], m[1]), torch.tensordot(a, m, 1), torch.kron(m, m[:2]), m.det(), torch.bmm(a, a.mT), F.linear(a, m, m[0])), x, matrix),
    "masks": (lambda a: (a.masked_fill(a > 0, -1.0), a.clamp(-0.5, 0.5), a.clamp(min=0), torch.where(a > 0, a, -a), torch.maximum(a, -a), a.nan_to_num(), a.masked_fill(a < 0, float("-inf")).softmax(-1)), x),
    "new": (lambda a: (torch.zeros(2, 3) + a[0, 0, 0], torch.ones_like(a), torch.full((2,), 7), torch.arange(3) + a[:, :, 0], torch.eye(3) * a[0, 0, 0], a.new_zeros(2), torch.zeros_like(a).to(torch.int64)), x),
    "pooling": (lambda a: (F.max_pool2d(a, 2), F.avg_pool2d(a, 3, 1, 1), F.adaptive_avg_pool2d(a, 1), F.adaptive_avg_pool2d(a, (2, 3)), F.adaptive_max_pool2d(a, 2), F.max_pool2d(a, 3, 2, 1), *F.max_pool2d(a, 2, return_indices=True), F.avg_pool2d(a, 2, divisor_override=3)), image),
    "images": (lambda a: (F.interpolate(a, scale_factor=2), F.interpolate(a, (9, 5), mode="bilinear"), F.interpolate(a, (9, 5), mode="bilinear", align_corners=True), F.pad(a, (1, 2, 0, 1)), F.pad(a, (1, 1, 1, 1), "reflect"), F.pad(a[0], (2, 0), "replicate"), F.pixel_shuffle(a, 2), F.pixel_unshuffle(a, 2), F.channel_shuffle(a, 2)), image),
    "norms": (lambda a: (F.group_norm(a, 2), F.instance_norm(a), F.layer_norm(a, (6, 6)), F.batch_norm(a, torch.zeros(4), torch.ones(4)), F.batch_norm(a, None, None, training=True), F.normalize(a), F.rms_norm(a, (6,)), F.local_response_norm(a, 3)), image),
    "losses": (lambda a, b: (F.mse_loss(a, b), F.l1_loss(a, b, reduction="sum"), F.smooth_l1_loss(a, b), F.huber_loss(a, b), F.binary_cross_entropy(a.sigmoid(), b.clamp(max=1)), F.binary_cross_entropy_with_logits(a, b), F.kl_div(a, b, reduction="batchmean"), F.cosine_similarity(a, b), F.cosine_embedding_loss(a[0], b[0], torch.tensor([1, -1, 1])), F.triplet_margin_loss(a[0], b[0], -b[0])), x, positive),
    "classes": (lambda a, t: (F.cross_entropy(a, t), F.nll_loss(a.log_softmax(1), t, reduction="none"), F.cross_entropy(a, t, label_smoothing=0.1), F.cross_entropy(a, t, ignore_index=1), F.cross_entropy(a, t, weight=torch.tensor([1.0, 2.0, 3.0]))), torch.randn(4, 3), torch.tensor([0, 2, 1, 2])),
    "attention": (lambda a: (F.scaled_dot_product_attention(a, a, a), F.scaled_dot_product_attention(a, a, a, is_causal=True), F.scaled_dot_product_attention(a, a, a, attn_mask=torch.ones(3, 3).tril() > 0)), x),
    "convolutions": (lambda a: (F.conv2d(a, torch.ones(2, 4, 3, 3), padding="same"), F.conv2d(a, torch.ones(4, 1, 3, 3), groups=4, stride=2, dilation=2), F.conv_transpose2d(a, torch.ones(4, 2, 3, 3), stride=2, output_padding=1), F.conv1d(a[0], torch.ones(2, 6, 3), torch.ones(2))), image),
    "medians": (lambda a: (a.median(), *a.median(1), *a.nanmedian(2, keepdim=True), a.where(a > 0, math.nan).median(1)[0], a.where(a > 0, math.nan).nanmedian(2)[0], a.quantile(0.3), a.quantile(torch.tensor([0.1, 0.5]), 1, True), a.quantile(0.4, 2, interpolation="nearest"), a.where(a > 0, math.nan).nanquantile(0.6, 1)), x),
    "searches": (lambda a, i: (torch.searchsorted(a.sort(2)[0], a), torch.searchsorted(a[0, 0].sort()[0], a, right=True), torch.bucketize(a, torch.tensor([-1.0, 0.0, 0.5]), out_int32=True), torch.bucketize(i, torch.tensor([-2, 0, 1]), right=True), a.histc(5), a.histc(4, -1, 1), (i[0, 0] + 5).bincount(minlength=3), (i[0, 0] + 5).bincount(a[0, 0])), x, whole),
    "distinct": (lambda i: (i.unique(), *i.unique(return_inverse=True, return_counts=True), *torch.unique(i, dim=0, return_counts=True), i[0, 0].unique_consecutive(), *(i > 0).unique_consecutive(return_counts=True), *i.unique_consecutive(True, True)), whole),
    "cumulative": (lambda a, i: (a.cumprod(1), i.cumprod(2), *a.cummax(1), *a.cummin(2), *i.cummax(0), *i.cummin(2), torch.cumulative_trapezoid(a, dim=1), torch.cumulative_trapezoid(a, a.cumsum(2))), x, whole),
    "patches": (lambda a: (F.unfold(a, 3, 2, 1, 2), F.fold(F.unfold(a, (2, 3), 1, 1, 2), (6, 6), (2, 3), 1, 1, 2), F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2), F.max_unpool1d(*F.max_pool1d(a[0], 3, return_indices=True), 3), F.affine_grid(a[:, :2, 0, :3], (2, 1, 4, 5), align_corners=False), F.affine_grid(a[:, :3, 0, :4], (2, 1, 2, 3, 4), align_corners=True), F.interpolate(a, (3, 4), mode="bilinear", antialias=True), F.interpolate(a, (9, 4), mode="bicubic", antialias=True)), image),
    "bags": (lambda w, i: (F.embedding_bag(i, w), F.embedding_bag(i.reshape(-1), w, torch.tensor([0, 2, 2]), mode="sum"), F.embedding_bag(i, w, mode="max", padding_idx=1), F.embedding_bag(i, w, mode="sum", per_sample_weights=i * 0.5), F.embedding_bag(i.reshape(-1), w, torch.tensor([0, 3, 6]), include_last_offset=True, padding_idx=-1)), torch.randn(4, 3), torch.tensor([[0, 2, 1], [3, 3, 1]])),
    "statistics": (lambda m: (m.cov(), m.corrcoef(), m[0].cov(correction=0), F.pdist(m), torch.vander(m[0]), torch.linalg.vander(m, N=3), torch.combinations(m[0]), torch.combinations(m[0], with_replacement=True), m.renorm(2, 0, 1.0), m.argwhere(), torch.linalg.diagonal(m, offset=1), torch.fft.fftshift(m), torch.fft.ifftshift(m[:, :3], 1), m.put(torch.tensor([1, 5]), m[0, :2]), *torch.unravel_index(m.argmax(), m.shape)), matrix),
    "groups": (lambda a: (F.scaled_dot_product_attention(a.expand(1, 2, 3, 4), a[:1], a[:1], enable_gqa=True), a.repeat_interleave(torch.tensor([2, 0, 1]), 1), a.repeat_interleave(2), torch.repeat_interleave(torch.tensor([2, 0, 3])) + a.sum()), x),
    "scatters": (lambda a, i: (a.scatter(2, i, 5.0), a.scatter_add(1, i, a), a.index_fill(1, i[0, 0, :1], 2.0), a.index_add(1, i[0, 0, :2] * 0, a[:, :2]), torch.zeros(3).index_put((i[0, 0, :1],), torch.ones(1), accumulate=True)), x, torch.randint(0, 3, (2, 3, 4))),
}  # fmt: skip


INVENTED = make_invented(torch)


@pytest.mark.parametrize("name", CALLS)
def test_forms_run_alike(name):
    program, *inputs = CALLS[name]
    assert_alike(run(export(program, *inputs), inputs), program(*inputs))


@pytest.mark.parametrize("name", [name for name in CALLS if name != "products"])  # which have a determinant of factors
def test_decomposed_programs_run_alike(name):
    program, *inputs = CALLS[name]
    module = torch.nn.Module()
    module.forward = program
    whole = torch.export.export(module, tuple(inputs))
    for each in (whole, whole.run_decompositions()):
        assert_alike(run(export(each, *inputs), inputs), program(*inputs))


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("name", [name for name in INVENTED if name not in ("Keywords", "Filter", "Spectrum")])
def test_invented_models_run_alike(name, decomposed):
    make, args, _ = INVENTED[name]
    program = torch.export.export(make(), tuple(args))
    program = program.run_decompositions() if decomposed else program
    assert_alike(run(export(program, *args), args), make()(*args))


@pytest.mark.parametrize("name", CALLS)
def test_models_of_all_operators_are_read_back(name):
    from tensh.onnx.reading import OnnxModule

    program, *inputs = CALLS[name]
    made = OnnxModule(export(program, *inputs))(*inputs)
    assert_alike([each.detach().numpy() for each in flatten(made)], program(*inputs))


@pytest.mark.parametrize("opset", [18, 20, 21])
def test_versions_of_the_operators(opset):
    from onnx import helper

    program, *inputs = CALLS["activations"]
    proto = export(program, *inputs, opset_version=opset)
    assert [each.version for each in proto.opset_import] == [opset]
    assert proto.ir_version == helper.find_min_ir_version_for(proto.opset_import)
    assert_alike(run(proto, inputs), program(*inputs))


def test_layers_with_cells_and_several_layers():
    torch.manual_seed(0)
    for layer in (
        torch.nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True), torch.nn.GRU(3, 4, 2), torch.nn.RNN(3, 4, nonlinearity="relu"),
        torch.nn.RNN(3, 4, bidirectional=True, bias=False), torch.nn.LSTMCell(3, 4), torch.nn.GRUCell(3, 4),
    ):  # fmt: skip
        inputs = [torch.randn(2, 3) if "Cell" in type(layer).__name__ else torch.randn(5, 2, 3)]
        assert_alike(run(export(layer, *inputs), inputs), layer(*inputs))


def test_exported_programs_with_constants_and_casts():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x.double().float() + torch.tensor([1.0, 2.0]) + torch.arange(2) + torch.zeros(2)

    x = torch.randn(3, 2)
    program = torch.export.export(Model(), (x,))
    assert_alike(run(export(program, x), [x]), Model()(x))


def test_writes_become_new_values():
    def program(a):
        b = a.clone()
        b[0] = 7.0
        b[1:].mul_(2)
        b[:, 0] += a.sum()
        c = b.view(-1)
        c[2] = 1.0
        b.t().add_(1)
        parts = b.split(1)
        parts[1].zero_()
        return b, c * 2

    a = torch.randn(3, 2)
    assert_alike(run(export(program, a), [a]), program(a))
    assert torch.equal(a, a.clone())


def test_names_versions_and_files(tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())
    path = tmp_path / "model.onnx"
    made = torch.onnx.export(
        model,
        torch.randn(1, 4),
        path,
        input_names=["image"],
        output_names=["scores"],
        dynamic_axes={"image": [0]},
        verify=True,
    )
    assert repr(made).startswith("ONNXProgram(image -> scores")
    loaded = torch.onnx.load(path)
    assert loaded(torch.randn(3, 4)).shape == loaded(image=torch.randn(3, 4)).shape == (3, 2)
    assert [name for name, _ in loaded.program.named_parameters()] == ["_0_weight", "_0_bias"] and loaded.opset == 18
    with pytest.raises(TypeError, match="expects 1 inputs .image., but got 0"):
        loaded()
    with pytest.raises(ValueError, match="opset_version must be from 9 to"):
        torch.onnx.export(model, torch.randn(1, 4), opset_version=8)


def test_dynamic_shapes_of_several_dimensions():
    def program(a, b):
        return a.reshape(a.size(0) * a.size(1), -1) @ b, a.mean(1)

    proto = export(program, torch.randn(2, 3, 4), torch.randn(4, 5), dynamic_shapes={"a": {0: "batch", 1: "length"}})
    inputs = [torch.randn(5, 7, 4), torch.randn(4, 5)]
    assert_alike(run(proto, inputs), program(*inputs))
    assert proto.graph.output[1].type.tensor_type.shape.dim[0].dim_param == "batch"


class Scaled(torch.nn.Module):
    def forward(self, x, scale=None, **more):
        return x if scale is None else x * (scale["s"] if isinstance(scale, dict) else scale)


X, S = torch.ones(2, 3), torch.full((3,), 2.0)


@pytest.mark.parametrize("dynamic", [None, {"x": {0: "batch"}}])
@pytest.mark.parametrize(
    ("args", "kwargs", "inputs"),
    [
        ((X, {"scale": S}), None, ["x", "scale"]),
        ((X, {"other": S}), None, ["x", "other"]),
        ((X, {}), None, ["x"]),
        ((X, S, {}), None, ["x", "scale"]),
        ((X,), {"scale": S}, ["x", "scale"]),
    ],
)
def test_a_dictionary_at_the_end_of_the_arguments_has_keywords(args, kwargs, inputs, dynamic):
    made = torch.onnx.export(Scaled(), args, kwargs=kwargs, dynamic_axes=dynamic).model_proto
    assert [each.name for each in made.graph.input] == inputs


class Entry(torch.nn.Module):
    def forward(self, x, entries):
        return x * entries["s"]


def test_a_dictionary_that_the_model_does_not_take_as_keywords_is_a_value():
    made = torch.onnx.export(Entry(), (X, {"s": S})).model_proto
    assert [each.name for each in made.graph.input] == ["x", "entries_s"]


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda a: torch.linalg.svd(a)[1], "linalg_svd, called at .*test_onnx.py:"),
        (lambda a: torch.unique_consecutive(a, dim=0), "unique_consecutive .*called at .*test_onnx.py:"),
        (lambda a: F.dropout(a), "dropout in training draws random numbers, called at .*test_onnx.py:"),
        (lambda a: 3, "returns tensors only, but output 0 is 3"),
        (lambda a: torch.randperm(3) + a[0], "randperm"),
        (lambda a: F.rrelu(a, training=True), "rrelu"),
    ],
)
def test_what_has_no_form_names_operator_and_line(program, text):
    with pytest.raises(torch.onnx.OnnxExporterError, match=text):
        export(program, torch.randn(3, 3))


@pytest.mark.parametrize("program", [lambda a: a * 2 if a.size(0) > 2 else a, lambda a: a / float(a.size(0))])
def test_a_fixed_size_is_refused_with_its_line(program):
    with pytest.raises(torch.onnx.OnnxExporterError, match="test_onnx.py|does not take other sizes|depends on a size"):
        export(program, torch.randn(2, 3), dynamic_axes={"a": {0: "batch"}})


def test_the_package_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"torch.onnx.export needs the package onnx: pip install 'tensh\[onnx\]'"):
        torch.onnx.export(lambda a: a, torch.ones(1))
