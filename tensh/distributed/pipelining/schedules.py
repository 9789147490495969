"""The order in which the parts of a batch pass through the stages of a process, forwards and backwards."""

import tensh as torch
from tensh.distributed.pipelining.microbatch import merge_chunks, split_args_kwargs_into_chunks
from tensh.distributed.pipelining.orders import (
    BACKWARD,
    FORWARD,
    INPUTS,
    WEIGHTS,
    order_dual_pipe,
    order_v,
    order_zero_bubble,
)

__all__ = [
    "PipelineScheduleMulti", "PipelineScheduleSingle", "Schedule1F1B", "ScheduleDualPipeV", "ScheduleGPipe",
    "ScheduleInterleaved1F1B", "ScheduleInterleavedZeroBubble", "ScheduleLoopedBFS", "ScheduleZBVZeroBubble",
    "get_schedule_class",
]  # fmt: skip


class PipelineSchedule:
    """The passes of a batch in ``n_microbatches`` parts through the stages of this process.

    ``loss_fn(output, target)`` is called on each part in the last stage; without it, there is no backward pass.
    Subclasses say the order: ``order`` yields (stage, number of the part, pass).
    """

    def __init__(
        self, stages, n_microbatches, loss_fn=None, args_chunk_spec=None, kwargs_chunk_spec=None, output_merge_spec=None,
        scale_grads=True,
    ):  # fmt: skip
        self._stages, self._n_microbatches, self._loss_fn = stages, n_microbatches, loss_fn
        self._chunk_specs = args_chunk_spec, kwargs_chunk_spec
        self._merge_spec = output_merge_spec
        self.scale_grads = scale_grads
        self._has_backward = loss_fn is not None
        for stage in stages:
            stage.has_backward = self._has_backward
        by_index = {stage.stage_index: stage for stage in stages}
        for stage in stages:
            near = (stage.stage_index - 1, stage.stage_index + 1)
            stage.neighbours = {index: by_index[index] for index in near if index in by_index}

    def order(self):
        """Yield the passes of this process."""
        raise NotImplementedError

    def forward_order(self):
        """Yield the passes of an evaluation: all parts through the first stage, then the next."""
        return ((stage, number, FORWARD) for stage in self._stages for number in range(self._n_microbatches))

    # ── a batch ──────────────────────────────────────────────────────────────
    def step(self, *args, target=None, losses=None, return_outputs=True, loss_kwargs=None, **kwargs):
        """Bring a batch through all stages, and gradients back where there is a loss.

        The process of the first stage gives the arguments, that of the last the ``target``, and gets the result, unless
        ``return_outputs`` is False, and in the list ``losses`` the loss of each part, to whose function ``loss_kwargs``
        are passed. Gradients are those of the mean over the parts unless the schedule was made with
        ``scale_grads=False``. Raise RuntimeError where gradients are not recorded.
        """
        if self._has_backward and not torch.is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under torch.no_grad() "
                "context. Please call eval() instead."
            )
        return self._run(self.order(), self._has_backward, args, kwargs, target, losses, return_outputs, loss_kwargs)

    def eval(self, *args, target=None, losses=None, return_outputs=True, **kwargs):
        """Bring a batch through all stages without gradients."""
        with torch.no_grad():
            return self._run(self.forward_order(), False, args, kwargs, target, losses, return_outputs)

    def _run(self, order, backward, args, kwargs, target, losses, return_outputs, loss_kwargs=None):
        """Run the passes of the stages in the order given; return the merged outputs if asked.

        ``order`` has tuples (stage, number of the part, kind of pass).
        """
        count, found = self._n_microbatches, {}
        self._check(args, target)
        parts = split_args_kwargs_into_chunks(args, kwargs, count, *self._chunk_specs)
        if len(parts[0]) != count:
            raise ValueError(f"Expecting {count} arg_mbs but got {len(parts[0])}")
        targets = [None] * count if target is None else torch.tensor_split(target, count)
        left = {stage.stage_index: count for stage in self._stages}
        for stage in self._stages:
            stage.clear_runtime_states()
            stage.has_backward = backward
        for stage, number, kind in order:
            if kind != FORWARD:
                left[stage.stage_index] -= kind in (BACKWARD, WEIGHTS)
                self._go_back(stage, number, kind, found, not left[stage.stage_index])
                continue
            output = stage.forward_one_chunk(number, parts[0][number], parts[1][number])
            if stage.is_last and self._loss_fn is not None and target is not None:
                found[number] = self._loss_fn(output, targets[number], **(loss_kwargs or {}))
        for stage in self._stages:
            stage.finish_sends()
            if backward and self.scale_grads:
                stage.scale_grads(count)
        if losses is not None:
            losses[:] = [found[number] for number in sorted(found)]
        last = next((stage for stage in self._stages if stage.is_last), None)
        if last is None or not return_outputs:
            return None
        return merge_chunks([last.outputs[number] for number in range(count)], self._merge_spec)

    def _go_back(self, stage, number, kind, losses, is_last):
        """Compute the gradients of one part, of inputs and weights together or one of them."""
        loss = losses[number] if stage.is_last else None
        if kind == BACKWARD:
            stage.backward_one_chunk(number, loss, last_backward=is_last)
        elif kind == INPUTS:
            stage.backward_input_one_chunk(number, loss)
        else:
            stage.backward_weight_one_chunk(number, last_backward=is_last)

    def _check(self, args, target):
        is_last = any(stage.is_last for stage in self._stages)
        if is_last and self._has_backward and target is None:
            raise ValueError("the last stage computes a loss and needs a target")
        if args and not any(stage.is_first for stage in self._stages):
            raise ValueError("only the process of the first stage accepts arguments")


