"""torch.onnx: models are written, checked, run alike by onnxruntime, and read back; what has no form says which line asks for it."""

import inspect
import io
import os
import re
import sys

import numpy as np
import pytest

import tensh as torch
from tests.support.zoo import make_models

onnx = pytest.importorskip("onnx")
F = torch.nn.functional
MODELS = {name: (model.eval(), inputs) for name, (model, inputs) in make_models(torch).items()}


def flatten(value):
    value = list(value.values()) if isinstance(value, dict) else value
    return [leaf for each in value for leaf in flatten(each)] if isinstance(value, (tuple, list)) else [value]


def run(proto, inputs):
    """The outputs of a model by onnxruntime."""
    runtime = pytest.importorskip("onnxruntime")
    runtime.set_default_logger_severity(4)
    session = runtime.InferenceSession(proto.SerializeToString())
    return session.run(None, {each.name: value.detach().numpy() for each, value in zip(proto.graph.input, inputs)})


def assert_alike(ours, expected):
    for a, b in zip(ours, flatten(expected), strict=True):
        a, b = np.asarray(a), b.detach().numpy()
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def export(program, *inputs, **options):
    return torch.onnx.export(program, inputs, **options).model_proto


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
    "scatters": (lambda a, i: (a.scatter(2, i, 5.0), a.scatter_add(1, i, a), a.index_fill(1, i[0, 0, :1], 2.0), a.index_add(1, i[0, 0, :2] * 0, a[:, :2]), torch.zeros(3).index_put((i[0, 0, :1],), torch.ones(1), accumulate=True)), x, torch.randint(0, 3, (2, 3, 4))),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_forms_run_alike(name):
    program, *inputs = CALLS[name]
    assert_alike(run(export(program, *inputs), inputs), program(*inputs))


@pytest.mark.parametrize("name", CALLS)
def test_models_of_all_operators_are_read_back(name):
    from tensh.onnx.reading import OnnxModule

    program, *inputs = CALLS[name]
    made = OnnxModule(export(program, *inputs))(*inputs)
    assert_alike([each.detach().numpy() for each in flatten(made)], program(*inputs))


@pytest.mark.parametrize("opset", [18, 20, 21])
def test_versions_of_the_operators(opset):
    program, *inputs = CALLS["activations"]
    proto = export(program, *inputs, opset_version=opset)
    assert [each.version for each in proto.opset_import] == [opset]
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
    with pytest.raises(TypeError, match="takes 1 inputs"):
        loaded()
    with pytest.raises(ValueError, match="opset_version must be from 18 to"):
        torch.onnx.export(model, torch.randn(1, 4), opset_version=9)


def test_dynamic_shapes_of_several_dimensions():
    def program(a, b):
        return a.reshape(a.size(0) * a.size(1), -1) @ b, a.mean(1)

    proto = export(program, torch.randn(2, 3, 4), torch.randn(4, 5), dynamic_shapes={"a": {0: "batch", 1: "length"}})
    inputs = [torch.randn(5, 7, 4), torch.randn(4, 5)]
    assert_alike(run(proto, inputs), program(*inputs))
    assert proto.graph.output[1].type.tensor_type.shape.dim[0].dim_param == "batch"


# ── what cannot be written ───────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda a: torch.linalg.svd(a)[1], "linalg_svd, called at .*test_onnx.py:"),
        (lambda a: torch.unique(a), "unique.*called at .*test_onnx.py:"),
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


# ── what is read ─────────────────────────────────────────────────────────────
def model_of(nodes, inputs, outputs, weights=()):
    helper = onnx.helper
    ports = [[helper.make_tensor_value_info(each, 1, None) for each in names] for names in (inputs, outputs)]
    return helper.make_model(
        helper.make_graph(nodes, "g", *ports, list(weights)), opset_imports=[helper.make_opsetid("", 18)]
    )


def load(model):
    return torch.onnx.load(io.BytesIO(model.SerializeToString()))


@pytest.mark.parametrize(
    "name", ["graph", "code", "forward", "parameters", "training", "_parameters", "self", "import", "None", "print"]
)
def test_names_of_a_file_may_be_those_of_modules_and_of_python(name):
    weight = onnx.numpy_helper.from_array(np.ones(2, np.float32), name)
    x = torch.ones(2)
    made = load(model_of([onnx.helper.make_node("Add", ["x", name], ["y"])], ["x"], ["y"], [weight]))
    assert torch.equal(made(x), x + 1)
    made = load(model_of([onnx.helper.make_node("Relu", [name], [f"{name}_"])], [name], [f"{name}_"]))
    assert torch.equal(made(x), x)


