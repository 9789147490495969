"""Checks of the inputs and states of recurrent layers, as methods that custom layers may call or override."""

from tensh.engine.errors.warnings import warn


def permute_state(state, order):
    """Return a state with its samples in another order."""
    return state if order is None else state.index_select(1, order)


def _apply_permutation(tensor, permutation, dim=1):
    """Return a tensor with its samples, along ``dim``, in another order."""
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor, permutation, dim=1):
    """Return a tensor with its samples in another order, with a warning: the function is deprecated."""
    warn("`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead", FutureWarning)
    return _apply_permutation(tensor, permutation, dim)


def require_dtype_of(weight, input):
    """Raise ValueError if the dtypes of input and weight differ; autocast has cast both before (amp/policies.txt)."""
    if input.dtype != weight.dtype:
        raise ValueError(
            f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
            f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
        )


class RecurrentChecks:
    """Checks of inputs and states, and permutation of states, for ``RNNBase``."""

    def check_input(self, input, batch_sizes):
        """Raise ValueError or RuntimeError for an input of another dtype, number of dimensions or size."""
        require_dtype_of(getattr(self, self._all_weights[0][0]), input)
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def get_expected_hidden_size(self, input, batch_sizes):
        """Return the shape of the hidden state: (layers and directions, samples, size)."""
        return self._sizes(self._batch(input, batch_sizes))[0]

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """Raise RuntimeError for a state of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Check an input and its state."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        """Return a state with its samples in another order."""
        return permute_state(hx, permutation)

    def _batch(self, input, batch_sizes):
        """Return the number of samples."""
        return int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)


class CellChecks(RecurrentChecks):
    """The checks of a layer with a pair of hidden state and cell state."""

    def get_expected_cell_size(self, input, batch_sizes):
        """Return the shape of the cell state: (layers and directions, samples, size)."""
        return self._sizes(self._batch(input, batch_sizes))[1]

    def check_forward_args(self, input, hidden, batch_sizes):
        """Check an input and its two states; the size of a packed input is that of its first product."""
        if batch_sizes is not None and input.dim() == 2 and self.input_size != input.size(-1):
            require_dtype_of(getattr(self, self._all_weights[0][0]), input)
            one, two = "x".join(map(str, input.shape)), f"{self.input_size}x{4 * self.hidden_size}"
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({one} and {two})")
        self.check_input(input, batch_sizes)
        shapes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for number, shape in enumerate(shapes):
            self.check_hidden_size(hidden[number], shape, f"Expected hidden[{number}] size {{}}, got {{}}")

    def permute_hidden(self, hx, permutation):
        """Return both states with their samples in another order."""
        return hx if permutation is None else tuple(permute_state(each, permutation) for each in hx[:2])
