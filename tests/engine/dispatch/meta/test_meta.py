"""Tensors without elements: properties of results, and refused operations."""

import copy
import io
import pickle
import warnings

import pytest

import tensh as torch
from tensh import nn
from tests.recorded.layers import cases as layers
from tests.recorded.operators import families, resolve, tensor
from tests.recorded.operators.record import flat

F = nn.functional
OF_ELEMENTS = (
    "equal unique unique_consecutive bincount histogram histogramdd masked_select nonzero argwhere geqrf allclose linalg.lstsq "
    "nn.functional.one_hot combinations"
).split()


def facts(value):
    """Shape, dtype, strides and history of the tensors in a result."""
    return [
        (t.shape, t.dtype, name_of(t.grad_fn), steps(t)) if isinstance(t, torch.Tensor) else type(t)
        for t in flat(torch, value)
    ]


def steps(t):
    """The strides that lead from one element to another; None where they say nothing that could be compared."""
    if not t.numel() or min(t.stride(), default=0) < 0:
        return None
    return tuple(step for n, step in zip(t.shape, t.stride(), strict=True) if n > 1)


def same(one, other):
    """Are the facts those on the CPU, as far as strides there say something?"""
    return len(one) == len(other) and all(
        a == b or isinstance(a, tuple) and a[:3] == b[:3] and a[3] is None for a, b in zip(one, other, strict=True)
    )


def name_of(node):
    return None if node is None else node.name().replace("torch::autograd::CopyBackwards", "CloneBackward0")


MAKING = """
torch.empty_strided((3, 2), (1, 3), device=d)
torch.empty_strided((3, 2), (5, 7), dtype=torch.int8, device=d)
torch.empty_strided((), (), device=d)
torch.empty_permuted((2, 3, 4), (2, 0, 1), device=d)
torch.empty(2, 3, 4, 5, memory_format=torch.channels_last, device=d)
x.new_empty_strided((3, 2), (1, 3))
x.new_empty_strided((3, 2), (1, 3), dtype=torch.int8)
x.new(2, 3)
x.new_tensor([1, 2])
x.new_full((2,), 3)
x.new_zeros(2)
torch.zeros_like(x.t())
torch.empty_like(x[:, ::2])
""".strip().splitlines()


@pytest.mark.parametrize("code", MAKING)
def test_new_tensors_have_the_strides_and_the_memory_of_those_on_the_cpu(code):
    on = {}
    for d in ("cpu", "meta"):
        t = eval(code, {"torch": torch, "d": d, "x": torch.ones(2, 3, dtype=torch.float64, device=d)})
        assert t.device.type == d
        on[d] = t.shape, t.stride(), t.dtype, t.storage_offset(), t.untyped_storage().nbytes()
    assert on["meta"] == on["cpu"]


def made(call, device):
    tensors = []
    for argument, dtype, array in call.arrays():
        t = tensor(torch, array, dtype).to(device)
        tensors.append(t.requires_grad_() if argument.differentiable else t)
    return call.filled(tensors)


@pytest.mark.parametrize("family", families(), ids=lambda family: family.__name__.rpartition(".")[2])
def test_results_have_the_shapes_strides_and_history_of_those_on_the_cpu(family):
    different = []
    for name, calls in family.SAMPLES.items():
        for call in calls if name not in OF_ELEMENTS else ():
            if name == "repeat_interleave" and len(call.arrays()) > 1:
                continue  # the size would have to be counted
            found = []
            for device in ("cpu", "meta"):
                args, options = made(call, device)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = resolve(torch, name)(*args, **options)
                found.append(facts(result))
            where = {t.device.type for t in flat(torch, result) if isinstance(t, torch.Tensor)}
            if not same(*found) or call.arrays() and where - {"meta"}:
                different.append((name, call, *found))
    assert not different


def wide(*shape, **options):
    return torch.empty(shape, device="meta", **options)


HUGE = {
    "x + 1": (2**20, 2**20),
    "x.sum()": (),
    "x.sum(0)": (2**20,),
    "x.mean(1, keepdim=True)": (2**20, 1),
    "x @ x": (2**20, 2**20),
    "x.softmax(0)": (2**20, 2**20),
    "x.relu().exp_()": (2**20, 2**20),
    "torch.cat([x, x], 1)": (2**20, 2**21),
    "torch.stack([x, x])": (2, 2**20, 2**20),
    "x.view(2**10, -1)": (2**10, 2**30),
    "x.t().reshape(-1)": (2**40,),
    "x[5:, None, 3]": (2**20 - 5, 1),
    "F.layer_norm(x, (2**20,))": (2**20, 2**20),
    "F.embedding(torch.zeros(2, 3, dtype=int), x)": (2, 3, 2**20),
    "nn.Linear(2**20, 2**21, device='meta')(x)": (2**20, 2**21),
    "nn.Conv2d(3, 8, 3, stride=2, padding=1, device='meta')(wide(2**20, 3, 1024, 1023))": (2**20, 8, 512, 512),
    "F.max_pool2d(wide(64, 3, 224, 230), 2)": (64, 3, 112, 115),
    "F.scaled_dot_product_attention(*[wide(2, 32, 4096, 128)] * 3)": (2, 32, 4096, 128),
    "F.cross_entropy(x, wide(2**20, dtype=torch.long))": (),
    "nn.LSTM(4, 5, device='meta')(wide(700, 2000, 4))[0]": (700, 2000, 5),
    "x.uniform_()": (2**20, 2**20),
    "torch.zeros_like(x).requires_grad_().mul(2)": (2**20, 2**20),
    "torch.where(x > 0, x, 0.0)": (2**20, 2**20),
    "x.max(1).values": (2**20,),
    "x.cumsum(0)": (2**20, 2**20),
    "x.double()": (2**20, 2**20),
    "x.clone()": (2**20, 2**20),
}


