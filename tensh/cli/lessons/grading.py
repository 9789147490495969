"""Answers in files: written by `tensh learn --record`, or by hand, and graded by `tensh learn --answers`.

    lesson: tensors
    1: (5,)
    2: 2 x 3
    2: (3, 2)

A question's number may be repeated for further tries: the last one counts, and the first is graded, too. An answer to a
blank is code, which runs; other answers are only read.
"""

import re
import signal

from tensh.cli.files import reading
from tensh.cli.files.writing import write_text
from tensh.cli.learning.judging import Judgement
from tensh.cli.lessons import shelf
from tensh.cli.lessons.course import Course
from tensh.cli.lessons.model import LessonError, Question
from tensh.cli.lessons.player import put_in_words
from tensh.cli.lessons.screens import JsonScreen
from tensh.cli.process import status
from tensh.cli.programs.limits import TimeLimit, time_limit
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.support.escaping import dumps, visible_line
from tensh.support.language import _

LINE = re.compile(r"(?P<number>[0-9]{1,6})\s*[:.)\uff1a\uff09](?P<answer>.*)")  # also full-width
LESSON = re.compile(r"lesson\s*[:\uff1a](?P<lesson>.+)", re.IGNORECASE)
SECONDS = 10  # for the code of an answer
LARGEST = 2**20  # bytes of a file of answers


def read(path):
    """Return (name of the lesson or None, answers by number of the question); raise UsageError for other lines."""
    lesson, answers = None, {}
    for number, line in enumerate(reading.text(path, LARGEST).split("\n"), 1):
        line = line.strip()
        if found := LINE.match(line):
            answers.setdefault(int(found["number"]), []).append(found["answer"].strip())
        elif found := LESSON.match(line):
            lesson = found["lesson"].strip()
        elif line and not line.startswith("#"):
            raise UsageError(_("{path}:{number}: expected  NUMBER: ANSWER").format(path=path, number=number))
    return lesson, {number: [text for text in tries if text] for number, tries in answers.items()}


def record(path, lesson, answered):
    """Write a learner's answers to a file."""
    lines = [f"lesson: {lesson.key}\n"]
    lines += [f"{number}: {text}\n" for number, each in sorted(answered.items()) for text in each.answers]
    try:
        write_text(path, lines)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def show(env, options, wanted, request):
    """Grade each file; return the exit status."""
    console, done = Console(env), status.OK
    for path in request.answers:
        try:
            grade_file(console, env, options, path, wanted)
        except UsageError as error:
            console.remark([("message", visible_line(str(error)) + "\n")])
            done = status.USAGE
    return done


def grade_file(console, env, options, path, wanted):
    """Grade a file; raise UsageError if it holds no valid answers, or its lesson does not exist."""
    name, answers = read(path)
    if wanted is None and name is None:
        raise UsageError(
            _("{path}: does not name a lesson: use tensh learn LESSON --answers FILE, or a line  lesson: NAME").format(
                path=path
            )
        )
    lesson = shelf.find(wanted or name)
    try:
        report(console, options, path, lesson, grade_answers(env, options, lesson, answers))
    except LessonError as error:
        error.refuse(lesson.path)


def grade_answers(env, options, lesson, answers):
    """Yield (question, answers, whether the last is right, whether the first is, hint for the last) of each question."""
    beyond = sorted(set(answers) - {question.number for question in lesson.questions})
    if beyond:
        raise UsageError(
            _("{path}: the lesson has {questions} questions, but there is an answer to question {beyond}").format(
                path=lesson.path, questions=len(lesson.questions), beyond=beyond[0]
            )
        )
    course = Course(JsonScreen(env).environment(env), options, lesson)
    with course.world():
        course.prepare()
        for step in lesson.steps:
            if not isinstance(step, Question):
                course.take(step)
                continue
            outcome = course.answer(step)
            tries = answers.get(step.number, [])
            judged = [judge_in_time(course, step, text, outcome) for text in tries]
            yield (
                step,
                tries,
                bool(judged and judged[-1].is_right),
                bool(judged and judged[0].is_right),
                judged[-1].hint if judged else "",
            )


def judge_in_time(course, question, text, outcome):
    """Judge an answer; code that fills a blank must end within SECONDS."""
    try:
        with time_limit(SECONDS if question.kind == "complete" and hasattr(signal, "setitimer") else None):
            return course.judge(question, text, outcome)
    except TimeLimit:
        return Judgement(False, _("it does not end"))


def report(console, options, path, lesson, found):
    """Write the grades of a file."""
    found = [*found]
    right, at_once = sum(each[2] for each in found), sum(each[3] for each in found)
    if options.json:
        for question, tries, is_right, was_right, hint in found:
            facts = {"file": path, "number": question.number, "asks": question.kind, "code": question.draft}
            facts |= {"answers": tries, "right": is_right, "at_once": was_right, "hint": hint}
            console.result([("plain", dumps({"v": 1, "kind": "grade"} | facts) + "\n")])
        facts = {"file": path, "lesson": lesson.title, "right": right, "at_once": at_once, "questions": len(found)}
        console.result([("plain", dumps({"v": 1, "kind": "grades"} | facts) + "\n")])
        return
    text = _("{right} of {count} right, {once} at the first attempt").format(
        right=right, count=len(found), once=at_once
    )
    console.result([("title", visible_line(path)), ("plain", f"  {visible_line(lesson.title)}: {text}\n")])
    for question, tries, is_right, _was_right, hint in found:
        if not is_right:
            given = visible_line(tries[-1]) if tries else _("no answer")
            line = f"  {question.number:>2}  {given}" + (f"   ({visible_line(hint)})" if hint else "")
            console.result([("plain", line + "\n"), ("note", f"      {visible_line(put_in_words(question))}\n")])
