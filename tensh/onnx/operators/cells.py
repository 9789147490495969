"""One step of a recurrent layer, as ONNX defines it, and the steps over a sequence."""

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.table import MissingOperator

ACTIVATIONS = {
    "Relu": torch.relu, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "Softsign": F.softsign, "Softplus": F.softplus,
    "Elu": F.elu, "LeakyRelu": F.leaky_relu, "HardSigmoid": lambda x: (0.2 * x + 0.5).clamp(0, 1),
}  # fmt: skip


def find_activation(name):
    found = {each.lower(): function for each, function in ACTIVATIONS.items()}.get(name.lower())
    if found is None:
        raise MissingOperator(f"tensh does not run recurrent operators of ONNX with the activation {name!r}")
    return found


def lstm(x, states, w, r, b, rb, activations, clip, input_forget=0, peepholes=None):
    """One step; the gates are input, output, forget and cell."""
    (h, c), (f, g, last) = states, activations
    i, o, forget, new = clip(x @ w.T + h @ r.T + b + rb).chunk(4, -1)
    pi, po, pf = (0, 0, 0) if peepholes is None else peepholes.chunk(3)
    i, forget = f(i + pi * c), f(forget + pf * c)
    c = (1 - i if input_forget else forget) * c + i * g(new)
    return f(o + po * c) * last(c), c


def gru(x, states, w, r, b, rb, activations, clip, linear_before_reset=0):
    """One step; the gates are update, reset and hidden."""
    (h,), (f, g) = states, activations
    given, kept = (x @ w.T + b).chunk(3, -1), (h @ r.T + rb).chunk(3, -1)
    update, reset = f(clip(given[0] + kept[0])), f(clip(given[1] + kept[1]))
    size = h.shape[-1]
    last = reset * kept[2] if linear_before_reset else (reset * h) @ r[2 * size :].T + rb[2 * size :]
    return ((1 - update) * g(clip(given[2] + last)) + update * h,)


def rnn(x, states, w, r, b, rb, activations, clip):
    (h,), (f,) = states, activations
    return (f(clip(x @ w.T + h @ r.T + b + rb)),)


CELLS = {"LSTM": (lstm, 3), "GRU": (gru, 2), "RNN": (rnn, 1)}
"""Operator -> its step, and the number of its activations."""


def run_steps(x, w, r, b, states, lengths, direction, cells):
    """Return all outputs [T, D, N, H] and the last states; a sequence that is shorter than others ends before them."""
    (cell, count), names, limit, settings = cells
    clip = (lambda t: t.clamp(-limit, limit)) if limit else (lambda t: t)
    peepholes, columns, lasts = settings.pop("peepholes", None), [], []
    for d in range(w.shape[0]):
        half = w.shape[1]
        biases = (torch.zeros(half, dtype=x.dtype),) * 2 if b is None else (b[d, :half], b[d, half:])
        functions = [find_activation(name) for name in names[d * count : (d + 1) * count]]
        more = settings if peepholes is None else settings | {"peepholes": peepholes[d]}
        now, rows = [each[d] for each in states], []
        times = range(len(x))
        backwards = direction == "reverse" or d == 1
        for t in reversed(times) if backwards else times:
            made = cell(x[t], now, w[d], r[d], *biases, functions, clip, **more)
            if lengths is not None:
                running = (t < lengths).unsqueeze(-1)
                rows.append(torch.where(running, made[0], torch.zeros_like(made[0])))
                now = [torch.where(running, new, old) for new, old in zip(made, now)]
            else:
                rows.append(made[0])
                now = list(made)
        columns.append(torch.stack(rows[::-1] if backwards else rows))
        lasts.append(now)
    return torch.stack(columns, 1), *(torch.stack(each) for each in zip(*lasts))
