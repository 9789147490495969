"""Recurrent layers and cells as functions of the torch namespace, which the modules of ``torch.nn`` call."""

from tensh.engine.arguments.binding import asks_late, bind
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.operators.layers.composites.recurrent import cell, put_batch_first, recurrent

LAYER = "tuple of Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"
SHOWN = "input, hx, params, has_biases, num_layers, dropout, train, bidirectional"
CELL = "Tensor w_ih, Tensor w_hh, Tensor b_ih = None, Tensor b_hh = None"
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}

LAYER_DOC = """{0} over a sequence, as a function: (output, last state{1}).

    Shapes: input [T, N, in], output [T, N, hidden], states [layers, N, hidden]. Raise RuntimeError for other shapes.

    ``{2}(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)``, with the weights of all
    layers one after another: w_ih, w_hh and, with biases, b_ih, b_hh{3}. A packed sequence is
    ``{2}(data, batch_sizes, hx, params, ..., bidirectional)``.  Differentiable in all tensors.

    >>> import tensh as torch
    >>> layer = torch.nn.{4}(2, 3{5})
    >>> x, start = torch.ones(5, 1, 2), torch.zeros(1, 1, 3)
    >>> found = torch.{2}(x, {6}, list(layer.parameters()), True, 1, 0.0, False, False, False)
    >>> torch.equal(found[0], layer(x)[0])
    True
    """
CELL_DOC = """One step of {0} for a batch: the new state{1}.  Differentiable in all tensors.

    Shapes: input [N, in], states [N, hidden]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> cell = torch.nn.{4}Cell(2, 3{5})
    >>> x, state = torch.ones(1, 2), torch.zeros(1, 3)
    >>> new = torch.{2}(x, {6}, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    >>> torch.equal(new{7}, cell(x){7})
    True
    """
WORDS = {  # for docstrings
    "LSTM": (
        "Long short-term memory",
        ", last cell",
        "lstm",
        ", and w_hr with a projection",
        "LSTM",
        "",
        "(start, start)",
    ),
    "GRU": ("Gated recurrent units", "", "gru", "", "GRU", "", "start"),
    "RNN_TANH": ("A recurrent layer with tanh", "", "rnn_tanh", "", "RNN", "", "start"),
    "RNN_RELU": ("A recurrent layer with relu", "", "rnn_relu", "", "RNN", ', nonlinearity="relu"', "start"),
}


def layer_function(mode):
    """Make the function of a kind of layer."""
    name, cells = mode.lower(), mode == "LSTM"
    hx = "tuple of Tensors hx" if cells else "Tensor hx"
    texts = f"(Tensor data, Tensor batch_sizes, {hx}, {LAYER})", f"(Tensor input, {hx}, {LAYER}, bool batch_first)"

    @shows(SHOWN, "batch_first")
    def function(*args, **given):
        found = bind(name, texts, args, given)
        states = list(found["hx"]) if cells else [found["hx"]]
        if cells and len(states) != 2:
            raise RuntimeError("lstm expects two hidden states")
        directions = 2 if found["bidirectional"] else 1
        layers = weights_of(found["params"], found["has_biases"], cells and states[0].shape[-1] != states[1].shape[-1])
        layers = layers[: found["num_layers"] * directions]
        if len(layers) > states[0].shape[0] or len(layers) < found["num_layers"] * directions:
            raise RuntimeError("Expected more hidden states in stacked_rnn")
        dropout = found["dropout"] if found["train"] else 0.0
        if "data" in found:
            sizes = found["batch_sizes"].tolist()
            output, states = recurrent(mode, found["data"], states, layers, directions, dropout, sizes)
            return output, *states
        steps = found["input"].transpose(0, 1) if found["batch_first"] else found["input"]
        if steps.dim() != 3:
            steps.size(2)  # raises for a wrong number of dimensions
        output, states = recurrent(mode, steps, states, layers, directions, dropout)
        return put_batch_first(mode, output) if found["batch_first"] else output, *states

    return declare_recurrence(function, name, LAYER_DOC.format(*WORDS[mode]))


