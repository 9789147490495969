"""The common source of several pipes, and the pipes that read from it."""

import copy as copies
from collections import deque

from tensh.engine.errors.warnings import warn
from tensh.utils.data.datapipes._hook_iterator import _SnapshotState
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.utils.common import StreamWrapper


class _ContainerTemplate(IterDataPipe):
    """The common source of several pipes: one iterator of ``main_datapipe``, and samples that some have not taken yet."""

    STATE = ""  # the names of pickled attributes

    def _prepare(self, step):
        if self.buffer_size < 0:
            warn(f"Unlimited buffer size is set for `{step}`, please be aware of OOM at random places")
        self._clear()

    def _clear(self):
        self._datapipe_iterator = None
        self._child_stop = [True] * self.num_instances

    def reset(self):
        """Forget all that was read."""
        self._clear()

    def _start(self, instance_id):
        """Begin to read when the first of the pipes is asked for a sample."""
        if self._datapipe_iterator is None and self._child_stop[instance_id]:
            self._datapipe_iterator = iter(self.main_datapipe)
            self._snapshot_state = _SnapshotState.Iterating
            self._child_stop = [False] * self.num_instances
            return True
        return False

    def _stop(self, instance_id):
        """Note that one of the pipes is done; end the iterator with the last."""
        self._child_stop[instance_id] = True
        if all(self._child_stop):
            self._datapipe_iterator = None
            return True
        return False

    def __getstate__(self):
        names = f"{self.STATE} _valid_iterator_id _number_of_samples_yielded".split()
        state = tuple(getattr(self, name) for name in names)
        return state if IterDataPipe.getstate_hook is None else IterDataPipe.getstate_hook(state)

    def __setstate__(self, state):
        for name, value in zip(f"{self.STATE} _valid_iterator_id _number_of_samples_yielded".split(), state):
            setattr(self, name, value)
        self._clear()


def _no_op(x):
    return x


COPIES = {None: _no_op, "shallow": copies.copy, "deep": copies.deepcopy}


class _ForkerIterDataPipe(_ContainerTemplate):
    STATE = "main_datapipe num_instances buffer_size copy_fn"

    def __init__(self, datapipe, num_instances, buffer_size=1000, copy=None):
        self.main_datapipe, self.num_instances, self.buffer_size = datapipe, num_instances, buffer_size
        self._prepare("fork")
        if copy not in COPIES:
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")
        self.copy_fn = COPIES[copy]

    def _clear(self):
        super()._clear()
        self.buffer = deque()  # what was read and not taken by all: from the slowest to the leading pipe
        self.child_pointers = [0] * self.num_instances  # how many samples each pipe has taken
        self.slowest_ptr = self.leading_ptr = 0
        self.end_ptr = None  # one more than there are samples, once that is known

    def __len__(self):
        return len(self.main_datapipe)

    def get_length_by_instance(self, instance_id):
        """Return the length of one of the pipes, which is that of the source."""
        return len(self.main_datapipe)

    def is_every_instance_exhausted(self):
        """Return True if all pipes have given all samples."""
        return self.end_ptr is not None and all(self._child_stop)

    def get_next_element_by_instance(self, instance_id):
        """Yield the samples of one of the pipes."""
        self._start(instance_id)
        try:
            while not self._child_stop[instance_id]:
                try:
                    sample = self._take(instance_id)
                except StopIteration:
                    return
                yield self.copy_fn(sample)
        finally:
            if self._stop(instance_id):
                close_all(self.buffer)

    def _take(self, instance_id):
        """Return the next sample of a pipe; raise StopIteration after the last."""
        self.child_pointers[instance_id] += 1
        place = self.child_pointers[instance_id]
        if place == self.end_ptr:
            raise StopIteration
        waits = self.buffer and place <= self.leading_ptr
        sample = self.buffer[place - self.slowest_ptr - 1] if waits else self._read(place)
        if place == self.slowest_ptr + 1 and min(self.child_pointers) == place:
            self.slowest_ptr = place
            self.buffer.popleft()
        if 0 <= self.buffer_size < self.leading_ptr - self.slowest_ptr:
            raise BufferError(f"ForkerIterDataPipe buffer overflow,buffer size {self.buffer_size} is insufficient.")
        return sample

    def _read(self, place):
        """Read the sample that no pipe has taken yet, the one at ``place``, and keep it for the others."""
        self.leading_ptr = place
        try:
            sample = next(self._datapipe_iterator)
        except StopIteration:
            self._datapipe_iterator, self.end_ptr = None, place
            raise
        self.buffer.append(sample)
        return sample

    def __del__(self):
        close_all(self.__dict__.get("buffer", ()))


