"""The softmax of very many classes, with the rare ones grouped in clusters."""

import itertools
from collections import namedtuple

from tensh.nn import functional as F
from tensh.nn.modules.containers import ModuleList, Sequential
from tensh.nn.modules.linear import Linear
from tensh.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

Result = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities of very many classes, ordered from frequent to rare (Grave et al., 2017).

    The head scores the classes below the first cutoff and one cluster between each pair of cutoffs; the tail of each
    further cluster reduces the features by another factor ``div_value``. ``head_bias`` gives the head a bias. Shapes:
    input [N, in_features] and target [N], or [in_features] and []; the result ``(output, loss)`` holds the log
    probability of each target, in the shape of the target, and minus their mean []. Raise ValueError unless cutoffs
    rise between 1 and n_classes - 1, RuntimeError for shapes that do not fit and classes that do not exist.

    >>> import tensh as torch
    >>> layer = torch.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 6], 2.0)
    >>> result = layer(torch.ones(5, 4), torch.tensor([0, 9, 4, 3, 1]))
    >>> result.output.shape, result.loss.shape
    (torch.Size([5]), torch.Size([]))
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = all(low < high for low, high in itertools.pairwise([0, *cutoffs, n_classes]))
        if not rising or any(int(cutoff) != cutoff for cutoff in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                "between 1 and n_classes-1"
            )
        made = {"device": device, "dtype": dtype}
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for number, (low, high) in enumerate(itertools.pairwise(self.cutoffs), 1):
            width = int(in_features // div_value**number)
            parts = Linear(in_features, width, bias=False, **made), Linear(width, high - low, bias=False, **made)
            self.tail.append(Sequential(*parts))

    def reset_parameters(self):
        """Draw new initial values."""
        self.head.reset_parameters()
        for projection in self.tail:
            for layer in projection:
                layer.reset_parameters()

    def forward(self, input_, target_):
        """Return ``(output, loss)``; raise RuntimeError for mismatched shapes and for classes that do not exist."""
        check(input_, target_)
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        output, columns, used = input.new_zeros(target.size(0)), target.new_empty(target.size(0)), 0
        for number, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            found = (target >= low) & (target < high)
            rows = found.nonzero().squeeze(1)
            if not rows.numel():
                continue
            used += rows.numel()
            if number == 0:
                columns.index_copy_(0, rows, target[found])
                continue
            logs = F.log_softmax(self.tail[number - 1](input.index_select(0, rows)), dim=1)
            columns.index_fill_(0, rows, self.shortlist_size + number - 1)
            output.index_copy_(0, rows, logs.gather(1, (target[found] - low).unsqueeze(1)).squeeze(1))
        if used != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        output += F.log_softmax(self.head(input), dim=1).gather(1, columns.unsqueeze(1)).squeeze()
        return Result(output if batched else output.squeeze(0), (-output).mean())

    def log_prob(self, input):
        """Return the log probabilities of all classes: [N, in_features] to [N, n_classes]."""
        return self._get_full_log_prob(input, self.head(input))

    def _get_full_log_prob(self, input, head_output):
        out = input.new_empty((head_output.size(0), self.n_classes))
        head, short = F.log_softmax(head_output, dim=1), self.shortlist_size
        out[:, :short] = head[:, :short]
        for number, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            logs = F.log_softmax(self.tail[number](input), dim=1)
            out[:, low:high] = logs + head[:, short + number].unsqueeze(1)
        return out

    def predict(self, input):
        """Return the most probable class of each sample: [N, in_features] to [N]."""
        head = self.head(input)
        output = head.argmax(dim=1)
        rare = output >= self.shortlist_size
        if rare.any():
            output[rare] = self._get_full_log_prob(input[rare], head[rare]).argmax(dim=1)
        return output


def check(input, target):
    """Raise RuntimeError unless input and target have the same batch size, or both have no batch."""
    if target.dim() == 1:
        if input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != 2:
            raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}")
    elif target.dim() == 0:
        if input.dim() != 1:
            raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}")
    else:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
