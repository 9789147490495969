"""Exchange of gradients between processes in buckets: buffers with the gradients of many parameters, the last first."""

from tensh.engine import find_public

MEGABYTE = 1 << 20
FIRST, USUAL = 1, 25  # megabytes of the first bucket, which starts early, and of the others


class GradBucket:
    """The gradients of some parameters in one buffer, as communication hooks see them."""

    __module__ = "torch.distributed"

    def __init__(self, index, parameters):
        self._index, self._parameters, self._is_last = index, parameters, False
        self.work, self.missing = None, set()
        self._buffer = find_public("zeros")(sum(p.numel() for p in parameters), dtype=parameters[0].dtype)

    def index(self):
        """Return the number of the bucket."""
        return self._index

    def buffer(self):
        """Return the buffer of gradients."""
        return self._buffer

    def set_buffer(self, buffer):
        """Replace the buffer of gradients."""
        self._buffer = buffer

    def gradients(self):
        """Return the gradients as views of the buffer."""
        sizes = [p.numel() for p in self._parameters]
        return [part.view(p.shape) for part, p in zip(self._buffer.split(sizes), self._parameters, strict=True)]

    def parameters(self):
        """Return the parameters."""
        return list(self._parameters)

    def is_last(self):
        """Return True for the last bucket to be exchanged."""
        return self._is_last


def sort_into_buckets(parameters, megabytes):
    """Divide the parameters, from the last to the first, into buckets of one dtype and a limited size."""
    parts, size, limit = [], 0, FIRST if megabytes is None else megabytes
    for p in reversed(parameters):
        if parts and parts[-1][0].dtype == p.dtype and size + p.nbytes <= limit * MEGABYTE:
            parts[-1].append(p)
            size += p.nbytes
            continue
        if parts:
            limit = USUAL if megabytes is None else megabytes
        parts.append([p])
        size = p.nbytes
    buckets = [GradBucket(index, part) for index, part in enumerate(parts)]
    buckets[-1]._is_last = True
    return buckets


class Reducer:
    """The exchange of a module's gradients during a backward pass.

    A bucket starts when all its gradients are complete and the buckets before it have started, so that the order is the
    same in all processes. The last gradient of the pass waits for all buckets.
    """

    def __init__(self, parameters, group, megabytes, keeps_views):
        self.group, self.keeps_views, self.parameters, self.megabytes = group, keeps_views, parameters, megabytes
        self.divisor, self.hook = group.size(), None
        self.buckets = sort_into_buckets(parameters, megabytes)
        self.home = {id(p): bucket for bucket in self.buckets for p in bucket.parameters()}
        self.next, self.unused, self.searches, self.is_expecting = 0, set(), False, False
        for p in parameters:
            p.register_post_accumulate_grad_hook(self.take)

    def register_hook(self, state, hook):
        """Register a function that exchanges buckets; raise RuntimeError for a second one, TypeError for no function."""
        if self.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        self.hook = hook, state

    def is_waiting(self):
        """Return True if a pass has started and some of its gradients are missing."""
        return self.is_expecting and any(
            len(each.missing) < len(each.parameters()) or each.work is not None for each in self.buckets
        )

    def describe_missing(self):
        """Name the parameters without gradients, by their indices."""
        places = [n for n, p in enumerate(self.parameters) if id(p) in self.home[id(p)].missing]
        return (
            f"\nParameter indices which did not receive grad for rank {self.group.rank()}: {' '.join(map(str, places))}"
        )

    def prepare(self, outputs):
        """Prepare for a backward pass; with ``outputs``, expect only the gradients of parameters used in them."""
        if self.group.size() == 1 and self.hook is None:
            return
        self.next, self.is_expecting, self.searches = 0, True, outputs is not None
        for bucket in self.buckets:
            bucket.work, bucket.missing = None, {id(p) for p in bucket.parameters()}
        self.unused = find_unused(self.parameters, outputs) if self.searches else set()
        for p in self.parameters:
            if id(p) in self.unused:
                self.home[id(p)].missing.discard(id(p))
        if len(self.unused) == len(self.parameters):
            self.advance()

    def take(self, parameter):
        """Record that a gradient has been added to ``.grad``."""
        if not self.is_expecting:
            return
        self.home[id(parameter)].missing.discard(id(parameter))
        self.advance()

    def advance(self):
        """Start the complete buckets in their order; finish after the last."""
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            self.begin(self.buckets[self.next])
            self.next += 1
        if self.next == len(self.buckets):
            self.finish()

    def begin(self, bucket):
        """Copy the gradients into a bucket and exchange it."""
        with find_public("no_grad")():
            for p, part in zip(bucket.parameters(), bucket.gradients(), strict=True):
                if p.grad is None:
                    part.zero_()
                elif p.grad.data_ptr() != part.data_ptr():
                    part.copy_(p.grad)
            if self.hook is None:
                bucket.buffer().div_(self.divisor)
        bucket.work = self.exchange(bucket)

    def exchange(self, bucket):
        """Start to add up a bucket over all processes, or call the user's hook instead; return the work."""
        if self.hook is None:
            return self.group.allreduce([bucket.buffer()]).start()
        function, state = self.hook
        return function(state, bucket)

    def begin_empty(self):
        """Exchange buckets of zeros, for a process that has no more inputs."""
        for bucket in self.buckets:
            bucket.buffer().zero_()
            bucket.work = self.exchange(bucket)
        self.reduce_used(find_public("zeros")(len(self.parameters), dtype=find_public("int32")))
        for bucket in self.buckets:
            bucket.work.wait()
            bucket.work = None

    def reduce_used(self, used):
        """Count the processes that used each parameter, if unused parameters are searched for."""
        if self.searches and self.group.size() > 1:
            self.group.allreduce([used]).wait()
        return used

    def finish(self):
        """Wait for all buckets, and write the gradients back."""
        self.is_expecting = False
        used = [id(p) not in self.unused for p in self.parameters]
        used = self.reduce_used(find_public("tensor")(used).int()).tolist()
        used = {id(p): count for p, count in zip(self.parameters, used, strict=True)}
        for bucket in self.buckets:
            found = bucket.work.wait()
            if self.hook is not None:
                bucket.set_buffer(found[0] if isinstance(found, (list, tuple)) else found)
            bucket.work = None
            with find_public("no_grad")():
                for p, part in zip(bucket.parameters(), bucket.gradients(), strict=True):
                    if used[id(p)]:  # otherwise no process used it, and its gradient stays unchanged
                        self.write_back(p, part)

    def write_back(self, parameter, part):
        """Make a part of a bucket the gradient of its parameter, as a view or a copy."""
        if self.keeps_views:
            parameter.grad = part
        elif parameter.grad is None:
            parameter.grad = part.clone()
        else:
            parameter.grad.copy_(part)


def find_unused(parameters, outputs):
    """Return the ids of parameters that the outputs do not depend on."""
    from tensh.utils._pytree import tree_leaves

    Tensor = find_public("Tensor")
    stack = [t.grad_fn for t in tree_leaves(outputs) if isinstance(t, Tensor) and t.grad_fn is not None]
    seen, found = set(stack), set()
    while stack:
        node = stack.pop()
        if hasattr(node, "variable"):
            found.add(id(node.variable))
        for each, _ in node.next_functions:
            if each is not None and each not in seen:
                seen.add(each)
                stack.append(each)
    return {id(p) for p in parameters} - found
