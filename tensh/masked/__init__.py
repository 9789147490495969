"""torch.masked: functions of the elements that a mask selects, and tensors that carry their mask."""

from tensh.engine.methods.namespaces import declare_namespace

REDUCTIONS = "sum prod mean amax amin argmax argmin median norm var std logsumexp logaddexp"
ALONG = "softmax log_softmax softmin normalize cumsum cumprod"
NAMES = dict.fromkeys(REDUCTIONS.split(), "reductions") | dict.fromkeys(ALONG.split(), "along")
NAMES |= dict.fromkeys("MaskedTensor masked_tensor as_masked_tensor is_masked_tensor".split(), "maskedtensor")

__all__ = [
    "MaskedTensor",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "as_masked_tensor",
    "cumprod",
    "cumsum",
    "is_masked_tensor",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "masked_tensor",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]
__getattr__, __dir__ = declare_namespace("tensh.masked", globals(), NAMES, ["maskedtensor"])