@pytest.mark.parametrize(("text", "shape"), HUGE.items())
def test_a_tensor_of_any_size_costs_nothing(text, shape):
    result = eval(text, globals() | {"x": wide(2**20, 2**20)})
    assert result.shape == shape
    assert result.is_meta


BETWEEN = {
    "torch.linalg.qr(x)": [(40, 40, 40)] * 2,
    "x.sort()": [(40, 40, 40)] * 2,
    "x.topk(2, 0)": [(2, 40, 40)] * 2,
    "x.median(0)": [(40, 40)] * 2,
    "torch.fft.rfft(x)": [(40, 40, 21)],
    "F.max_pool2d(x, 2)": [(40, 20, 20)],
    "F.layer_norm(x, (40,))": [(40, 40, 40)],
    "F.cross_entropy(x[0], x[0, 0].long())": [()],
    "torch.stft(x[:, :, 0], 16, window=x[0, 0, :16], return_complex=True)": [(40, 9, 11)],
    "nn.LSTM(40, 20, device='meta')(x)[0]": [(40, 40, 20)],
    "x[0, 0, 0].max(0)": [()] * 2,
    "x[0, 0, 0].kthvalue(1)": [()] * 2,
    "x[0, 0, 0].argsort()": [()],
    "x[0, 0, 0].mode()": [()] * 2,
    "torch.bucketize(x[:, :0], x[0, 0])": [(40, 0, 40)],
    "torch.searchsorted(x[0, 0, :0], x[0, 0, :0])": [(0,)],
    "F.fractional_max_pool2d(x[:0, None], 2, 2)": [(0, 1, 2, 2)],
    "torch.linspace(x[0, 0, 0], x[0, 0, 0], 3, device='meta')": [(3,)],
}
"""Results of tensors of some thousand elements, and of one -> shapes."""


