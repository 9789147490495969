"""The lessons that come with tensh: each is passed from end to end, with right and with wrong answers, in each language."""

import re

import pytest

import tensh.support.language as language
from tensh.cli.lessons import format, shelf
from tensh.cli.lessons.model import Code, Question, Text
from tensh.cli.lessons.player import TRIES, put_in_words
from tensh.show.drawing.prose import WIDEST, lines_of
from tensh.show.drawing.text import cells
from tensh.support.language import ENGLISH, LANGUAGES
from tests.cli.lessons.playing import find_right_answers, kinds, played, wrong_answer
from tests.support.command_line import Done
from tests.support.sampling import few_of

EVERY = [(code, name) for code in LANGUAGES for name in shelf.NAMES]
LINES = 14  # of a paragraph at most, above a question in a window of 24 lines
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def english():
    yield
    language.choose(ENGLISH)


def lesson_in(code, name):
    language.choose(code)
    return format.load(shelf.path_of(name), key=name)


@pytest.mark.parametrize(("code", "name"), few_of(EVERY, every=3))
def test_right_answers_pass(code, name):
    answers = [right for _question, right in find_right_answers(lesson_in(code, name))]
    objects = played(name, answers, "--language", code)
    end = objects[-1]
    assert end["is_done"] and end["right"] == end["questions"] == len(answers)
    assert not kinds(objects, "wrong") and not kinds(objects, "note")


@pytest.mark.parametrize(("code", "name"), few_of(EVERY, every=3))
def test_wrong_answers_get_hints_and_then_right_ones_count(code, name):
    found = [*find_right_answers(lesson_in(code, name))]
    lines = [line for question, right in found for line in (wrong_answer(question, right), right)]
    objects = played(name, lines, "--language", code)
    wrong = kinds(objects, "wrong")
    assert [each["number"] for each in wrong] == [question.number for question, _right in found]
    assert all(each["hint"].strip() for each in wrong)
    assert objects[-1]["is_done"] and objects[-1]["right"] == len(found)


@pytest.mark.thorough
@pytest.mark.parametrize(("code", "name"), EVERY)
def test_whoever_knows_nothing_is_shown_everything(code, name):
    found = [*find_right_answers(lesson_in(code, name))]
    lines = [line for question, right in found for line in [wrong_answer(question, right)] * TRIES]
    objects = played(name, lines, "--language", code)
    assert {each["result"] for each in kinds(objects, "answer")} == {"shown"}
    assert objects[-1]["is_done"] and objects[-1]["right"] == 0


@pytest.mark.parametrize("name", shelf.NAMES)
def test_a_lesson_runs_the_same_code_and_asks_the_same_in_each_language(name):
    lessons = [lesson_in(code, name) for code in LANGUAGES]
    codes = [[(each.kind, each.source.text, each.solution, each.about) if isinstance(each, Question) else each.source.text
              for each in lesson.steps if not isinstance(each, Text)] for lesson in lessons]  # fmt: skip
    assert all(each == codes[0] for each in codes)
    assert len({sum(isinstance(step, Text) for step in lesson.steps) for lesson in lessons}) == 1
    assert len({tuple(len(each.hints) for each in lesson.questions) for lesson in lessons}) == 1


@pytest.mark.parametrize(("code", "name"), EVERY)
def test_a_lesson_asks_often_and_tells_little_at_once(code, name):
    lesson = lesson_in(code, name)
    assert 8 <= len(lesson.questions) <= 14
    told = [step for step in lesson.steps if isinstance(step, Text)]
    for step in told:
        lines = ["".join(text for _kind, text in line) for line in lines_of(step.text, 80)]
        assert len(lines) <= LINES and all(cells(line) <= WIDEST for line in lines), step.text
    for step in lesson.steps:
        if isinstance(step, Code | Question):
            assert all(len(line) <= 76 for line in step.source.lines), step.source.text
    words = [lesson.title, *(step.text for step in told), *(put_in_words(each) for each in lesson.questions)]
    words += [hint for each in lesson.questions for hint in each.hints]
    is_ours = [bool(CHINESE.search(text)) for text in words]
    assert all(is_ours) if code == "zh" else not any(is_ours)


@pytest.mark.parametrize("name", shelf.NAMES)
def test_the_check_proves_a_lesson(name):
    done = Done("check", shelf.path_of(name))
    assert done.status == 0 and "WRONG" not in done.output


def test_the_list_runs_no_lesson_and_knows_each():
    done = Done("learn")
    assert done.status == 0 and all(name in done.output for name in shelf.NAMES)
    assert all(Done("learn", str(number), stdin="quit\n").status == 0 for number in range(1, len(shelf.NAMES) + 1))


def test_the_end_of_a_lesson_names_the_next():
    lines = [right for _question, right in find_right_answers(lesson_in(ENGLISH, "tensors"))]
    done = Done("learn", "tensors", stdin="".join(f"{line}\n" for line in lines))
    assert done.output.rstrip().endswith(f"tensh learn {shelf.NAMES[1]}")
