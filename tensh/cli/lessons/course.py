"""The session of a lesson: code runs as in `tensh run`, and its result is known before it is shown."""

import contextlib
import io
import os

from tensh.cli.files import reading
from tensh.cli.learning import facts
from tensh.cli.learning.judging import Judgement, judge, judge_code
from tensh.cli.lessons.model import LessonError, Question, fill_blank, split_expression
from tensh.cli.programs.program import Program
from tensh.cli.programs.run import Run
from tensh.cli.render import failure as failures
from tensh.cli.session import events
from tensh.cli.session.undo import CannotUndo, Snapshot
from tensh.show.reading.reprs import safe_str
from tensh.support.escaping import visible_line
from tensh.support.language import _

SEED = 0  # makes every run of a lesson the same; the lesson or the command line may set another


class Outcome:
    """The outcome of a statement: the true answer, its events, the printed text and the remarks."""

    def __init__(self):
        self.truth = None
        self.happened = []
        self.printed = ""
        self.remarks = []
        self.value = None

    @property
    def error(self):
        """The exception that the statement raised, or None."""
        return next((event.failure.error for event in self.happened if isinstance(event, events.Failed)), None)


class HiddenOutput(io.StringIO):
    """Captures output of hidden code; readable even after the code closes the stream."""

    def close(self):
        """Keep the stream open."""


