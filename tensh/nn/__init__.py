"""torch.nn: parameters and what layers compute."""

from tensh.engine.absent import lacking
from tensh.nn import functional
from tensh.nn.parameter import Parameter

__all__ = ["Parameter", "functional"]

__getattr__ = lacking("torch.nn")