class _DemultiplexerIterDataPipe(_ContainerTemplate):
    STATE = "main_datapipe num_instances buffer_size classifier_fn drop_none"

    def __init__(self, datapipe, num_instances, classifier_fn, drop_none, buffer_size):
        self.main_datapipe, self.num_instances, self.buffer_size = datapipe, num_instances, buffer_size
        self._prepare("demux")
        self.classifier_fn, self.drop_none = classifier_fn, drop_none

    def _clear(self):
        super()._clear()
        self.current_buffer_usage = 0
        self.child_buffers = [deque() for _ in range(self.num_instances)]
        self.main_datapipe_exhausted = False

    def get_length_by_instance(self, instance_id):
        """Raise TypeError, because the number of samples in a class is unknown."""
        raise TypeError

    def is_every_instance_exhausted(self):
        """Return True if all pipes have given all samples."""
        return self.main_datapipe_exhausted and all(self._child_stop)

    def _find_next(self, instance_id):
        """Read until there is a sample for a pipe; those of others wait in their buffers."""
        for sample in self._datapipe_iterator:
            found = self.classifier_fn(sample)
            if found is None and self.drop_none:
                StreamWrapper.close_streams(sample)
                continue
            if found is None or not 0 <= found < self.num_instances:
                raise ValueError(
                    f"Output of the classification fn should be between 0 and {self.num_instances - 1}. "
                    f"{found} is returned."
                )
            if found == instance_id:
                return sample
            self.child_buffers[found].append(sample)
            self.current_buffer_usage += 1
            if 0 <= self.buffer_size < self.current_buffer_usage:
                raise BufferError(
                    f"DemultiplexerIterDataPipe buffer overflow, buffer size {self.buffer_size} is insufficient."
                )
        raise StopIteration

    def get_next_element_by_instance(self, instance_id):
        """Yield the samples of one of the pipes."""
        if self._start(instance_id):
            self.main_datapipe_exhausted = False
        own = self.child_buffers[instance_id]  # a later reset gives the pipes new buffers
        try:
            while not self._child_stop[instance_id]:
                try:
                    sample = self._take(instance_id, own)
                except StopIteration:
                    return
                yield sample
        finally:
            self._stop(instance_id)
            close_all(own)

    def _take(self, instance_id, own):
        """Return the next sample of a pipe with the buffer ``own``; raise StopIteration after the last."""
        if own:
            self.current_buffer_usage -= 1
            return own.popleft()
        if self.main_datapipe_exhausted:
            raise StopIteration
        try:
            return self._find_next(instance_id)
        except StopIteration:
            self.main_datapipe_exhausted, self._datapipe_iterator = True, None
            raise

    def __del__(self):
        for each in self.__dict__.get("child_buffers", ()):
            close_all(each)


def close_all(samples):
    """Empty a buffer, and close the streams in it."""
    while samples:
        StreamWrapper.close_streams(samples.popleft())


class _ChildDataPipe(IterDataPipe):
    """One of several pipes that read from another.

    A new iterator of one of them invalidates those of all, unless that pipe has had none since the last time.
    """

    _is_child_datapipe = True

    def __init__(self, main_datapipe, instance_id):
        if not isinstance(main_datapipe, _ContainerTemplate):
            raise AssertionError("main_datapipe must implement _ContainerTemplate")
        self.main_datapipe, self.instance_id = main_datapipe, instance_id

    def __iter__(self):
        return self.main_datapipe.get_next_element_by_instance(self.instance_id)

    def __len__(self):
        return self.main_datapipe.get_length_by_instance(self.instance_id)

    def _set_main_datapipe_valid_iterator_id(self):
        main = self.main_datapipe
        if main._valid_iterator_id is None:
            main._valid_iterator_id = 0
        elif main._valid_iterator_id == self._valid_iterator_id:
            main._valid_iterator_id += 1
            if not main.is_every_instance_exhausted():
                warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting "
                    "the buffer and each child DataPipe will read from the start again."
                )
            main.reset()
        self._valid_iterator_id = main._valid_iterator_id
        return self._valid_iterator_id

    def _check_valid_iterator_id(self, iterator_id):
        return iterator_id == self._valid_iterator_id == self.main_datapipe._valid_iterator_id
