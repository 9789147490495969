"""torch.distributed.algorithms.join: the context in which processes train with different numbers of inputs."""

import contextlib

from tensh.switched_off import lookup

__all__ = ["Join"]


class Join:
    """A context in which a process that has no inputs left joins the exchanges of the others.

    ``joinables`` is a list with one ``DistributedDataParallel``. Gradients are divided by the number of all processes, or with
    ``divide_by_initial_world_size=False`` by the number of those with inputs. With ``throw_on_early_termination``, all processes
    raise RuntimeError when the first runs out. Raise ValueError for an empty list, NotImplementedError for other objects or several.

    >>> import tensh as torch
    >>> from tensh.distributed.algorithms.join import Join
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
    >>> with Join([model]):
    ...     model(torch.ones(2, 1)).sum().backward()
    >>> model.module.weight.grad
    tensor([[2.]])
    >>> dist.destroy_process_group()
    """

    __module__ = "torch.distributed.algorithms.join"

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        if len(joinables) > 1 or not callable(getattr(joinables[0], "join", None)):
            raise NotImplementedError("Join takes a list with one DistributedDataParallel in tensh")
        self.model, self.options = joinables[0], (kwargs.get("divide_by_initial_world_size", True), enable, throw_on_early_termination)  # fmt: skip

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.stack.enter_context(self.model.join(*self.options))

    def __exit__(self, *failure):
        return self.stack.__exit__(*failure)


__getattr__ = lookup("torch.distributed.algorithms.join")
