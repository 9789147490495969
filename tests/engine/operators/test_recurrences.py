"""torch.lstm and similar functions: the computations of the modules of torch.nn."""

import numpy as np
import pytest

import tensh

KINDS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}
SETTINGS = [{}, {"num_layers": 2, "bidirectional": True}, {"bias": False}, {"batch_first": True}]


def made(torch, kind, settings):
    """Return (layer, input, first state) of a kind."""
    torch.manual_seed(0)
    more = {"nonlinearity": kind[4:]} if kind.startswith("rnn") else {}
    layer = getattr(torch.nn, KINDS[kind])(3, 2, **settings, **more)
    x = torch.randn(4, 5, 3)
    steps = settings.get("num_layers", 1) * (2 if settings.get("bidirectional") else 1)
    start = [torch.randn(steps, 4 if settings.get("batch_first") else 5, 2) for _ in range(2 if kind == "lstm" else 1)]
    return layer, x, tuple(start) if kind == "lstm" else start[0]


def call_kind(torch, kind, settings):
    layer, x, start = made(torch, kind, settings)
    x.requires_grad = True
    found = getattr(torch, kind)(
        x, start, list(layer.parameters()), settings.get("bias", True), settings.get("num_layers", 1), 0.0, False,
        settings.get("bidirectional", False), settings.get("batch_first", False),
    )  # fmt: skip
    sum(each.sin().sum() for each in found).backward()
    return [each.detach().numpy() for each in (*found, x.grad, *(p.grad for p in layer.parameters()))]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_function_is_its_layer(kind, settings):
    layer, x, start = made(tensh, kind, settings)
    output, state = layer(x, start)
    found = call_kind(tensh, kind, settings)
    for each, expected in zip(found, (output, *(state if kind == "lstm" else (state,)))):
        assert np.array_equal(each, expected.detach())


@pytest.mark.oracle
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_recurrent_functions_are_pytorchs(kind, settings):
    torch = pytest.importorskip("torch")
    for found, expected in zip(call_kind(tensh, kind, settings), call_kind(torch, kind, settings), strict=True):
        assert np.allclose(found, expected, atol=1e-5)


def test_packed_sequences():
    layer, x, _ = made(tensh, "gru", {})
    packed = tensh.nn.utils.rnn.pack_padded_sequence(x, [4, 4, 3, 1, 1])
    data, sizes = packed[:2]
    start = tensh.zeros(1, 5, 2)
    output, state = tensh.gru(data, sizes, start, list(layer.parameters()), True, 1, 0.0, False, False)
    expected, end = layer(packed, start)
    assert tensh.equal(output, expected.data) and tensh.equal(state, end)


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_cells_compute_what_their_modules_do(kind):
    torch = tensh
    more = {"nonlinearity": kind[4:]} if kind.startswith("rnn") else {}
    cell = getattr(torch.nn, f"{KINDS[kind]}Cell")(3, 2, **more)
    x, state = torch.randn(4, 3), torch.randn(4, 2)
    states = (state, state + 1) if kind == "lstm" else state
    found = getattr(torch, f"{kind}_cell")(x, states, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    expected = cell(x, states)
    assert all(map(torch.equal, found, expected)) if kind == "lstm" else torch.equal(found, expected)


o = tensh.ones
P, G = [o(8, 3), o(8, 2), o(8), o(8)], [o(6, 3), o(6, 2), o(6), o(6)]
FLAGS = True, 1, 0.0, False, False, False
MISTAKES = {  # recorded from PyTorch 2.13
    "one state": (lambda: tensh.lstm(o(5, 1, 3), (o(1, 1, 2),), P, *FLAGS), "lstm expects two hidden states"),
    "few weights": (lambda: tensh.lstm(o(5, 1, 3), (o(1, 1, 2),) * 2, P[:2], *FLAGS), "MatrixRef: ArrayRef size 2 not divisible by stride 4"),
    "two dimensions": (lambda: tensh.lstm(o(5, 3), (o(1, 2),) * 2, P, *FLAGS), "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    "no steps": (lambda: tensh.gru(o(0, 1, 3), o(1, 1, 2), G, *FLAGS), "Expected sequence length to be larger than 0 in RNN"),
    "more layers": (lambda: tensh.gru(o(5, 1, 3), o(1, 1, 2), G, True, 2, 0.0, False, False, False), "Expected more hidden states in stacked_rnn"),
    "one state of a cell": (lambda: tensh.lstm_cell(o(1, 3), (o(1, 2),), *P), "lstm_cell expects two hidden states"),
    "features": (lambda: tensh.gru_cell(o(1, 4), o(1, 2), *G), "input has inconsistent input_size: got 4 expected 3"),
    "hidden": (lambda: tensh.gru_cell(o(1, 3), o(1, 3), *G), "hidden0 has inconsistent hidden_size: got 3, expected 2"),
    "batches": (lambda: tensh.gru_cell(o(2, 3), o(1, 2), *G), "Input batch size 2 doesn't match hidden0 batch size 1"),
    "a number": (lambda: tensh.gru_cell(1), "gru_cell(): argument 'input' (position 1) must be Tensor, not int"),
    "nothing": (lambda: tensh.gru_cell(), 'gru_cell() missing 4 required positional argument: "input", "hx", "w_ih", "w_hh"'),
    "a dimension": (lambda: tensh.norm_except_dim(o(2, 3), 2, 5), "Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
}  # fmt: skip


@pytest.mark.parametrize("call, words", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_have_pytorchs_words(call, words):
    with pytest.raises((RuntimeError, IndexError, TypeError)) as refused:
        call()
    assert str(refused.value) == words


@pytest.mark.oracle
@pytest.mark.parametrize(
    "size, dim", [((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((2, 3, 4), 1), ((2, 3, 4), -2), ((3,), 0)]
)
def test_norms_over_all_dimensions_but_one(size, dim):
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    for power in 1, 2:
        results = []
        for lib in tensh, torch:
            v = lib.tensor(values, requires_grad=True)
            y = lib.norm_except_dim(v, power, dim)
            y.sum().backward()
            results.append((y.detach().numpy(), v.grad.numpy(), y.grad_fn.name()))
        assert dim == -1 or results[0][2] == results[1][2]  # PyTorch has a special node for this norm
        assert all(np.allclose(a, b, atol=1e-6) and a.shape == b.shape for a, b in zip(results[0][:2], results[1][:2]))
