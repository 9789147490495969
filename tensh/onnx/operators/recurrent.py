"""Recurrent layers, computed by PyTorch's layers with reordered gates, or step by step where PyTorch has no such layer."""

import tensh as torch
from tensh.onnx.operators.cells import CELLS, run_steps
from tensh.onnx.operators.table import MissingOperator, operator


def recur(kind, gates, x, w, r, b, states, hidden_size, direction):
    """Compute a recurrent operator by PyTorch's ``kind``; ``gates`` are PyTorch's gates in ONNX's order."""
    directions = w.shape[0]
    if direction == "reverse":
        x = x.flip(0)
    weights = []
    for d in range(directions):
        parts = [w[d], r[d]]
        if b is not None:
            parts += [b[d, : len(gates) * hidden_size], b[d, len(gates) * hidden_size :]]
        weights += [torch.cat([part.chunk(len(gates), 0)[place] for place in gates], 0) for part in parts]
    hx = states if kind == "lstm" else states[0]
    out, *ends = getattr(torch, kind)(x, hx, weights, b is not None, 1, 0.0, False, directions == 2, False)
    if direction == "reverse":
        out = out.flip(0)
    return out.reshape(*out.shape[:2], directions, hidden_size).transpose(1, 2), *ends


def compute(
    name, kind, gates, usual, x, w, r, b, lengths, states, special=False, activations=None, activation_alpha=None,
    activation_beta=None, clip=None, direction="forward", hidden_size=None, layout=0, **settings,
):  # fmt: skip
    """Compute a recurrent operator; ``usual`` are PyTorch's activations, ``special`` settings are none of PyTorch's."""
    if layout:
        x, states = x.transpose(0, 1), [each if each is None else each.transpose(0, 1) for each in states]
    directions, hidden_size = w.shape[0], r.shape[-1]
    blank = torch.zeros(directions, x.shape[1], hidden_size, dtype=x.dtype)
    states = [blank if each is None else each for each in states]
    activations = list(activations or usual * directions)
    if activation_alpha or activation_beta:
        raise MissingOperator(f"tensh runs {name} with activations that have no parameters")
    uneven = lengths is not None and bool((lengths != x.shape[0]).any())
    if special or uneven or clip or activations not in (usual, usual * 2):
        cells = CELLS[name], activations, clip, settings
        out, *ends = run_steps(x, w, r, b, states, lengths, direction, cells)
    else:
        out, *ends = recur(kind, gates, x, w, r, b, states, hidden_size, direction)
    return (out.permute(2, 0, 1, 3), *(each.transpose(0, 1) for each in ends)) if layout else (out, *ends)


@operator
def LSTM(x, w, r, b=None, lengths=None, h=None, c=None, p=None, input_forget=0, outputs=3, **attributes):
    special = bool(input_forget) or p is not None and bool((p != 0).any())
    usual = ["Sigmoid", "Tanh", "Tanh"]
    given = x, w, r, b, lengths, [h, c], special
    return compute("LSTM", "lstm", (0, 2, 3, 1), usual, *given, input_forget=input_forget, peepholes=p, **attributes)


@operator
def GRU(x, w, r, b=None, lengths=None, h=None, linear_before_reset=0, outputs=2, **attributes):
    given = x, w, r, b, lengths, [h], not linear_before_reset
    attributes["linear_before_reset"] = linear_before_reset
    return compute("GRU", "gru", (1, 0, 2), ["Sigmoid", "Tanh"], *given, **attributes)


@operator
def RNN(x, w, r, b=None, lengths=None, h=None, activations=None, outputs=2, **attributes):
    usual = ["Relu"] if set(activations or ()) == {"Relu"} else ["Tanh"]
    kind = f"rnn_{usual[0].lower()}"
    return compute("RNN", kind, (0,), usual, x, w, r, b, lengths, [h], activations=activations, **attributes)