def test_names_of_a_file_are_no_code():
    bad = "x'); import os; os.abort() #\n"
    made = load(model_of([onnx.helper.make_node("Relu", [bad], ['y"""\n1'])], [bad], ['y"""\n1']))
    assert "import os" not in made.code and "abort()" not in made.code
    assert made(torch.tensor([-1.0, 1.0])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        (b"", ValueError, "not an ONNX model"),
        (b"\x00garbage", ValueError, "not an ONNX model"),
        (model_of([onnx.helper.make_node("Nonsense", ["x"], ["y"])], ["x"], ["y"]), NotImplementedError, "does not run the operator Nonsense"),
        (model_of([onnx.helper.make_node("Relu", ["x"], ["y"], domain="com.example")], ["x"], ["y"]), NotImplementedError, "com.example.Relu"),
        (model_of([onnx.helper.make_node("Relu", ["z"], ["y"])], ["x"], ["y"]), ValueError, "'z', which no node computes"),
        (model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [onnx.TensorProto(name="w", data_type=1, dims=[2**40], raw_data=b"1234")]), ValueError, "w has the shape"),
        (model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [onnx.TensorProto(name="w", data_type=1, dims=[3], raw_data=b"1234")]), ValueError, "needs 3 numbers, but has 1"),
        (model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [onnx.TensorProto(name="w", data_type=1, dims=[-1])]), ValueError, "w has the shape"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused(content, error, text):
    with pytest.raises(error, match=text):
        torch.onnx.load(io.BytesIO(content if isinstance(content, bytes) else content.SerializeToString()))


def test_names_that_are_spelled_the_same_take_no_longer_than_others():
    """Each got a longer name than the one before, which took minutes for twenty thousand."""
    names = [chr(0x4E00 + number) for number in range(3000)]
    weights = [onnx.numpy_helper.from_array(np.ones(1, np.float32), name) for name in names]
    nodes = [onnx.helper.make_node("Add", ["x", name], [f"{name}y"]) for name in names]
    members = torch.onnx.load(
        io.BytesIO(model_of(nodes, ["x"], [f"{names[-1]}y"], weights).SerializeToString())
    ).state_dict()
    assert len(members) == len(names) and max(map(len, members)) < 20


def test_weights_beside_a_model_stay_in_its_folder(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "secret.bin").write_bytes(np.ones(2, np.float32).tobytes())
    (tmp_path / "models" / "weights.bin").write_bytes(np.ones(2, np.float32).tobytes())
    os.symlink(tmp_path / "secret.bin", tmp_path / "models" / "link.bin")

    def try_place(place):
        weight = onnx.TensorProto(name="w", data_type=1, dims=[2], data_location=1)
        weight.external_data.add(key="location", value=place)
        path = tmp_path / "models" / "m.onnx"
        path.write_bytes(
            model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [weight]).SerializeToString()
        )
        return torch.onnx.load(path)

    assert try_place("weights.bin")(torch.ones(2)).tolist() == [2, 2]
    for place in ("../secret.bin", str(tmp_path / "secret.bin"), "link.bin", "none.bin", ""):
        with pytest.raises(ValueError, match="not a file in the folder"):
            try_place(place)


def make_branches():
    """y = x + w if x.sum() > 0 else (x * w) with a branch within, where the weight w lies around both."""
    node, graph = onnx.helper.make_node, onnx.helper.make_graph
    port = onnx.helper.make_tensor_value_info
    inner = [
        graph([node(name, ["x", "w"], [f"{name}_inner"])], name, [], [port(f"{name}_inner", 1, None)])
        for name in ("Mul", "Sub")
    ]
    then = graph([node("Add", ["x", "w"], ["a"])], "then", [], [port("a", 1, None)])
    nested = node("If", ["small"], ["b"], then_branch=inner[0], else_branch=inner[1])
    other = graph([node("Less", ["total", "limit"], ["small"]), nested], "other", [], [port("b", 1, None)])
    nodes = [
        node("ReduceSum", ["x"], ["total"], keepdims=0),
        node("Greater", ["total", "zero"], ["positive"]),
        node("If", ["positive"], ["y"], then_branch=then, else_branch=other),
    ]
    numbers = {"w": np.array([2.0, 3.0], np.float32), "zero": np.float32(0), "limit": np.float32(-5)}
    weights = [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in numbers.items()]
    return model_of(nodes, ["x"], ["y"], weights)


