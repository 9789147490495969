"""Data-parallel models in a ``Join``: how processes with and without inputs agree on their exchanges."""

from tensh.distributed.algorithms.join import Join, JoinHook
from tensh.distributed.operations import RedOpType
from tensh.engine import find_public


class DataParallelHook(JoinHook):
    """Answers the exchanges of the data-parallel models of other processes, with gradients of zero."""

    def __init__(self, model, divides_by_all):
        self.model = model
        model.divides_by_all = divides_by_all

    def main_hook(self):
        """Answer the exchanges of one step."""
        model, group = self.model, self.model.process_group
        is_synchronous, shares_buffers = find_largest(group, 0), find_largest(group, 0)
        buffers = model.list_buffers()
        if buffers and shares_buffers and model.broadcast_buffers:
            model.take_over(buffers, choose_rank(group, False))
        if is_synchronous:
            model.reducer.searches = model.find_unused_parameters
            model.reducer.begin_empty()

    def post_hook(self, is_last_joiner):
        """Copy the state of a process that had inputs longest."""
        self.model.take_over(self.model.list_states(), choose_rank(self.model.process_group, is_last_joiner))


def announce_step(model, is_synchronous):
    """Tell the other processes that this one has an input; return the number by which gradients are divided."""
    group = model.process_group
    count = Join.notify_join_context(model)
    find_largest(group, int(is_synchronous))
    find_largest(group, int(model.require_forward_param_sync))
    if count is None or model.divides_by_all:
        return group.size()
    count.wait()
    return int(count.result()[0])


def choose_rank(group, is_candidate):
    """Return the last rank among the candidates."""
    return find_largest(group, group.rank() if is_candidate else -1)


def find_largest(group, number):
    """Return the maximum of a number over all processes."""
    found = find_public("tensor")([number])
    group.allreduce([found], RedOpType.MAX).wait()
    return int(found)