class Course(Run):
    """A run that executes a lesson step by step."""

    def __init__(self, env, options, lesson):
        folder = os.path.dirname(os.path.realpath(lesson.path))
        program = Program("script", [], [lesson.path], folder, reading.whole_name(lesson.path))
        seed = SEED if options.seed is None else options.seed
        super().__init__(env, options._replace(seed=seed), program)
        self.session.teacher = None  # the lesson itself teaches, so no notes
        self.session.note_places()
        self.hint = ""
        self.outcome = None  # the outcome of the statement that runs hidden

    # ── what happens ─────────────────────────────────────────────────────────

    def remark(self, tokens):
        """Show a remark about the code, or store it while the code runs hidden."""
        if self.outcome is None:
            super().remark(tokens)
        else:
            self.outcome.remarks.append([*tokens])

    def run_attempt(self, source):
        """Yield the events of a source; SystemExit counts as a failure."""
        try:
            yield from self.session.run(source, keep_going=True)  # as at a prompt
        except SystemExit as error:
            yield self.session.make_failure(error, None)

    def unseen(self, source):
        """Run a source hidden; return the outcome."""
        self.outcome, printed = Outcome(), HiddenOutput()
        try:
            with contextlib.redirect_stdout(printed):
                for event in self.run_attempt(source):
                    self.outcome.happened.append(event)
            return self.outcome
        finally:
            self.outcome.printed = printed.getvalue()
            self.outcome = None

    def code(self, step, is_seen=True):
        """Run statements without questions; show each before its result."""
        if not is_seen:
            for event in self.unseen(step.source).happened:
                self.raise_stop(event)
            return
        shown = 0
        for event in self.run_attempt(step.source):
            self.raise_stop(event)
            if isinstance(event, events.Started):
                self.console.result(quote(step.source, shown, event.unit))
                shown = event.unit.last
            self.show(event, may_raise=True)

    def raise_stop(self, event):
        """Let ^C end the lesson, not just a statement."""
        if isinstance(event, events.Failed) and isinstance(event.failure.error, KeyboardInterrupt):
            raise event.failure.error

    # ── questions ────────────────────────────────────────────────────────────

    def answer(self, question):
        """Run the statement of a question hidden; return its outcome, with the true answer."""
        source = question.source
        if question.kind == "complete":
            source = self.with_text(source, fill_blank(source.text, question.solution))
        found = self.unseen(source)
        for event in found.happened:
            self.raise_stop(event)
            if isinstance(event, events.Value):
                found.value = event.value
        found.truth = self.find_truth(question, found)
        return found

    def find_truth(self, question, outcome):
        """Return the true answer to a question; raise LessonError if the question cannot be asked."""
        if question.kind == "fails" or outcome.error is not None:
            return facts.state_error(outcome.error, question.phrases)
        about = question.target or question.about
        try:
            found = facts.state_value(eval(about, self.session.namespace) if about else outcome.value)
        except Exception as error:  # raised by the expression, or for a value without facts
            message = f"{type(error).__name__}: {safe_str(error)}"
            raise LessonError(f"{about or _('its value')}: {message}", question.line) from None
        if not found.has(question.kind):
            raise LessonError(_("its result has no {kind}").format(kind=question.kind), question.line)
        return found

    def reveal(self, question, outcome):
        """Show the result of a question's statement; its code is on the screen, except for the solution of a blank."""
        if question.kind == "complete":
            self.console.result(
                quote(self.with_text(question.source, fill_blank(question.draft, question.solution)), 0)
            )
        if outcome.printed:
            self.console.result([("plain", outcome.printed)])
        for tokens in outcome.remarks:
            super().remark(tokens)
        for event in outcome.happened:
            self.show(event, may_raise=True)
        about = question.target or question.about
        if about and outcome.error is None and question.kind != "fails":
            for event in self.session.run(self.with_text(question.source, about)):
                if isinstance(event, events.Started):
                    self.console.result(quote(event.unit.source, 0))
                self.show(event, may_raise=True)

    def judge(self, question, text, outcome):
        """Judge an answer; an answer to a blank is code, which runs without side effects."""
        if question.kind != "complete":
            return judge(question.kind, text, outcome.truth)
        found = None
        for piece in (fill_blank(question.source.text, text), text):
            expression = split_expression(piece)
            if expression is None:
                continue
            judged = judge_code(self.try_expression(question, expression[1]), outcome.truth)
            if judged.is_right:
                return judged
            found = found or judged
        return found or Judgement(False, explain_unreadable(fill_blank(question.source.text, text)))

    def try_expression(self, question, expression):
        """Evaluate a learner's expression without side effects; return the facts about its value."""
        before = Snapshot(self.session, None)
        try:
            outcome = self.unseen(self.with_text(question.source, f"({expression})"))
            for event in outcome.happened:
                self.raise_stop(event)
                if isinstance(event, events.Value):
                    outcome.value = event.value
            return facts.state_value(outcome.value) if outcome.error is None else facts.state_error(outcome.error)
        finally:
            before.compare()
            with contextlib.suppress(CannotUndo):
                before.restore()

    def with_text(self, source, text):
        """Make a source with other code at the same place."""
        return type(source)(text, source.filename)

    def show_failure(self, failure, may_raise):
        """Show why a line failed; in a language without explanations only PyTorch's message."""
        import tensh.support.language as language

        tokens = failures.render_short(failure)
        if language.current != language.ENGLISH:
            kind = failure.kind.rpartition(".")[2]
            tokens = [("error", kind), ("message", f": {failure.message}\n")]
        self.remark(tokens)

    def take(self, step, is_seen=False):
        """Execute a step, hidden by default."""
        if isinstance(step, Question):
            self.answer(step)
        elif hasattr(step, "source"):
            self.code(step, is_seen)


def explain_unreadable(code):
    """Explain to a learner why an answer cannot be read."""
    try:
        compile(code, "<answer>", "exec")
    except SyntaxError as error:
        return f"SyntaxError: {error.msg}"
    return _("write an expression")


def quote(source, shown, unit=None):
    """Yield (kind, text) pairs for code as at a prompt: from `shown` to the end of a unit, or all as one statement."""
    first, last = (unit.first, unit.last) if unit else (1, len(source.lines))
    for number in range(shown + 1, last + 1):
        if source.lines[number - 1].strip():
            yield "prompt", ">>> " if number <= first else "... "
            yield "code", visible_line(source.lines[number - 1]) + "\n"