@pytest.mark.parametrize(("text", "shapes"), BETWEEN.items())
def test_results_of_other_sizes_have_no_elements(text, shapes):
    results = eval(text, globals() | {"x": wide(40, 40, 40)})
    results = results if isinstance(results, tuple) else (results,)
    assert [tuple(each.shape) for each in results] == shapes
    assert all(each.is_meta for each in results)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("x.item()", RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
        ("x[0, 0].item()", RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        ("float(x[0, 0])", RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        ("bool(x[0, 0])", RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        ("bool(x)", RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
        ("x.tolist()", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("x.cpu()", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("x.to('cpu')", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("x.numpy()", TypeError, "can't convert meta device type tensor to numpy"),
        ("nn.Linear(2, 3, device='meta').to('cpu')", NotImplementedError, "torch.nn.Module.to_empty()"),
        ("torch.equal(x, x)", NotImplementedError, "aten::equal: attempted to run this operator with Meta tensors"),
        ("x.unique()", NotImplementedError, "attempted to run this operator with Meta tensors"),
        ("x[x > 0]", NotImplementedError, "aten::nonzero"),
        ("x.__dlpack__()", BufferError, "Cannot pack tensors on meta"),
        ("x @ x", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("x + wide(4)", RuntimeError, "The size of tensor a (3) must match the size of tensor b (4)"),
    ],
)
def test_what_asks_for_elements_is_refused(text, kind, words):
    with pytest.raises(kind) as error:
        eval(text, globals() | {"x": wide(2, 3)})
    assert words in str(error.value)


def test_printed_form():
    assert repr(wide(2, 3)) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(wide(2, dtype=torch.int64)) == "tensor(..., device='meta', size=(2,), dtype=torch.int64)"
    assert repr(wide(requires_grad=True)) == "tensor(..., device='meta', size=(), requires_grad=True)"


def test_meta_tensors_know_device_strides_and_place():
    x = wide(2, 3).t()[1:]
    assert (x.device, x.is_meta, x.is_cpu) == (torch.device("meta"), True, False)
    assert (x.stride(), x.storage_offset(), x.data_ptr()) == ((1, 3), 1, 4)


def test_default_device():
    with torch.device("meta"):
        made = [
            torch.zeros(2), torch.tensor([1.0]), torch.tensor(1), torch.arange(3), torch.randn(2), torch.eye(2), torch.ones(2, 2),
            torch.full((2,), 1.0), torch.linspace(0, 1, 3), torch.as_tensor([1]), nn.Linear(2, 3).weight,
        ]  # fmt: skip
        here = torch.zeros(2, device="cpu")
        assert torch.get_default_device() == torch.device("meta")
        with torch.device("cpu"):
            assert not torch.zeros(2).is_meta
    assert all(t.is_meta for t in made)
    assert not here.is_meta
    assert not torch.zeros(2).is_meta
    torch.set_default_device("meta")
    try:
        assert torch.rand(3).is_meta
    finally:
        torch.set_default_device(None)
    assert torch.get_default_device() == torch.device("cpu")


def test_nothing_is_drawn():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    nn.Linear(3, 4, device="meta")
    wide(3).normal_()
    torch.randn(3, device="meta")
    assert torch.equal(torch.rand(3), expected)


def test_modules_are_made_without_elements_and_filled_later():
    model = nn.Sequential(nn.Linear(2, 3, device="meta"), nn.BatchNorm1d(3, device="meta"))
    assert model(wide(4, 2)).shape == (4, 3)
    source = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    model.load_state_dict(source.state_dict(), assign=True)
    x = torch.randn(4, 2)
    assert torch.equal(model(x), source(x))
    assert nn.Linear(2, 3).to("meta").weight.is_meta
    empty = nn.Linear(2, 3, device="meta").to_empty(device="cpu")
    assert not empty.weight.is_meta
    assert empty.weight.requires_grad


def test_gradients_have_shapes():
    model = nn.Sequential(nn.Linear(2, 3, device="meta"), nn.Tanh(), nn.Linear(3, 1, device="meta"))
    model(wide(4, 2)).sum().backward()
    assert [(p.grad.shape, p.grad.is_meta) for p in model.parameters()] == [(p.shape, True) for p in model.parameters()]
    assert [p.grad.requires_grad for p in model.parameters()] == [False] * 4


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("shape", [(3, 4, 5), (10, 40, 64)])
def test_gradients_of_recurrences_have_shapes(layer, shape):
    module = layer(shape[2], 100, device="meta")
    x = wide(*shape).requires_grad_()
    module(x)[0].sum().backward()
    assert all(t.grad.is_meta and t.grad.shape == t.shape for t in (x, *module.parameters()))


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
def test_optimizers_step(optimizer):
    model = nn.Linear(2, 3, device="meta")
    model(wide(4, 2)).sum().backward()
    optimizer(model.parameters(), lr=0.1).step()
    assert model.weight.is_meta


def test_files_are_loaded_without_elements():
    file = io.BytesIO()
    torch.save({"a": torch.ones(2, 3).t()}, file)
    file.seek(0)
    loaded = torch.load(file, map_location="meta")["a"]
    assert (loaded.shape, loaded.stride(), loaded.is_meta) == ((3, 2), (1, 3), True)


def test_lazy_modules_and_initialisers():
    layer = nn.LazyLinear(3, device="meta")
    assert layer(wide(4, 2)).is_meta
    for fill in (nn.init.trunc_normal_, nn.init.orthogonal_, nn.init.kaiming_uniform_, nn.init.eye_, nn.init.zeros_):
        assert fill(layer.weight).is_meta


def test_copies_and_pickles():
    x = wide(2, 3).t()
    for twin in (
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
        copy.deepcopy(nn.Linear(3, 2, device="meta")).weight.t(),
    ):
        assert (twin.shape, twin.stride(), twin.is_meta) == ((3, 2), (1, 3), True)


READS_ELEMENTS = (
    "Lazy",
    "pack_sequence",
    "pack_padded_sequence",
    "momentum=None",
    "AdaptiveLogSoftmax",
    "generate_square_subsequent_mask",
    "CTCLoss",
    "CrossEntropyLoss(rand(4), label_smoothing=0.1)",
)
"""Parts of cases that need elements: lengths, counts of batches, masks that are compared; lazy layers stay lazy."""


def on_meta(value):
    if isinstance(value, torch.Tensor):
        return value.detach().to("meta")
    return type(value)(map(on_meta, value)) if isinstance(value, (tuple, list)) else value


def shapes_in_training(module, inputs):
    """The shapes of the results of a layer in training, and of the gradients of its parameters."""
    results = layers.tensors(torch, module.train()(*inputs))
    reached = [t for t in results if t.requires_grad]
    if reached:
        torch.autograd.backward(reached, [torch.ones_like(t) for t in reached])
    return [t.shape for t in results], [None if p.grad is None else p.grad.shape for p in module.parameters()]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_layers_train_without_elements():
    different = []
    for layer, inputs in layers.CASES:
        if any(each in f"{layer} <- {inputs}" for each in READS_ELEMENTS):
            continue
        module, given = layers.made(torch, layer, inputs)
        # for layers in place
        given = tuple(t.clone() if isinstance(t, torch.Tensor) and t.requires_grad else t for t in given)
        absent = (
            copy.deepcopy(module).to("meta"),
            on_meta([t.detach() if isinstance(t, torch.Tensor) else t for t in given]),
        )
        if shapes_in_training(*absent) != shapes_in_training(module, given):
            different.append((layer, inputs))
    assert layers.CASES and different == []