class PipelineScheduleSingle(PipelineSchedule):
    """A schedule of processes with one stage each.  Raise ValueError for fewer parts than stages."""

    __module__ = "torch.distributed.pipelining.schedules"

    def __init__(self, stage, n_microbatches, loss_fn=None, *args, **options):
        super().__init__([stage], n_microbatches, loss_fn, *args, **options)
        self._stage, self._num_stages = stage, stage.num_stages
        if type(self).needs_parts and n_microbatches < stage.num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than or equal to the number of stages "
                f"({stage.num_stages})."
            )

    needs_parts = False


class ScheduleGPipe(PipelineScheduleSingle):
    """All parts forwards, then all backwards, as in GPipe."""

    __module__ = "torch.distributed.pipelining.schedules"

    def order(self):
        yield from self.forward_order()
        if self._has_backward:
            yield from ((self._stage, number, BACKWARD) for number in range(self._n_microbatches))


class Schedule1F1B(PipelineScheduleSingle):
    """One part forwards, one backwards, in turn, once the stages are full: fewer parts are kept at a time than in GPipe."""

    __module__ = "torch.distributed.pipelining.schedules"
    needs_parts = True

    def order(self):
        if not self._has_backward:
            yield from self.forward_order()
            return
        stage, count = self._stage, self._n_microbatches
        ahead = min(count, stage.num_stages - stage.stage_index)
        yield from ((stage, number, FORWARD) for number in range(ahead))
        for number in range(count):
            yield stage, number, BACKWARD
            if ahead + number < count:
                yield stage, ahead + number, FORWARD


class PipelineScheduleMulti(PipelineSchedule):
    """A schedule of processes with as many stages each: stage i is in the process of rank i modulo their number."""

    __module__ = "torch.distributed.pipelining.schedules"

    def __init__(self, stages, n_microbatches, loss_fn=None, *args, **options):
        super().__init__(stages, n_microbatches, loss_fn, *args, **options)
        self.pp_group_size, self.rank = stages[0].group_size, stages[0].group_rank


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """All parts through a stage before the next stage begins, and back in the same way."""

    __module__ = "torch.distributed.pipelining.schedules"

    def order(self):
        yield from self.forward_order()
        if self._has_backward:
            for stage in reversed(self._stages):
                yield from ((stage, number, BACKWARD) for number in reversed(range(self._n_microbatches)))


