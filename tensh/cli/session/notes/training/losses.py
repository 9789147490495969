"""Observing backward passes and their losses."""

import contextlib
import importlib
import weakref

from tensh.cli.session.failures.failure import place_of, place_of_code, users_frame
from tensh.cli.session.notes.loss_graphs import find_keeper, findings
from tensh.cli.session.notes.observing import observing
from tensh.engine.core.clock import listen, tick, unlisten
from tensh.engine.core.nodes import AccumulateGrad

MOST = 10  # passes of a statement whose losses are examined
LOOKS_AT_KEPT = (3, 10)  # passes at which names are examined
LOOKS_AT_LOOP = 3  # pass at which the surrounding loop is examined


class Losses:
    """Observes backward passes: ``reached`` is whether one reached a leaf, ``has_passed`` whether there was any."""

    def __init__(self, training):
        self.training = training
        self.has_begun = self.has_passed = False
        self.passed = weakref.WeakSet()  # roots of passes that have released their graphs
        self.reached = weakref.WeakKeyDictionary()  # leaf -> time of the last pass that reached it
        self.count = self.left = 0  # passes of this statement; passes left to examine
        self.listening = contextlib.ExitStack()  # to nodes recorded before the next pass

    def begin(self):
        """Observe the next backward passes."""
        self.training.nans.begin()  # first: what is replaced last is restored first
        idle, self.count, self.left, self.has_begun = self.left <= 0, 0, MOST, True
        if not idle:
            return

        def run(grads, graph, keep, wanted=None, *rest, **options):
            if wanted is None:
                self.left -= 1
                if self.left < 0:
                    undo()
                with observing:
                    self.look([*grads], keep)
            own(grads, graph, keep, wanted, *rest, **options)

        own, undo = self.training.replacements.replace(
            importlib.import_module("tensh.engine.autograd.gradients"), "run", run
        )

    def look(self, roots, keep):
        """Examine the losses at which a pass is about to begin."""
        self.count, self.has_passed = self.count + 1, True
        if self.count <= LOOKS_AT_KEPT[0]:
            self.stop_listening()
            for found in findings(roots):
                self.training.say(found.about, found._replace(place=self.place_of(found.node)))
                if found.about == "broadcast" and not self.training.is_told("broadcast"):
                    self.listen_for(found)
        if self.count in LOOKS_AT_KEPT:
            self.look_at_kept()
        if self.count == LOOKS_AT_LOOP:
            self.look_at_loop()
        if not keep:
            self.passed.update(root for root in roots if type(root) is not AccumulateGrad)

    def place_of(self, node):
        """Return the place where a node was recorded; None if unknown."""
        from tensh.graph.provenance import place

        made, sources = place(node), self.training.teacher.session.sources
        if made is None or made[0].co_filename not in sources:
            return None
        code, instruction = made
        return place_of_code(code, instruction, code.co_firstlineno, sources)

    def look_at_loop(self):
        """Examine the source of a training that clips gradients, or never steps."""
        text = place_of(users_frame(), self.training.teacher.session.sources).source.text
        if "clip_grad_" in text:
            self.training.say("clipping")
        if ".zero_grad(" in text and ".step(" not in text:
            self.training.say("no step", self.training.steps.histories)

    def listen_for(self, found):
        """Examine the next difference of the same shape when it is computed, while its operands have names."""

        def hear_node(node, tensors):
            if type(node) is type(found.node) and node.shape == found.node.shape:
                with observing:
                    self.training.say(found.about, found._replace(node=node))

        listen(hear_node)
        self.listening.callback(unlisten, hear_node)

    def stop_listening(self):
        self.listening.close()

    def look_at_kept(self):
        """Find a name that keeps graphs of losses after their passes."""
        for frame in self.training.frames():
            found = find_keeper(frame, self.passed)
            if found:
                self.training.say("kept", found, frame=frame)
                return

    def note_leaves(self, leaves):
        """Record the leaves that a pass has reached."""
        now = tick()
        for leaf in leaves:
            self.reached[leaf] = now
