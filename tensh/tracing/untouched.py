"""Tracing without side effects: arguments, buffers, attributes of modules and the random state are restored."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.random.generator import default_generator


class RestoredState:
    """A context that restores ``tensors``, the members of ``root`` and the random state at its end."""

    def __init__(self, root, tensors):
        self.modules, self.tensors = dict(root.named_modules()), [*tensors, *root.buffers()]

    def __enter__(self):
        self.random = default_generator.get_state()
        self.elements = [(each.array, each.array.copy()) for each in self.tensors if hasattr(each.array, "tobytes")]
        self.attributes = [
            (names, {name: value for name, value in names.items() if isinstance(value, Tensor)})
            for module in self.modules.values()
            for names in (vars(module), module._buffers)
        ]
        return self

    def __exit__(self, *failure):
        for array, before in self.elements:
            if array.tobytes() != before.tobytes():  # some kernels write without a time stamp
                array[...] = before
        for names, before in self.attributes:
            names.update(before)
        default_generator.set_state(self.random)

    def record_assignments(self, recorder):
        """Record a write for every buffer that was replaced, also by itself as in ``self.count += 1``."""
        for names, before in self.attributes:
            for name, value in before.items():
                new = names.get(name)
                assigned = new is not value or (id(names), name) in recorder.assigned
                if assigned and id(value) in recorder.members and isinstance(new, Tensor):
                    recorder.record_assignment(value, new)
