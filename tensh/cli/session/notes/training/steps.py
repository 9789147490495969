"""Observing optimizer steps: their gradients, and the mode of the models they train."""

import weakref

from tensh.cli.session.notes.models import model_of
from tensh.cli.session.notes.observing import observing
from tensh.cli.session.notes.training.unchanged import Unchanged
from tensh.engine.core.clock import is_written_after, tick

MOST = 20  # steps of a statement, over all optimizers


class History:
    """The steps of an optimizer: time of the last, how many lacked gradients in a row, whether any had some.

    ``model`` is the module with its parameters, if found; ``trained`` is when it was last trained in training mode,
    ``other_mode`` the number of consecutive steps in evaluation mode since.
    """

    def __init__(self):
        self.time = self.empty = self.trained = self.other_mode = 0
        self.is_working = False
        self.model = None
        self.unchanged = Unchanged()


class Steps:
    """Observes optimizer steps; ``models`` holds the histories of known models."""

    def __init__(self, training):
        self.training = training
        self.has_begun = False
        self.left = 0
        self.histories = weakref.WeakKeyDictionary()  # optimizer -> History
        self.models = weakref.WeakKeyDictionary()  # model -> the History of its optimizer
        self.remove = None

    def begin(self, number=MOST):
        """Observe the next optimizer steps."""
        idle, self.left, self.has_begun = self.left <= 0, max(self.left, number), True
        if idle:
            from tensh.optim.optimizer import register_optimizer_step_pre_hook

            self.remove = register_optimizer_step_pre_hook(self.look).remove
            self.training.replacements.undo_with(self.remove)

    def look(self, optimizer, args, options):
        """Examine the gradients and the model of an optimizer that is about to step."""
        self.left -= 1
        if self.left <= 0:
            self.remove()
        with observing:
            history = self.histories.setdefault(optimizer, History())
            params = [p for group in optimizer.param_groups for p in group["params"]]
            has_closure = len(args) > 1 or options
            if not has_closure:
                self.look_at_gradients(history, optimizer, params)
            if has_closure or history.is_working:
                self.look_at_mode(history, params)
            history.time = tick()

    def look_at_gradients(self, history, optimizer, params):
        """Report an optimizer whose first two steps have no gradients."""
        if history.is_working or any(self.holds_gradient(p) for p in params):
            if history.is_working and not self.training.is_told("unregistered"):
                self.look_at_others(history, optimizer)
            history.is_working = True
            with observing:
                if history.unchanged.has_repeated(optimizer, params):
                    self.training.say("unchanged", optimizer)
            return
        history.empty += 1
        if history.empty < 2:
            return
        own = {p.node for p in params}
        since = [leaf for leaf, time in self.training.losses.reached.items() if time > history.time]
        if own.intersection(since):
            self.training.say("zeroed", optimizer)
        elif since:
            if not self.stepping().intersection(since):
                self.training.say("other parameters", optimizer, since)
        elif not self.training.losses.has_passed:
            self.training.say("no backward", optimizer, own)

    def look_at_others(self, history, optimizer):
        """Report leaves that were reached, but neither belong to an optimizer nor were written to since its last step."""
        since = {leaf for leaf, time in self.training.losses.reached.items() if time > history.time}
        others = [
            leaf
            for leaf in since - self.stepping()
            if leaf.variable is not None and not is_written_after(history.time, leaf.variable.array)
        ]
        if others:
            self.training.say("unregistered", optimizer, others)

    def stepping(self):
        """Return the nodes of all parameters that optimizers have."""
        return {p.node for each in self.histories for group in each.param_groups for p in group["params"]}

    def holds_gradient(self, p):
        """Return True if a tensor has a gradient that was not zeroed since the pass that reached it."""
        if p.grad is None:
            return False
        time = self.training.losses.reached.get(p.node)
        return time is None or p.grad.array.any() or not is_written_after(time, p.grad.array)

    def look_at_mode(self, history, params):
        """Report a model that is trained in evaluation mode, after it was evaluated or from the start."""
        modes = self.training.modes
        model = history.model() if history.model else None
        if model is None:
            model = model_of(self.training.frames(), params)
            if model is None:
                return
            history.model, self.models[model] = weakref.ref(model), history
            modes.begin_blocks()
        if model.training:
            history.trained, history.other_mode = tick(), 0
        elif 0 < history.trained < modes.evaluated.get(model, 0):
            history.other_mode += 1
            if history.other_mode == 2:
                self.training.say("evaluation mode", model)
        elif not history.trained:
            history.other_mode += 1
            if history.other_mode == 2:
                self.training.say("evaluation mode from the first", model)
