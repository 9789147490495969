"""torch.optim.swa_utils: averages of a model's weights during training."""

import itertools
import math
from collections import defaultdict
from copy import deepcopy

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import int64
from tensh.engine.methods.creation.data import tensor
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.nn.modules.module import Module
from tensh.optim.lr_scheduler.base import LRScheduler, distribute_to_groups

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip


def get_ema_avg_fn(decay=0.999):
    """Make a function of (average, value, count) that gives the exponential average, of which ``decay`` remains.

    Raise ValueError for a decay outside [0, 1].

    >>> import tensh as torch
    >>> torch.optim.swa_utils.get_ema_avg_fn(0.75)(torch.tensor(1.), torch.tensor(5.), 3)
    tensor(2.)
    """
    _require_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_ema_multi_avg_fn(decay=0.999):
    """Make a function of (averages, values, count) that writes exponential averages, of which ``decay`` remains.

    Raise ValueError for a decay outside [0, 1].

    >>> import tensh as torch
    >>> averages = [torch.tensor(1.)]
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)(averages, [torch.tensor(5.)], 3)
    >>> averages
    [tensor(2.)]
    """
    _require_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, value in zip(ema_param_list, current_param_list, strict=True):
            if _is_exact(average):
                average.copy_(average * decay + value * (1 - decay))
            else:
                average.lerp_(value, 1 - decay)

    return ema_update


def get_swa_avg_fn():
    """Make a function of (average, value, count) that gives the mean of ``count + 1`` values.

    >>> import tensh as torch
    >>> torch.optim.swa_utils.get_swa_avg_fn()(torch.tensor(1.), torch.tensor(5.), 3)
    tensor(2.)
    """

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_swa_multi_avg_fn():
    """Make a function of (averages, values, count) that writes the means of ``count + 1`` values.

    Raise RuntimeError for integers.

    >>> import tensh as torch
    >>> averages = [torch.tensor(1.)]
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(averages, [torch.tensor(5.)], 3)
    >>> averages
    [tensor(2.)]
    """

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        count = num_averaged + 1
        for average, value in zip(averaged_param_list, current_param_list, strict=True):
            if not _is_exact(average):
                average.lerp_(value, 1 / count)
            elif isinstance(count, Tensor):
                average.addcdiv_(value - average, count)
            else:
                average.add_(value - average, alpha=1 / count)

    return swa_update


def _is_exact(t):
    return not (t.is_floating_point() or t.is_complex())


def _require_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class AveragedModel(Module):
    """Copy of a model whose parameters are the averages of the model's, at each ``update_parameters(model)``.

    Buffers are copied, or averaged too with ``use_buffers``. The average is the mean, or computed by ``avg_fn`` or
    ``multi_avg_fn``. Izmailov et al., Averaging weights leads to wider optima and better generalization (2018). Raise
    AssertionError for both functions.

    >>> import tensh as torch
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model)
    >>> for value in [1., 2., 6.]:
    ...     _ = torch.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item()
    3.0
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """Compute the averaged model."""
        return self.module(*args, **kwargs)

    @without_interrupts
    def update_parameters(self, model):
        """Add the parameters of ``model`` to the averages."""
        ours, theirs = (
            [p.detach() for p in itertools.chain(m.parameters(), m.buffers() if self.use_buffers else ())]
            for m in (self.module, model)
        )
        if self.n_averaged == 0:
            for average, value in zip(ours, theirs):
                average.copy_(value)
        elif self.multi_avg_fn is None:
            average_of = self.avg_fn or get_swa_avg_fn()
            for average, value in zip(ours, theirs):
                average.copy_(average_of(average, value, self.n_averaged))
        else:
            alike = defaultdict(lambda: ([], []))  # a function of lists takes tensors of one dtype
            for average, value in zip(ours, theirs):
                alike[average.dtype][0].append(average)
                alike[average.dtype][1].append(value)
            for averages, values in alike.values():
                self.multi_avg_fn(averages, values, self.n_averaged)
        if not self.use_buffers:
            for average, value in zip(self.module.buffers(), model.buffers(), strict=True):
                average.detach().copy_(value.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader, model, device=None):
    """Compute the running statistics of all batch normalisations of ``model`` anew, over the inputs of ``loader``.

    A batch that is a list or tuple begins with its inputs.

    >>> import tensh as torch
    >>> model = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.], [3.]])], model)
    >>> model.running_mean
    tensor([2.])
    """
    from tensh.nn.modules.batchnorm import _BatchNorm

    layers = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not layers:
        return
    momenta = [layer.momentum for layer in layers]
    was_training = model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    for input in loader:
        input = input[0] if isinstance(input, list | tuple) else input
        model(input if device is None else input.to(device))
    for layer, momentum in zip(layers, momenta):
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Move rates from the present ones to ``swa_lr`` in ``anneal_epochs`` steps, along half a cosine or a line.

    Raise ValueError for an unknown ``anneal_strategy``, negative epochs, and rates that are not one for each group.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.75]
    """

    _unsaved = ("optimizer", "anneal_func")

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for group, lr in zip(optimizer.param_groups, distribute_to_groups("swa_lr", optimizer, swa_lr), strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """Return the completed share of the change at the share ``t`` of the steps."""
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        self._require_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (
            self.anneal_func(max(0, min(1, number / max(1, self.anneal_epochs)))) for number in (step - 1, step)
        )
        lrs = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            lrs.append(goal * now + start * (1 - now))
        return lrs


__getattr__ = unsupported_lookup("torch.optim.swa_utils")
