"""Lessons that are played without a terminal, and their answers."""

import io
import json

from tensh.cli.lessons.course import Course
from tensh.cli.lessons.model import Question
from tensh.cli.lessons.proving import write_answer
from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import Options
from tests.support.command_line import Done


def find_right_answers(lesson):
    """Yield (question, right answer) of each question, found by running the lesson."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={}, color="never")
    course = Course(env, Options(), lesson)
    with env.install(), course.world():
        course.prepare()
        for step in lesson.steps:
            if isinstance(step, Question):
                yield step, write_answer(step, course.answer(step).truth)
            else:
                course.take(step)


def wrong_answer(question, right):
    """An answer that is wrong for any kind of question."""
    if right.startswith("("):
        return "(7, 7, 7, 7, 7)"
    return {
        "shape": "(7, 7, 7, 7, 7)",
        "dtype": "complex64" if right != "complex64" else "bool",
        "fails": "no" if right != "no" else "RuntimeError",
        "complete": "nothing_of_that_name",
    }.get(question.kind, "[[987.5, 0]]" if right not in ("None",) else "987.5")


def played(name, lines, *options, **variables):
    """The objects that a lesson writes with --json, for lines of answers."""
    done = Done("learn", name, "--json", *options, stdin="".join(f"{line}\n" for line in lines), **variables)
    assert done.status == 0, done
    return [json.loads(line) for line in done.output.splitlines()]


def kinds(objects, kind):
    """The objects of a kind."""
    return [each for each in objects if each["kind"] == kind]