class InterleavedSchedule(PipelineScheduleMulti):
    """A schedule in rounds of one part for each process.  Raise ValueError if the parts are no multiple of the rounds."""

    name = ""

    def __init__(self, stages, n_microbatches, *args, **options):
        super().__init__(stages, n_microbatches, *args, **options)
        self.number_of_rounds = max(1, n_microbatches // self.pp_group_size)
        self.microbatches_per_round = n_microbatches // self.number_of_rounds
        if n_microbatches % self.number_of_rounds:
            raise ValueError(
                f"{self.name} requires the number of microbatches to be a multiple of the number of rounds "
                f"({self.number_of_rounds}), but got {n_microbatches}."
            )

    def place(self, step, backward):
        """Return the stage and the part of a step: round by round, through all stages of the process."""
        size, stages = self.microbatches_per_round, self._stages
        turn, within = divmod(step, size * len(stages))
        index, number = divmod(within, size)
        return stages[len(stages) - 1 - index if backward else index], turn * size + number

    def count_ahead(self, passes):
        """Return how many forward passes come first, given their number for each process after this one."""
        before = (len(self._stages) - 1) * self.microbatches_per_round
        return min(self.total, before + passes * (self.pp_group_size - 1 - self.rank) + 1)

    @property
    def total(self):
        """The number of forward passes of the process."""
        return self._n_microbatches * len(self._stages)


class ScheduleInterleaved1F1B(InterleavedSchedule):
    """One part forwards, one backwards, in turn over the stages of a process, in rounds of one part for each process."""

    __module__ = "torch.distributed.pipelining.schedules"
    name = "Interleaved 1F1B"

    def order(self):
        if not self._has_backward:
            yield from self.forward_order()
            return
        ahead = self.count_ahead(2)
        yield from ((*self.place(step, False), FORWARD) for step in range(ahead))
        for step in range(self.total):
            yield *self.place(step, True), BACKWARD
            if ahead + step < self.total:
                yield *self.place(ahead + step, False), FORWARD


class ScheduleInterleavedZeroBubble(InterleavedSchedule):
    """Like ``ScheduleInterleaved1F1B``, but gradients of weights are computed apart, later: ZB1P."""

    __module__ = "torch.distributed.pipelining.schedules"
    name = "Zero bubble"

    def order(self):
        if not self._has_backward:
            return self.forward_order()
        return order_zero_bubble(self.place, self.total, self.count_ahead(1), self.rank)


class VSchedule(PipelineScheduleMulti):
    """A schedule of processes with two stages, one of the way there and one of the way back: process i has i and 2n-1-i."""

    name, passes = "", None

    def __init__(self, stages, n_microbatches, *args, **options):
        super().__init__(stages, n_microbatches, *args, **options)
        if len(stages) != 2:
            raise ValueError(f"{self.name} requires exactly 2 stages per rank, but got {len(stages)}.")
        last = stages[0].num_stages - 1
        self.stage_index_to_group_rank = {n: min(n, last - n) for n in range(last + 1)}
        for stage in stages:
            stage.stage_index_to_group_rank = self.stage_index_to_group_rank

    def order(self):
        if not self._has_backward:
            return self.forward_order()
        order = type(self).passes(self.rank, self.pp_group_size, self._n_microbatches)
        return ((self._stages[place], number, kind) for place, number, kind in order)


class ScheduleZBVZeroBubble(VSchedule):
    """Two stages in each process, and gradients of weights that fill the time in which it would wait: ZBV."""

    __module__ = "torch.distributed.pipelining.schedules"
    name, passes = "ZBV", order_v


class ScheduleDualPipeV(VSchedule):
    """Two stages in each process that go both ways at a time.  Raise ValueError for fewer parts than stages."""

    __module__ = "torch.distributed.pipelining.schedules"
    name, passes = "DualPipeV", order_dual_pipe

    def __init__(self, stages, n_microbatches, *args, **options):
        super().__init__(stages, n_microbatches, *args, **options)
        if n_microbatches < stages[0].num_stages:
            raise ValueError(
                "DualPipeV requires at least as many microbatches as stages, but got "
                f"{n_microbatches} microbatches and {stages[0].num_stages} stages."
            )


SCHEDULES = {
    "1F1B": Schedule1F1B, "Interleaved1F1B": ScheduleInterleaved1F1B, "GPipe": ScheduleGPipe, "LoopedBFS": ScheduleLoopedBFS,
    "InterleavedZeroBubble": ScheduleInterleavedZeroBubble, "PipelineScheduleSingle": PipelineScheduleSingle,
    "PipelineScheduleMulti": PipelineScheduleMulti, "ZBVZeroBubble": ScheduleZBVZeroBubble, "DualPipeV": ScheduleDualPipeV,
}  # fmt: skip


def get_schedule_class(schedule_name):
    """Return the class of a schedule by its name, in small or capital letters.  Raise ValueError for an unknown name.

    >>> from tensh.distributed.pipelining.schedules import get_schedule_class
    >>> get_schedule_class("gpipe").__name__
    'ScheduleGPipe'
    """
    found = {name.lower(): kind for name, kind in SCHEDULES.items()}.get(schedule_name.lower())
    if found is None:
        raise ValueError(f"Unknown schedule name '{schedule_name}'. The valid options are {list(SCHEDULES)}")
    return found
