"""Forms of the methods of layers whose own source scripts cannot contain."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.nn import functional as F

aten = torch.ops.aten


class Sigmoid:
    def forward(self, input: Tensor) -> Tensor:
        return torch.sigmoid(input)


class Tanh:
    def forward(self, input: Tensor) -> Tensor:
        return torch.tanh(input)


class Softmax:
    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin:
    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax:
    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class _ConvNd:
    bias: Tensor | None


class Conv1d:
    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv1d(padded, weight, bias, self.stride, [0], self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d:
    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(padded, weight, bias, self.stride, [0, 0], self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv3d:
    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv3d(padded, weight, bias, self.stride, [0, 0, 0], self.dilation, self.groups)
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTransposeNd:
    def _output_padding(
        self, input: Tensor, output_size: list[int] | None, stride: list[int], padding: list[int], kernel_size: list[int],
        num_spatial_dims: int, dilation: list[int] | None = None,
    ) -> list[int]:  # fmt: skip
        if output_size is None:
            result = list(self.output_padding)
        else:
            first = 2 if input.dim() == num_spatial_dims + 2 else 1
            wanted = output_size[first:] if len(output_size) == first + num_spatial_dims else output_size
            if len(wanted) != num_spatial_dims:
                raise ValueError(f"output_size must have {num_spatial_dims} elements (got {len(output_size)})")
            result = torch.jit.annotate(list[int], [])
            for d in range(num_spatial_dims):
                spread = dilation[d] if dilation is not None else 1
                least = (input.size(d + first) - 1) * stride[d] - 2 * padding[d] + spread * (kernel_size[d] - 1) + 1
                if wanted[d] < least or wanted[d] > least + stride[d] - 1:
                    raise ValueError(f"requested an output size of {output_size}, which is impossible here")
                result.append(wanted[d] - least)
        return result


class ConvTranspose1d:
    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, 1, self.dilation
        )
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose2d:
    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation
        )
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose3d:
    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, 3, self.dilation
        )
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


# ── recurrent layers ─────────────────────────────────────────────────────────
class RNNCell:
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if input.dim() not in (1, 2):
            raise ValueError(f"RNNCell: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        given = input if batched else input.unsqueeze(0)
        if hx is None:
            state = torch.zeros(given.size(0), self.hidden_size, dtype=given.dtype, device=given.device)
        else:
            state = hx if batched else hx.unsqueeze(0)
        if self.nonlinearity == "tanh":
            ret = torch.rnn_tanh_cell(given, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        elif self.nonlinearity == "relu":
            ret = torch.rnn_relu_cell(given, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        else:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return ret if batched else ret.squeeze(0)


class LSTMCell:
    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        if input.dim() not in (1, 2):
            raise ValueError(f"LSTMCell: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        given = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = torch.zeros(given.size(0), self.hidden_size, dtype=given.dtype, device=given.device)
            states = (zeros, zeros)
        else:
            states = hx if batched else (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        ret = torch.lstm_cell(given, [states[0], states[1]], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return ret if batched else (ret[0].squeeze(0), ret[1].squeeze(0))


class GRUCell:
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if input.dim() not in (1, 2):
            raise ValueError(f"GRUCell: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        given = input if batched else input.unsqueeze(0)
        if hx is None:
            state = torch.zeros(given.size(0), self.hidden_size, dtype=given.dtype, device=given.device)
        else:
            state = hx if batched else hx.unsqueeze(0)
        ret = torch.gru_cell(given, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return ret if batched else ret.squeeze(0)


class RNN:
    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batched = input.dim() == 3
        place = 0 if self.batch_first else 1
        given = input if batched else input.unsqueeze(place)
        if hx is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            state = torch.zeros(count, given.size(place), self.hidden_size, dtype=given.dtype, device=given.device)
        else:
            state = hx if batched else hx.unsqueeze(1)
        if self.mode == "RNN_TANH":
            output, last = torch.rnn_tanh(
                given, state, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
                self.batch_first,
            )  # fmt: skip
        else:
            output, last = torch.rnn_relu(
                given, state, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
                self.batch_first,
            )  # fmt: skip
        return (output if batched else output.squeeze(place), last if batched else last.squeeze(1))


class GRU:
    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batched = input.dim() == 3
        place = 0 if self.batch_first else 1
        given = input if batched else input.unsqueeze(place)
        if hx is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            state = torch.zeros(count, given.size(place), self.hidden_size, dtype=given.dtype, device=given.device)
        else:
            state = hx if batched else hx.unsqueeze(1)
        output, last = torch.gru(
            given, state, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
            self.batch_first,
        )  # fmt: skip
        return (output if batched else output.squeeze(place), last if batched else last.squeeze(1))


class LSTM:
    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        batched = input.dim() == 3
        place = 0 if self.batch_first else 1
        given = input if batched else input.unsqueeze(place)
        if hx is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            width = self.proj_size if self.proj_size > 0 else self.hidden_size
            states = (
                torch.zeros(count, given.size(place), width, dtype=given.dtype, device=given.device),
                torch.zeros(count, given.size(place), self.hidden_size, dtype=given.dtype, device=given.device),
            )
        else:
            states = hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        output, hidden, cell = torch.lstm(
            given, [states[0], states[1]], self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.batch_first,
        )  # fmt: skip
        result = (output, (hidden, cell)) if batched else (output.squeeze(place), (hidden.squeeze(1), cell.squeeze(1)))
        return result
