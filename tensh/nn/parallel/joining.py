"""Training with different numbers of inputs: processes without inputs join the exchanges of those that have some."""

from tensh.engine import find_public

EARLY = "Detected at least one rank that exhausted inputs. Throwing across all ranks."


class JoinContext:
    """A ``with model.join()`` block, in which each forward pass first counts the processes that still have inputs."""

    def __init__(self, model, divides_by_all, throws):
        self.model, self.group = model, model.process_group
        self.divides_by_all, self.throws = divides_by_all, throws

    def _reduce(self, number, largest=False):
        """Return the sum, or the maximum, of a number over all processes."""
        from tensh.distributed.operations import RedOpType

        found = find_public("tensor")([number])
        self.group.allreduce([found], RedOpType.MAX if largest else RedOpType.SUM).wait()
        return int(found)

    def choose_rank(self, is_candidate):
        """Return the last rank among the candidates."""
        return self._reduce(self.group.rank() if is_candidate else -1, True)

    def tell_active(self, is_synchronous):
        """Announce that this process has an input, and whether gradients will be exchanged."""
        active = self._reduce(1)
        if self.throws and active < self.group.size():
            raise RuntimeError(EARLY)
        self._reduce(int(is_synchronous), True)
        self._reduce(int(self.model.require_forward_param_sync), True)
        if not self.divides_by_all:
            self.model.reducer.divisor = active

    def follow(self):
        """Join the exchanges until no process has inputs, then copy the state of a process that finished last."""
        is_last = True
        while self._reduce(0):
            if self.throws:
                raise RuntimeError(f"Rank {self.group.rank()} exhausted all inputs.")
            is_last = False
            is_synchronous, shares = self._reduce(0, True), self._reduce(0, True)
            model = self.model
            buffers = [b for name, b in model.module.named_buffers() if name not in model.parameters_to_ignore]
            if buffers and shares and model.broadcast_buffers:
                model._take_over(buffers, self.choose_rank(False))
            if is_synchronous:
                model.reducer.searches = model.find_unused_parameters
                model.reducer.begin_empty()
        self.model._take_over(self.model._states(), self.choose_rank(is_last))