def make_loop(steps, goes):
    """Powers of two of x while they are small: the last one, and all sums with a value from around the loop."""
    node, port = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    body = onnx.helper.make_graph(
        [
            node("Add", ["v", "v"], ["v_next"]),
            node("Add", ["v_next", "x"], ["row"]),
            node("ReduceSum", ["v_next"], ["total"], keepdims=0),
            node("Less", ["total", "limit"], ["goes_on"]),
        ],
        "body",
        [port("step", 7, []), port("goes", 9, []), port("v", 1, [2])],
        [port("goes_on", 9, []), port("v_next", 1, [2]), port("row", 1, [2])],
    )
    numbers = {"steps": np.int64(steps), "goes_first": np.bool_(goes), "limit": np.float32(40)}
    weights = [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in numbers.items()]
    return model_of(
        [node("Loop", ["steps", "goes_first", "x"], ["y", "rows"], body=body)], ["x"], ["y", "rows"], weights
    )


@pytest.mark.parametrize(
    "model", [make_branches(), make_loop(3, True), make_loop(100, True), make_loop(3, False), make_loop(0, True)]
)
def test_branches_and_loops_run_as_in_onnxruntime(model):
    model.ir_version = 8
    for numbers in ([1.0, 2.0], [-1.0, -2.0], [-4.0, -5.0]):
        x = torch.tensor(numbers, requires_grad=True)
        made = load(model)(x)
        results = made if isinstance(made, tuple) else (made,)
        assert_alike(run(model, [x]), list(results))
        assert torch.autograd.grad(results[0].sum(), x)[0].shape == (2,)


def test_graphs_within_graphs_are_bounded():
    node, graph = onnx.helper.make_node, onnx.helper.make_graph
    port = onnx.helper.make_tensor_value_info
    nodes = [node("Relu", ["x"], ["y0"])]
    for depth in range(30):
        inner = graph(nodes, "g", [], [port(f"y{depth}", 1, None)])
        nodes = [node("If", ["x"], [f"y{depth + 1}"], then_branch=inner, else_branch=inner if depth < 3 else graph([node("Relu", ["x"], ["z"])], "z", [], [port("z", 1, None)]))]  # fmt: skip
    with pytest.raises(ValueError, match="nested too deeply"):
        load(model_of(nodes, ["x"], ["y30"]))
    with pytest.raises(ValueError, match="lacks the attribute '(then|else)_branch'"):
        load(model_of([node("If", ["x"], ["y"])], ["x"], ["y"]))


KINDS = {
    "FLOAT": 2.5, "INT": 3, "STRING": "a", "FLOATS": [1.5], "INTS": [1, 2], "STRINGS": ["a", "b"],
    "TENSOR": onnx.numpy_helper.from_array(np.ones(2, np.float32)),
    "GRAPH": onnx.helper.make_graph([], "g", [], []),
}  # fmt: skip
NODES = {  # (operator, attribute) -> how many inputs it gets
    ("Gemm", "alpha"): 2, ("Softmax", "axis"): 1, ("Transpose", "perm"): 1, ("Concat", "axis"): 2, ("Cast", "to"): 1,
    ("Conv", "kernel_shape"): 2, ("MaxPool", "kernel_shape"): 1, ("Resize", "mode"): 1, ("LSTM", "direction"): 3,
    ("Einsum", "equation"): 1, ("Constant", "value"): 0, ("If", "then_branch"): 1, ("Loop", "body"): 2,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("operator", "name"), NODES, ids=".".join)
def test_an_attribute_of_another_kind_is_refused_by_name_when_a_file_is_read(operator, name, kind):
    wanted = onnx.defs.get_schema(operator, 18).attributes[name].type.name
    if kind == wanted:
        return
    node = onnx.helper.make_node(operator, ["x"] * NODES[operator, name], ["y"], name="here")
    node.attribute.append(onnx.helper.make_attribute(name, KINDS[kind]))
    with pytest.raises(
        ValueError, match=f"'{name}' of the node 'here' .{operator}. is of the kind {kind}, and {wanted}"
    ):
        load(model_of([node], ["x"], ["y"]))


def made_wrong(operator, inputs, *attributes):
    node = onnx.helper.make_node(operator, inputs, ["y"], name="here")
    node.attribute.extend(onnx.AttributeProto(**each) for each in attributes)
    return node


TWICE = {"name": "axis", "type": onnx.AttributeProto.INT, "i": 1}
WRONG_NODES = {
    "'here' (Add) has 0 inputs, but 2 were expected": made_wrong("Add", []),
    "'here' (Relu) has 3 inputs, but 1 were expected": made_wrong("Relu", ["x"] * 3),
    "'here' (Gemm) has 1 inputs, but 2 to 3 were expected": made_wrong("Gemm", ["x"]),
    "'here' (Concat) has 0 inputs, but at least 1 were expected": made_wrong("Concat", [], TWICE),
    "'here' (Cast) lacks the attribute 'to'": made_wrong("Cast", ["x"]),
    "'here' (Softmax) has the attribute 'axis' twice": made_wrong("Softmax", ["x"], TWICE, TWICE),
    "'axis' of the node 'here' (Softmax) refers to an attribute of a function": made_wrong("Softmax", ["x"], TWICE | {"ref_attr_name": "a"}),
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG_NODES)
def test_a_node_that_its_operator_does_not_fit_is_refused_when_a_file_is_read(words):
    with pytest.raises(ValueError, match=re.escape(words)):
        load(model_of([WRONG_NODES[words]], ["x"], ["y"]))


