"""Notes for learners about code that runs but does something else than was meant. Each is given once.

Nothing is watched before the engine is loaded, or in programs that run without tensh's command line.
"""

import contextlib
import re
import sys
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import NamedTuple

from tensh.cli.session.failures.failure import Place, is_users, place_of, users_frame
from tensh.cli.session.sources.source import Statement
from tensh.support.language import close_up
from tensh.support.patterns import pattern
from tensh.support.pure_functions import FUNCTIONS_OF_ONE, METHODS_OF_TENSORS

TENSORS = "tensh.engine.core.tensor"  # is loaded once a program has tensors
ENGINE = "tensh.engine.core.backward"  # runs backward passes
PASSES = "tensh.engine.autograd.gradients"  # starts backward passes
WATCHED = {  # module -> the part of Training that watches it
    PASSES: "losses",
    "tensh.optim.optimizer": "steps",
    "tensh.nn.modules.module": "modes",
    "tensh.nn.modules.sparse": "tables",
}
COUNTED = pattern(r"(mean|sum)\(")  # counts and means of a comparison
GIVES_PAIRS = pattern(r"\b(max|min|sort|topk|median|mode|kthvalue)\(")
# a method compared without being called
COMPARED_METHOD = pattern(r"\.[a-z]\w+ *[=!]=|[=!]= *[\w.\[\]]*\.[a-z]\w+\b(?![\w.(\[])")
# a method with an effect that stands alone on a line, without parentheses
UNCALLED = pattern(r"^[\w.\[\]]+\.(step|zero_grad|backward|train|eval|[a-z]\w*_)[ \t;]*(?:#.*)?$", re.MULTILINE)
# a flag that is set, whose name is like requires_grad
FLAG = pattern(r"\.(?:re\w*_?grads?_? *= *(?:True|False)|(?:lr|momentum|weight_decay|betas|eps) *= *[^= ])")
# a call that stands alone on a line
CALLED_ALONE = pattern(r"^[ \t]*([\w.]+)\.(\w+)\(.*\)[ \t]*(?:#.*)?$", re.MULTILINE)
NOT_A_LEAF = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."  # PyTorch's warning
NO_DIM = "Implicit dimension choice for "  # the beginning of another


class Note(NamedTuple):
    """A remark on a place: the name of the note, the message, and the advice."""

    about: str
    place: Place
    message: str
    advice: str


def may_lose(call):
    """Return True if a call that stands alone computes a tensor, judging by its names."""
    owner, word = call.groups()
    if owner in ("F", "torch", "nn.functional", "torch.nn.functional"):
        return word in FUNCTIONS_OF_ONE
    return owner == "self" or owner.endswith("nn") and word[0].isupper() or word in METHODS_OF_TENSORS


@lru_cache(maxsize=2)  # called for each statement of a source
def gives_pairs(text):
    """Return True if a source calls a function that returns values with their indices."""
    return bool(GIVES_PAIRS.search(text))


