"""Recurrent layers, computed by PyTorch's layers with reordered gates."""

import tensh as torch
from tensh.onnx.operators.table import MissingOperator, operator


def recur(
    kind, gates, x, w, r, b, states, lengths=None, hidden_size=None, direction="forward", layout=0, clip=None, **ignored
):
    """Compute a recurrent operator by PyTorch's ``kind``; ``gates`` are PyTorch's gates in ONNX's order."""
    padded = lengths is not None and bool((lengths != x.shape[0]).any())
    refuse_settings(layout=layout, clip=clip, sequence_lens=padded)
    directions = w.shape[0]
    if direction == "reverse":
        x = x.flip(0)
    weights = []
    for d in range(directions):
        parts = [w[d], r[d]]
        if b is not None:
            parts += [b[d, : len(gates) * hidden_size], b[d, len(gates) * hidden_size :]]
        weights += [torch.cat([part.chunk(len(gates), 0)[place] for place in gates], 0) for part in parts]
    states = [
        torch.zeros(directions, x.shape[1], hidden_size, dtype=x.dtype) if each is None else each for each in states
    ]
    hx = states if kind == "lstm" else states[0]
    out, *ends = getattr(torch, kind)(x, hx, weights, b is not None, 1, 0.0, False, directions == 2, False)
    if direction == "reverse":
        out = out.flip(0)
    return out.reshape(*out.shape[:2], directions, hidden_size).transpose(1, 2), *ends


def refuse_settings(**settings):
    """Raise Missing for a non-zero setting."""
    for name, value in settings.items():
        if value:
            raise MissingOperator(f"tensh does not run recurrent operators of ONNX with {name}={value!r}")


def require_activations(name, activations, known):
    """Raise Missing for activations that PyTorch's layer lacks; a node lists those of each direction."""
    if activations and list(activations) not in (known, known * 2):
        raise MissingOperator(f"tensh does not run {name} with the activations {activations}")


@operator
def LSTM(
    x, w, r, b=None, lengths=None, h=None, c=None, p=None, activations=None, input_forget=0, outputs=3, **attributes
):
    refuse_settings(input_forget=input_forget, peepholes=p is not None and bool((p != 0).any()))
    require_activations("LSTM", activations, ["Sigmoid", "Tanh", "Tanh"])
    return recur("lstm", (0, 2, 3, 1), x, w, r, b, (h, c), lengths, **attributes)


@operator
def GRU(x, w, r, b=None, lengths=None, h=None, activations=None, linear_before_reset=0, outputs=2, **attributes):
    require_activations("GRU", activations, ["Sigmoid", "Tanh"])
    if not linear_before_reset:
        raise MissingOperator("tensh runs GRU with linear_before_reset=1 only, as PyTorch's is")
    return recur("gru", (1, 0, 2), x, w, r, b, (h,), lengths, **attributes)


@operator
def RNN(x, w, r, b=None, lengths=None, h=None, activations=None, outputs=2, **attributes):
    kinds = set(activations or ["Tanh"])
    if len(kinds) != 1 or kinds - {"Tanh", "Relu"}:
        raise MissingOperator(f"tensh does not run RNN with the activations {activations}")
    return recur(f"rnn_{kinds.pop().lower()}", (0,), x, w, r, b, (h,), lengths, **attributes)
