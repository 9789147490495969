"""One stage of a model: its inputs from the previous stage, its outputs for the next, and gradients in the other direction.

Note [Messages between stages]
A result travels as it is, in messages with a tag for each stage and direction, so that those of several stages in one process
stay apart. Sending never waits; receiving does. The shapes go before the tensors of the first part of the first batch,
and are the same for all. Stages that one process has, one after the other, hand their results over without a message.
"""

import contextlib

import tensh as torch
from tensh.distributed.groups import find_group
from tensh.engine.core.tensor import Tensor
from tensh.nn.parallel.distributed import DistributedDataParallel

__all__ = ["PipelineStage"]

TAGS = 16_000  # the first tag of messages between stages, below the largest that every MPI has


class PipelineStage:
    """A stage of a model that a process computes.

    ``stage_index`` of ``num_stages`` stages is computed by the process of that rank, modulo the size of the group. The
    result of ``submodule``, a tensor or a tuple of tensors, is what the next stage is given; the arguments of the first
    come from ``schedule.step``. Raise ValueError for an index out of range, RuntimeError for more processes than
    stages.

    Args:
        device: the CPU. ``input_args`` and ``output_args`` are examples in PyTorch; shapes are found by themselves here.
        group: the processes; all by default.

    >>> import tensh as torch
    >>> from tensh.distributed.pipelining import PipelineStage, ScheduleGPipe
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> stage = PipelineStage(torch.nn.Linear(2, 1), 0, 1, torch.device("cpu"))
    >>> ScheduleGPipe(stage, 2, loss_fn=torch.nn.functional.mse_loss).step(torch.ones(4, 2), target=torch.ones(4, 1)).shape
    torch.Size([4, 1])
    >>> dist.destroy_process_group()
    """

    __module__ = "torch.distributed.pipelining.stage"

    def __init__(
        self, submodule, stage_index, num_stages, device, input_args=None, output_args=None, output_grads=None, input_grads=None,
        group=None, dw_builder=None, get_mesh=None,
    ):  # fmt: skip
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.submod, self.stage_index, self.num_stages, self.device = submodule, stage_index, num_stages, device
        self.group = find_group(group)
        self.group_rank, self.group_size = self.group.rank(), self.group.size()
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}"
            )
        self.has_backward = False
        self.neighbours = {}  # stages of this process next to this one, which a schedule enters
        self.stage_index_to_group_rank = {}  # where a schedule places stages otherwise than modulo the size
        self._shapes = {}  # direction -> [(shape, dtype)] of what is sent or received
        self.clear_runtime_states()

    @property
    def is_first(self):
        """True for the stage that is given the batch."""
        return self.stage_index == 0

    @property
    def is_last(self):
        """True for the stage whose result is that of the model."""
        return self.stage_index == self.num_stages - 1

    def clear_runtime_states(self):
        """Forget the parts of the batch before."""
        self._saved, self._waiting, self._given, self._sent, self.outputs = {}, {}, {}, [], {}

    # ── one part of a batch ──────────────────────────────────────────────────
    def forward_one_chunk(self, number, args, kwargs):
        """Compute the stage for one part, and send the result to the next stage.  The result."""
        if self.is_first:
            inputs = ()
        else:
            inputs = args = self._receive(number, -1)
            if self.has_backward:
                inputs = args = tuple(each.requires_grad_() if can_require(each) else each for each in inputs)
        waiting = self.submod.no_sync() if self._is_parallel() else contextlib.nullcontext()
        with waiting:
            output = self.submod(*args, **kwargs)
        given = output if isinstance(output, tuple) else tuple(output) if isinstance(output, list) else (output,)
        if not self.is_last and not all(isinstance(each, Tensor) for each in given):
            raise TypeError(
                f"the result of stage {self.stage_index} must be a tensor or a tuple of tensors, for the next stage"
            )
        self._saved[number] = inputs, given
        if self.is_last:
            self.outputs[number] = output
        else:
            self._send(number, +1, [each.detach() for each in given])
        return output

    def backward_one_chunk(self, number, loss=None, last_backward=False):
        """Compute one part's gradients for the stage before, from ``loss`` in the last stage, or the next stage's."""
        inputs, outputs, gradients = self._take_results(number, loss)
        self._prepare(outputs, last_backward)
        if outputs:
            torch.autograd.backward(outputs, gradients)
        if not self.is_first:
            self._send(number, -1, [torch.zeros_like(each) if each.grad is None else each.grad for each in inputs])

    def backward_input_one_chunk(self, number, loss=None):
        """Compute one part's gradients for the stage before, and leave those of weights to ``backward_weight_one_chunk``."""
        inputs, outputs, gradients = self._take_results(number, loss)
        self._waiting[number] = outputs, gradients
        if not self.is_first:
            wanted = [each for each in inputs if each.requires_grad]
            found = iter(())
            if wanted and outputs:
                found = iter(torch.autograd.grad(outputs, wanted, gradients, retain_graph=True, materialize_grads=True))
            self._send(number, -1, [next(found, None) if each.requires_grad else torch.zeros_like(each) for each in inputs])  # fmt: skip

    def backward_weight_one_chunk(self, number, last_backward=False):
        """Add the gradients of weights of one part, whose inputs have theirs."""
        outputs, gradients = self._waiting.pop(number)
        self._prepare(outputs, last_backward)
        weights = [p for p in self.submod.parameters() if p.requires_grad]
        if weights and outputs:
            torch.autograd.backward(outputs, gradients, inputs=weights)

    def _take_results(self, number, loss):
        """Return a part's inputs, its results that need gradients (or the loss), and their gradients, once they are here."""
        inputs, given = self._saved.pop(number)
        if self.is_last:
            return inputs, [loss], [None]
        pairs = [pair for pair in zip(given, self._receive(number, +1), strict=True) if pair[0].requires_grad]
        return inputs, [each for each, _ in pairs], [gradient for _, gradient in pairs]

    def _prepare(self, outputs, last_backward):
        """Let gradients of several processes be exchanged in the last backward pass of a batch."""
        if last_backward and self._is_parallel():
            self.submod.reducer.prepare(outputs if self.submod.find_unused_parameters else None)

    def _is_parallel(self):
        return isinstance(self.submod, DistributedDataParallel)

    def scale_grads(self, factor):
        """Divide the gradients of the stage: those of the parts have been added."""
        for p in self.submod.parameters():
            if p.grad is not None:
                p.grad.div_(factor)

    # ── messages ─────────────────────────────────────────────────────────────
    def _peer(self, step):
        index = self.stage_index + step
        return self.stage_index_to_group_rank.get(index, index % self.group_size)

    def _tag(self, step, to):
        """Return the tag of what goes a ``step`` from a stage."""
        return TAGS + 2 * (self.stage_index if to else self.stage_index + step) + ((step > 0) == to)

    def _send(self, number, step, tensors):
        """Send the tensors of a part to the stage ``step`` further on, in this process or in another one."""
        neighbour = self.neighbours.get(self.stage_index + step)
        if neighbour is not None:
            neighbour._given[number, -step] = [each.detach() for each in tensors]
            return
        peer = self._peer(step)
        tag = self._tag(step, True)
        facts = [(tuple(each.shape), each.dtype) for each in tensors]
        known = self._shapes.setdefault((step, True), facts)
        if known is facts:
            self.group.send_object([(shape, str(dtype)) for shape, dtype in facts], peer, tag)
        elif known != facts:
            raise RuntimeError(
                f"stage {self.stage_index} returned {describe(facts)} for part {number} of the batch, but "
                f"{describe(known)} before: all parts must have the same sizes"
            )
        self._sent += [self.group.send(each.contiguous(), peer, tag) for each in tensors]

    def _receive(self, number, step):
        """Return the tensors that the stage a ``step`` away has sent for a part."""
        if (number, step) in self._given:
            return tuple(self._given.pop((number, step)))
        peer, tag = self._peer(step), self._tag(step, False)
        if (step, False) not in self._shapes:
            facts, _ = self.group.receive_object(peer, tag)
            self._shapes[step, False] = [(shape, getattr(torch, name.removeprefix("torch."))) for shape, name in facts]
        tensors = [torch.empty(shape, dtype=dtype) for shape, dtype in self._shapes[step, False]]
        for work in [self.group.receive(each, peer, tag) for each in tensors]:
            work.wait()
        return tuple(tensors)

    def finish_sends(self):
        """Wait until what was sent has arrived."""
        for work in self._sent:
            work.wait()
        self._sent = []


class _PipelineStage(PipelineStage):
    """A stage that a ``Pipe`` has made."""

    __module__ = "torch.distributed.pipelining.stage"


def can_require(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def describe(facts):
    return ", ".join(f"{list(shape)} {dtype}" for shape, dtype in facts)