class Teacher:
    """Observes a session, and passes notes to a function."""

    def __init__(self, session, tell):
        self.session = session
        self.tell = tell
        self.told = set()
        self.is_eager = False  # at a prompt, where every value is read
        self.passes = self.training = None  # observers, once started
        self.first_pass = None  # starts the observers at the first pass
        self.waiting = {}  # module name -> hook that waits for its import, None once imported

    def look(self):
        """Start observing before a statement runs: loaded modules at once, others when they are imported."""
        if ENGINE in sys.modules:
            self.begin_again()
        for name in (ENGINE, *WATCHED):
            if name not in self.waiting:
                if name in sys.modules:
                    self.waiting[name] = None
                    self.begin(name)
                else:
                    self.waiting[name] = WhenLoaded(name, partial(self.begin, name))
                    sys.meta_path.insert(0, self.waiting[name])

    def look_back(self, statement):
        """Check a statement that has run, for suspicious comparisons and lost results."""
        if not isinstance(statement, Statement):
            return
        text = "\n".join(statement.written)
        if TENSORS in sys.modules and "accuracy" not in self.told and "==" in text and COUNTED.search(text):
            from tensh.cli.session.notes.texts.comparisons import find_comparison

            self.tell_of("accuracy", find_comparison, statement)
        if "pair" not in self.told and "==" in text and gives_pairs(statement.source.text):
            from tensh.cli.session.notes.texts.source import find_pair

            self.tell_of("pair", find_pair, statement)
        if TENSORS in sys.modules and "method" not in self.told and COMPARED_METHOD.search(text):
            from tensh.cli.session.notes.texts.source import find_method

            self.tell_of("method", find_method, statement)
        if TENSORS in sys.modules and "uncalled" not in self.told and UNCALLED.search(text):
            from tensh.cli.session.notes.texts.source import find_uncalled_method

            self.tell_of("uncalled", find_uncalled_method, statement)
        if "flag" not in self.told and FLAG.search(text):
            from tensh.cli.session.notes.texts.source import find_ineffective_flag

            self.tell_of("flag", find_ineffective_flag, statement)
        may_show = statement.shown or statement.is_quiet  # a `;` discards the value deliberately
        if "lost" not in self.told and not may_show and any(map(may_lose, CALLED_ALONE.finditer(text))):
            from tensh.cli.session.notes.texts.source import find_lost_result

            self.tell_of("lost", find_lost_result, statement)

    def tell_of(self, about, find, statement):
        """Give the note on a statement, if ``find`` finds one."""
        with contextlib.suppress(Exception):  # a fault in a note costs the note, not the program
            found = find(statement, self.session.namespace)
            if found:
                self.told.add(about)
                place, message, advice = found
                self.tell(Note(about, place, close_up(message), close_up(advice)))

    def begin(self, name):
        """Start observing an imported module; what concerns passes starts with the first pass."""
        if name == PASSES:
            self.first_pass = FirstPass(sys.modules[name], partial(self.watch, name))
        else:
            self.watch(name)

    def watch(self, name):
        """Start observing a module."""
        if name == ENGINE:
            from tensh.cli.session.notes.passes import Passes

            self.passes = Passes(self.on_summed, lambda: self.is_eager, self.note_leaves)
            self.passes.begin()
            return
        if self.training is None:
            from tensh.cli.session.notes.training import Training

            self.training = Training(self)
        getattr(self.training, WATCHED[name]).begin()

    def begin_again(self):
        """Observe the passes and steps of another statement."""
        if self.passes and "accumulated" not in self.told:
            self.passes.begin()
        if self.training:
            self.training.begin_again()

    def note_leaves(self, leaves):
        if self.training:
            self.training.losses.note_leaves(leaves)

    def close(self):
        """Stop observing."""
        if self.first_pass:
            self.first_pass.undo()
        if self.passes:
            self.passes.end()
        if self.training:
            self.training.close()
        for waiting in self.waiting.values():
            if waiting in sys.meta_path:
                sys.meta_path.remove(waiting)

    def note(self, about, frame, words):
        """Return the Note on a frame; None if it was given before, or does not apply.

        ``words(place, names)`` returns the message, the advice, and the place if it is another one; None if the note
        does not apply.
        """
        if about in self.told or frame is None:
            return None
        with contextlib.suppress(Exception):  # a fault in a note costs the note, not the program
            place = place_of(frame, self.session.sources)
            found = words(place, {**frame.f_globals, **frame.f_locals})
            if found is not None:
                self.told.add(about)
                message, advice, *elsewhere = found
                return Note(about, *(elsewhere or [place]), close_up(message), close_up(advice))

    def on_summed(self, leaves, lines):
        """Give the note on a pass that adds to gradients that were not reset; `lines` are those of the passes so far."""
        frame = users_frame()
        if not is_users(frame.f_code.co_filename, self.session.sources):  # for example in an example of a help page
            return
        from tensh.cli.session.notes.texts.sums import note_sums

        self.passes.end()
        self.say("accumulated", frame, partial(note_sums, leaves, lines))

    def say(self, about, frame, words):
        """Give the note on a frame, if it applies."""
        found = self.note(about, frame, words)
        if found:
            self.tell(found)

    def on_warning(self, message, filename, line):
        """Return (shortened message, Note or None) for a warning."""
        begin = next((each for each in (NOT_A_LEAF, NO_DIM) if str(message).startswith(each)), None)
        if begin is None:
            return message, None
        from tensh.cli.session.notes.texts.warnings import note_computed_tensor, note_missing_dim

        frame = sys._getframe(1)
        while frame and (frame.f_code.co_filename, frame.f_lineno) != (filename, line):
            frame = frame.f_back
        if begin is NO_DIM:
            return message, self.note("no dim", frame, note_missing_dim)
        return NOT_A_LEAF, self.note("non-leaf", frame, note_computed_tensor)


class FirstPass:
    """Replaces the function that runs a pass, and calls ``begin`` at its first call."""

    def __init__(self, module, begin):
        self.module, self.own, self.begin = module, module.run, begin
        module.run = self

    def __call__(self, *args, **kwargs):
        self.undo()
        self.begin()
        return self.module.run(*args, **kwargs)

    def undo(self):
        """Restore the original function."""
        if self.module.run is self:
            self.module.run = self.own


class WhenLoaded:
    """A meta path finder that finds nothing, but calls a function when a module has been imported."""

    def __init__(self, name, then):
        self.name = name
        self.then = then

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)  # the other finders may name its contents after torch
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def loaded(module):
                load(module)
                # a loader may be shared, such as that of pytest; the alias replaces the specification of a module
                if sys.modules.get(name) is module:
                    self.then()

            spec.loader.exec_module = loaded
        return spec
