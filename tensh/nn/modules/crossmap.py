"""Local response normalisation across channels, with PyTorch's window sums."""

from tensh.engine.autograd.custom import Function
from tensh.nn import functional as F
from tensh.nn.modules.layer import Layer


class CrossMapLRN2dFunction(Function):
    """``input * scale ** -beta``, with a ``scale`` of k plus a multiple of the squares of neighbouring channels.

    PyTorch's running sums never drop the first channel, and its backward windows end where the forward ones have their
    centre; both are reproduced here.
    """

    @staticmethod
    def forward(ctx, input, size, alpha, beta, k):
        squares = input * input
        others = squares.clone()
        others[:, 0] = 0
        reach = int((size - 1) / 2)
        windows = F.pad(others, (0, 0, 0, 0, reach, reach)).unfold(1, 2 * reach + 1, 1)
        scale = k + alpha / size * (windows.sum(-1) + squares[:, :1])
        output = input * scale**-beta
        ctx.settings = size, alpha, beta
        ctx.save_for_backward(input, output, scale)
        return output

    @staticmethod
    def backward(ctx, g):
        input, output, scale = ctx.saved_tensors
        size, alpha, beta = ctx.settings
        before = int(size - (size - 1) / 2)
        ratios = F.pad(g * output / scale, (0, 0, 0, 0, before, size - 1 - before)).unfold(1, size, 1).sum(-1)
        return g * scale**-beta - 2 * alpha * beta / size * input * ratios, None, None, None, None


CrossMapLRN2dFunction.__name__ = CrossMapLRN2dFunction.__qualname__ = "CrossMapLRN2d"


class CrossMapLRN2d(Layer, settings="size, alpha=1e-4, beta=0.75, k=1", shows=".size alpha beta k"):
    """Divide each value of images by a power of the squares of ``size`` channels around it.

    Shapes: input and output [N, C, H, W]. The divisor is ``(k + alpha * mean of the squares) ** beta``. Raise
    ValueError for other numbers of dimensions.

    >>> import tensh as torch
    >>> torch.nn.CrossMapLRN2d(3)(torch.ones(1, 4, 2, 2)).shape
    torch.Size([1, 4, 2, 2])
    """

    def forward(self, input):
        """Return the scaled values; raise ValueError unless there are 4 dimensions."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        return CrossMapLRN2dFunction.apply(input, self.size, self.alpha, self.beta, self.k)
