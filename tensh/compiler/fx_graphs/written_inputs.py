"""The inputs of a graph that the recorded function writes, and how they were before."""

from tensh.engine.core.clock import owner, stamps, version
from tensh.engine.core.tensor import Tensor

__all__ = ["InputRecorder"]


class InputRecorder:
    """The part of a ``FunctionRecorder`` that remembers the elements of inputs."""

    def start_inputs(self):
        """Begin without inputs; ``before`` has (array, its elements, its version) by the id of a tensor."""
        self.before = {}

    def remember(self, tensor):
        """Note the elements of a tensor before its first use."""
        array = tensor.array
        self.before[id(tensor)] = array, array.copy(), version(array)

    def written(self):
        """Return the inputs whose elements were written."""
        known = [(each, *self.before[id(each)]) for each in self.used if isinstance(each, Tensor)]
        return [each for each, array, elements, _ in known if array.tobytes() != elements.tobytes()]

    def undo_writes(self):
        """Restore the elements and versions of inputs."""
        # from the last to the first: a later one may be another name of memory that had been written before its use
        for tensor in reversed(self.written()):
            array, elements, _ = self.before[id(tensor)]
            array[...] = elements
        for array, _, count in self.before.values():
            forget_writes(array, count)


def forget_writes(array, count):
    """Forget the writes to the memory of an array except the first ones, of which there are ``count``."""
    stamp = stamps.get(id(owner(array)))
    while stamp is not None and stamp.count > count:
        stamp.count -= 1
        stamp.times.pop()
