"""Hooks of tensors that are outputs without a gradient, of a node that runs because other outputs have one."""

from tensh.engine.core.hooks import hooks_of, require_gradient


class OutputHooks(dict):
    """A hook on a node of several outputs: output number -> its hooks, which get None if no gradient arrives there."""

    def __call__(self, gradients):
        for number in sorted(self):
            if gradients[number] is None:
                for hook in list(self[number].tensor.values()):
                    require_gradient(hook(None), None, hook)


def call_without_gradient(output):
    """Call the hooks of an output also in passes in which only other outputs of its node have a gradient."""
    before = hooks_of(output.inputs[0]).before
    if "outputs" not in before:
        before["outputs"] = OutputHooks()
        before.move_to_end("outputs", last=False)
    before["outputs"][output.index] = hooks_of(output)
