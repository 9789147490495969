"""Observing training and evaluation mode: who switches it, and what models compute under `no_grad`."""

import functools
import sys
import weakref

from tensh.cli.session.notes.observing import observing
from tensh.engine.core.clock import tick

MOST = 1000  # blocks under no_grad
STEPS_AFTER_A_SWITCH = 4  # steps examined after a switch


class Modes:
    """Observes mode switches; ``evaluated`` holds when a module was evaluated in evaluation mode."""

    def __init__(self, training):
        self.training = training
        self.left = 0  # blocks left to examine
        self.switched = weakref.WeakKeyDictionary()  # module -> time at which the user switched its mode
        self.evaluated = weakref.WeakKeyDictionary()  # module -> time at which it was evaluated in evaluation mode
        self.block = None  # the current no_grad block, in which modules are observed

    def begin(self):
        """Record from now on when the user switches modes."""
        from tensh.nn.modules.module import Module

        @functools.wraps(Module.train)
        def train(module, mode=True):
            self.note_switch(module)
            return own_train(module, mode)

        @functools.wraps(Module.eval)
        def eval(module):
            self.note_switch(module)
            return own_eval(module)

        own_train, _ = self.training.replacements.replace(Module, "train", train)
        own_eval, _ = self.training.replacements.replace(Module, "eval", eval)

    def note_switch(self, module):
        """Record a switch made by the user's code, and examine the steps after it."""
        if self.training.is_users(sys._getframe(2)):
            self.switched[module] = tick()
            if module in self.training.steps.models:
                self.training.steps.begin(STEPS_AFTER_A_SWITCH)

    def begin_blocks(self):
        """Observe models under `no_grad`."""
        from tensh.engine.autograd.modes import inference_mode, is_grad_enabled, no_grad, set_grad_enabled
        from tensh.nn.modules.calls import register_module_forward_pre_hook

        idle, self.left = self.left <= 0, MOST
        if not idle:
            return
        undoing = []

        def watch(switch):
            def enter(block):
                own_enter(block)
                self.left -= 1
                if self.left < 0:
                    for undo in undoing:
                        undo()
                elif (
                    self.block is None and not is_grad_enabled() and "optim" not in sys._getframe(1).f_code.co_filename
                ):
                    self.block = block, register_module_forward_pre_hook(self.look)

            def exit(block, *error):
                if self.block is not None and self.block[0] is block:
                    self.block[1].remove()
                    self.block = None
                own_exit(block, *error)

            own_enter, undo_enter = self.training.replacements.replace(switch, "__enter__", enter)
            own_exit, _ = self.training.replacements.replace(switch, "__exit__", exit)
            undoing.append(undo_enter)

        for switch in (no_grad, inference_mode, set_grad_enabled):
            watch(switch)

    def look(self, module, args):
        """Examine a model that is called under `no_grad`."""
        history = self.training.steps.models.get(module)
        if history is None:
            return
        with observing:
            if not module.training:
                self.evaluated[module] = tick()
                self.training.say("dropout", module)
            elif history.trained > 0 and self.switched.get(module, 0) < history.time:
                self.training.say("training mode", module)
