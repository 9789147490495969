"""Going through a lesson: text, code, questions that are asked before the answer is shown."""

from typing import NamedTuple

from tensh.cli.lessons.course import Course
from tensh.cli.lessons.model import Code, Question, Text
from tensh.cli.lessons.progress import RIGHT, SHOWN, SKIPPED, Progress
from tensh.language import _

TRIES = 3  # wrong answers after which the right one is shown
COMMANDS = {
    "skip": frozenset(("skip", "跳过")),
    "back": frozenset(("back", "返回", "上一题")),
    "hint": frozenset(("hint", "提示")),
    "quit": frozenset(("quit", "exit", "quit()", "exit()", "退出")),
    "help": frozenset(("help", "?", "帮助")),
}


class Leave(Exception):
    """Raised when the learner leaves."""


class Back(Exception):
    """Raised when the learner asks for the previous question again."""


class Answer(NamedTuple):
    """One question: its number, what was answered, and what became of it (RIGHT, SHOWN or SKIPPED)."""

    question: Question
    answers: list
    result: str


class Player:
    """Player of a lesson on a screen; `keep` is called with the progress after each question."""

    def __init__(self, env, options, lesson, screen, keep=lambda progress: None):
        self.env = env
        self.options = options
        self.lesson = lesson
        self.screen = screen
        self.keep = keep
        self.answered = {}

    def play(self, progress):
        """Play from a progress to the end, or until the learner leaves; return the progress then."""
        progress = Progress() if progress.is_done else progress
        self.screen.begin(self.lesson, progress)
        counts = {"questions": len(self.lesson.questions), "steps": len(self.lesson.steps)}
        self.progress = progress._replace(results={**progress.results}, **counts)
        while True:
            try:
                self.from_step(self.progress.at)
                self.screen.end(self.lesson, self.progress)
            except Back:
                self.progress = self.progress._replace(at=self.find_step_before(self.progress.at))
                self.keep(self.progress)
                self.screen.go_back()
                continue
            except (Leave, EOFError, KeyboardInterrupt):
                self.screen.leave(self.lesson, self.progress)
            return self.progress

    def find_step_before(self, at):
        """The step after the last question but one, where a learner who goes back begins."""
        asked = [number for number, step in enumerate(self.lesson.steps[:at]) if isinstance(step, Question)]
        return asked[-2] + 1 if len(asked) > 1 else 0

    def from_step(self, at):
        """Take the steps from a place on; those before it run unseen."""
        course = Course(self.screen.environment(self.env), self.options, self.lesson)
        self.screen.follow(course)
        with course.world():
            course.prepare()
            for step in self.lesson.steps[:at]:
                course.take(step)
            for number in range(at, len(self.lesson.steps)):
                step = self.lesson.steps[number]
                if isinstance(step, Text):
                    self.screen.text(step)
                elif isinstance(step, Code):
                    self.screen.code(course, step)
                else:
                    self.ask(course, step)
                    self.note(number + 1)
            self.note(len(self.lesson.steps))

    def note(self, at):
        """Keep the learner's progress."""
        self.progress = self.progress._replace(at=at)
        self.keep(self.progress)

    # ── a question ───────────────────────────────────────────────────────────

    def ask(self, course, question):
        """Ask until the answer is right, shown or skipped."""
        outcome = course.answer(question)
        self.screen.question(self.lesson, question)
        answers, result = [], SHOWN
        while len(answers) < TRIES:
            text = self.screen.read(question).strip()
            command = next((name for name, words in COMMANDS.items() if text.lower() in words), None)
            if command == "quit":
                raise Leave
            if command == "back":
                raise Back
            if command == "skip":
                result = SKIPPED
                break
            if command or not text:
                self.screen.tell(choose_hint(question) if command == "hint" else describe_commands())
                continue
            judged = course.judge(question, text, outcome)
            if not judged.is_answer:
                self.screen.tell(judged.hint)
                continue
            answers.append(text)
            self.answered[question.number] = Answer(question, answers, result)  # tries of one who leaves count, too
            if judged.is_right:
                result = RIGHT
                break
            self.screen.wrong(question, text, self.hint(question, judged, len(answers)), TRIES - len(answers))
        self.answered[question.number] = Answer(question, answers, result)
        self.progress.results[str(question.number)] = result
        self.screen.answer(course, question, outcome, self.answered[question.number])

    def hint(self, question, judged, tries):
        """The hint after a wrong answer: its fault, and the teacher's hint after so many answers."""
        own = question.hints[tries - 1] if tries <= min(len(question.hints), TRIES - 1) else ""
        return "\n".join(filter(None, (judged.hint, own)))


def choose_hint(question):
    """Choose the teacher's hint for a question."""
    return question.hints[0] if question.hints else _("there is no hint: try an answer, it will be looked at")


def describe_commands():
    """Describe the commands that can be written instead of an answer."""
    return _("an answer, or: hint, skip (shows the answer), back (the question before), quit (you can go on later)")


def put_in_words(question):
    """The question in words."""
    if question.words:
        return question.words
    about = question.about or " ".join(line.strip() for line in question.draft.split("\n"))
    asked = {
        "shape": _("What is the shape of `{code}`?"),
        "dtype": _("What is the dtype of `{code}`?"),
        "value": _("What is the value of `{code}`?"),
        "grad": _("What is the gradient `{code}`?"),
        "fails": _("Does this fail? Write no, or why it does."),
        "complete": _("What belongs in the blank?"),
    }[question.kind]
    return asked.format(code=about)