def weights_of(params, has_biases, projected):
    """Split a list of all weights into (w_ih, b_ih, w_hh, b_hh, w_hr) for each layer and direction."""
    count = (4 if has_biases else 2) + projected
    if len(params) % count:
        raise RuntimeError(f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {count}")
    layers = []
    for start in range(0, len(params), count):
        w_ih, w_hh, *rest = params[start : start + count]
        b_ih, b_hh = rest[:2] if has_biases else (None, None)
        layers.append((w_ih, b_ih, w_hh, b_hh, rest[-1] if projected else None))
    return layers


def cell_function(mode):
    """Make the function of a kind of cell."""
    name, cells = f"{mode.lower()}_cell", mode == "LSTM"
    texts = (f"(Tensor input, {'tuple of Tensors hx' if cells else 'Tensor hx'}, {CELL})",)

    @shows("input, hx, w_ih, w_hh, b_ih=None", "b_hh=None")
    def function(*args, **given):
        found = bind(name, texts, args, given)
        input, states = found["input"], list(found["hx"]) if cells else [found["hx"]]
        if cells and len(states) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        for check in CHECKS[mode]:
            check(input, states, found["w_ih"], found["w_hh"], GATES[mode])
        weights = (found[each] for each in ("w_ih", "w_hh", "b_ih", "b_hh"))
        new = cell(mode, input, states, *weights)
        return new if cells else new[0]

    words = list(WORDS[mode])
    words[0] = words[0][0].lower() + words[0][1:]
    words[2], words[1] = name, " and the new cell" if cells else ""
    words[6] = words[6].replace("start", "state")
    return declare_recurrence(function, name, CELL_DOC.format(*words, "[0]" if cells else ""))


def check_input(input, states, w_ih, w_hh, gates):
    """Raise RuntimeError for an input of another width than the weight's."""
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")


def check_weights(input, states, w_ih, w_hh, gates):
    """Raise RuntimeError for weights that lack rows for a gate."""
    rows = gates * w_hh.size(1)
    for name, weight in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if weight.size(0) != rows:
            raise RuntimeError(f"{name} first dim must be {gates} * hidden_size = {rows}, but got {weight.size(0)}")


def check_states(input, states, w_ih, w_hh, gates):
    """Raise RuntimeError for states of another batch or width."""
    for number, state in enumerate(states):
        if input.size(0) != state.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {state.size(0)}"
            )
        if state.size(1) != w_hh.size(1):
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {w_hh.size(1)}"
            )


# PyTorch's order of checks
CHECKS = {
    "LSTM": (check_input, check_weights, check_states),
    "GRU": (check_input, check_states, check_weights),
    "RNN_TANH": (check_weights, check_input, check_states),
    "RNN_RELU": (check_weights, check_input, check_states),
}


def declare_recurrence(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = "torch", doc
    PUBLIC[name] = asks_late(function)
    return function


lstm, gru, rnn_tanh, rnn_relu = map(layer_function, GATES)
lstm_cell, gru_cell, rnn_tanh_cell, rnn_relu_cell = map(cell_function, GATES)


def norm_except_dim(*args, **given):
    """The norm of ``v`` over all dimensions but ``dim``, which is kept; over all where it is -1.  Differentiable.

    Shape: [n, ...] to [n, 1, ...].

    >>> import tensh as torch
    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    tensor([[5.],
            [2.]])
    """
    found = bind("norm_except_dim", ("(Tensor v, int pow = 2, int dim = 0)",), args, given)
    v, power, dim = found["v"], found["pow"], found["dim"]
    if dim == -1:
        return v.norm(power)
    if dim not in (0, v.dim() - 1):
        return norm_except_dim(v.transpose(0, dim), power, 0).transpose(0, dim)
    sizes = [1] * v.dim()
    sizes[dim] = v.size(dim)
    flat = v.contiguous().view(v.size(0), -1) if dim == 0 else v.contiguous().view(-1, v.size(dim))
    return flat.norm(power, 1 if dim == 0 else 0).view(sizes)


norm_except_dim = declare_recurrence(
    shows("v, pow=2", "dim=0")(norm_except_dim), "norm_except_dim", norm_except_dim.__doc__
)