def test_a_node_without_an_output_is_refused():
    with pytest.raises(ValueError, match="'here' .Relu. has no output"):
        load(model_of([onnx.helper.make_node("Relu", ["x"], [], name="here")], ["x"], ["y"]))


def test_random_operators_draw_from_the_generator():
    node = onnx.helper.make_node
    nodes = [
        node("RandomNormal", [], ["a"], shape=[200, 50], mean=3.0, scale=2.0),
        node("RandomUniformLike", ["a"], ["b"], low=-1.0, high=1.0),
        node("RandomUniform", [], ["c"], shape=[200, 50], low=0.0, high=0.5, dtype=11),
        node("RandomNormalLike", ["c"], ["d"]),
        node("Bernoulli", ["c"], ["e"], dtype=7),
        node("Multinomial", ["x"], ["f"], sample_size=1000, dtype=7),
    ]
    model = load(model_of(nodes, ["x"], list("abcdef")))
    torch.manual_seed(0)
    a, b, c, d, e, f = model(torch.tensor([[0.0, 1.0986123, -100.0]]))
    assert abs(a.mean() - 3) < 0.1 and abs(a.std() - 2) < 0.1 and -1 <= b.min() < -0.99 and 0.99 < b.max() <= 1
    assert c.min() >= 0 and c.max() <= 0.5 and c.dtype == d.dtype == torch.float64 and abs(d.std() - 1) < 0.05
    assert e.dtype == f.dtype == torch.int64 and abs(e.double().mean() - 0.25) < 0.03
    assert abs(f.double().mean() - 0.75) < 0.05 and f.max() == 1 and f.shape == (1, 1000)


def test_programs_that_draw_random_numbers_run_elsewhere():
    def program(x):
        several = (
            torch.rand(x.size(0), 500),
            torch.randn_like(x) * 2 + 1,
            torch.randint(3, 9, (1000,)),
            torch.bernoulli(x * 0 + 0.3),
        )
        return (
            *several,
            torch.multinomial(x.abs().softmax(-1), 3, replacement=True),
            torch.normal(2.0, 0.5, (1000,)),
            torch.rand(()),
        )

    made = torch.onnx.export(program, torch.randn(4, 500), dynamic_axes={"x": {0: "rows"}})
    torch.manual_seed(0)
    for results in (made(torch.randn(6, 500)), load(made.model_proto)(torch.randn(6, 500))):
        u, n, i, b, m, g, one = results
        assert [each.dtype for each in results] == [torch.float32] * 2 + [torch.int64, torch.float32, torch.int64] + [
            torch.float32
        ] * 2
        assert u.shape == (6, 500) and u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 0.03
        assert abs(n.mean() - 1) < 0.2 and abs(n.std() - 2) < 0.2 and abs(b.mean() - 0.3) < 0.05
        assert (
            i.unique().tolist() == list(range(3, 9))
            and m.shape == (6, 3)
            and abs(g.mean() - 2) < 0.1
            and one.shape == ()
        )


def test_weights_lie_beside_a_model_or_in_it(tmp_path):
    model, x = torch.nn.Linear(20, 20), torch.randn(2, 20)
    made = torch.onnx.export(model, x, tmp_path / "a.onnx")
    sizes = {each.name: each.stat().st_size for each in tmp_path.iterdir()}
    assert sizes["a.onnx.data"] == 1600 and sizes["a.onnx"] < 1000  # the bias of 80 bytes stays
    made.save(tmp_path / "b.onnx")
    torch.onnx.export(model, x, tmp_path / "c.onnx", external_data=False)
    for name in "abc":
        assert torch.allclose(torch.onnx.load(tmp_path / f"{name}.onnx")(x), model(x), atol=1e-6)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.onnx", "a.onnx.data", "b.onnx", "c.onnx"]
    onnx.checker.check_model(str(tmp_path / "a.onnx"))


def test_weights_stay_as_they_were_where_their_model_cannot_be_written(tmp_path):
    model, x = torch.nn.Linear(20, 20), torch.randn(2, 20)
    weights = tmp_path / "a.onnx.data"
    weights.write_text("old")
    (tmp_path / "a.onnx").mkdir()
    with pytest.raises(IsADirectoryError):
        torch.onnx.export(model, x, tmp_path / "a.onnx")
    assert weights.read_text() == "old"
