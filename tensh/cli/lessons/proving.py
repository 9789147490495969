"""Proving a lesson: its code runs, every question can be asked, and its own answers are judged right."""

from typing import NamedTuple

from tensh.cli.lessons.course import Course
from tensh.cli.lessons.model import Code, LessonError, Question
from tensh.cli.session import events
from tensh.support.language import _


class Proof(NamedTuple):
    """A question or a piece of code, and its fault ("" if there is none)."""

    label: str
    code: str
    line: int
    wrong: str
    answer: str = ""


def prove(env, options, lesson):
    """Yield a proof for each question, and for each piece of code that fails."""
    course = Course(env, options, lesson)
    with course.world():
        course.prepare()
        for step in lesson.steps:
            if isinstance(step, Code):
                yield from failures(course.unseen(step.source), step)
            elif isinstance(step, Question):
                yield proof(course, step)


def failures(outcome, step):
    """Yield a proof for each failure of code without a question."""
    for event in outcome.happened:
        if isinstance(event, events.Failed):
            failure = event.failure
            yield Proof(
                "code",
                step.source.text,
                0,
                _("it fails: {kind}: {message}").format(kind=failure.kind, message=failure.message),
            )


def proof(course, question):
    """Check that a question can be asked, and that its own answer is judged right."""
    wrong, answer = "", ""
    try:
        outcome = course.answer(question)
        answer = write_answer(question, outcome.truth)
        wrong = find_objection(course, question, outcome, answer)
    except LessonError as error:
        wrong = str(error)
    return Proof(f"{question.number}", question.draft, question.line, wrong, answer)


def find_objection(course, question, outcome, answer):
    """Describe the fault of a question, "" if there is none."""
    if question.kind != "fails" and outcome.error is not None:
        return _("it fails: {name}: {error}").format(name=type(outcome.error).__name__, error=outcome.error)
    if question.kind == "fails" and question.phrases and outcome.error is None:
        return _("it does not fail, but words for why it fails are given")
    if not course.judge(question, answer, outcome).is_right:
        return _("its own answer is judged wrong: {answer}").format(answer=answer)
    return ""


def write_answer(question, truth):
    """Write the right answer to a question as a learner might."""
    if question.kind == "complete":
        return question.solution
    if question.kind == "fails" or truth.error is not None:
        return "no" if truth.error is None else type(truth.error).__name__
    if question.kind == "shape" or truth.data is None and truth.name is None:
        return str(truth.shape)
    if question.kind == "dtype" and truth.dtype:
        return truth.dtype
    return truth.name if truth.data is None else str(truth.data.tolist())
