"""Playing a lesson: text, code, and questions asked before the answer is shown."""

from typing import NamedTuple

from tensh.cli.lessons.course import Course
from tensh.cli.lessons.model import Code, Question, Text
from tensh.cli.lessons.progress import RIGHT, SHOWN, SKIPPED, Progress
from tensh.support.language import _

TRIES = 3  # wrong answers before the right one is shown
COMMANDS = {
    "skip": frozenset(("skip", "跳过")),
    "back": frozenset(("back", "返回", "上一题")),
    "hint": frozenset(("hint", "提示")),
    "quit": frozenset(("quit", "exit", "quit()", "exit()", "退出")),
    "help": frozenset(("help", "?", "帮助")),
}


class Leave(Exception):
    """Raised when the learner quits."""


class Back(Exception):
    """Raised when the learner goes back to the previous question."""


class Answer(NamedTuple):
    """A question, the answers to it, and the result: RIGHT, SHOWN or SKIPPED."""

    question: Question
    answers: list
    result: str


class Player:
    """Plays a lesson on a screen; calls `keep` with the progress after each question."""

    def __init__(self, env, options, lesson, screen, keep=lambda progress: None):
        self.env = env
        self.options = options
        self.lesson = lesson
        self.screen = screen
        self.keep = keep
        self.answered = {}

    def play(self, progress):
        """Play on from a progress until the end or until the learner quits; return the new progress."""
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
        """Return the step after the last question but one, from which a learner who goes back resumes."""
        asked = [number for number, step in enumerate(self.lesson.steps[:at]) if isinstance(step, Question)]
        return asked[-2] + 1 if len(asked) > 1 else 0

    def from_step(self, at):
        """Play the steps from one on, after running those before it hidden."""
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
        """Save the learner's progress."""
        self.progress = self.progress._replace(at=at)
        self.keep(self.progress)

    # ── a question ───────────────────────────────────────────────────────────

    def ask(self, course, question):
        """Ask until the question is answered, shown or skipped."""
        outcome = course.answer(question)
        self.screen.question(self.lesson, question)
        answers, result, last = [], SHOWN, ""
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
                self.screen.tell(last or choose_hint(question) if command == "hint" else describe_commands())
                continue
            judged = course.judge(question, text, outcome)
            if not judged.is_answer:
                self.screen.tell(judged.hint)
                continue
            answers.append(text)
            # keep the tries of a learner who quits now
            self.answered[question.number] = Answer(question, answers, result)
            if judged.is_right:
                result = RIGHT
                break
            last = self.hint(question, judged, len(answers))
            self.screen.wrong(question, text, last, TRIES - len(answers))
        self.answered[question.number] = Answer(question, answers, result)
        self.progress.results[str(question.number)] = result
        self.screen.answer(course, question, outcome, self.answered[question.number])

    def hint(self, question, judged, tries):
        """Return the hint after a wrong answer: what is wrong with it, and the author's hint for this number of tries."""
        own = question.hints[tries - 1] if tries <= min(len(question.hints), TRIES - 1) else ""
        return "\n".join(filter(None, (judged.hint, own)))


def choose_hint(question):
    """Return the author's first hint for a question."""
    return question.hints[0] if question.hints else _("there is no hint: try an answer, and get a comment on it")


def describe_commands():
    """Describe the commands that can be typed instead of an answer."""
    return _("an answer, or: hint, skip (shows the answer), back (previous question), quit (you can continue later)")


def put_in_words(question):
    """Put a question in words."""
    if question.words:
        return question.words
    about = question.about or " ".join(line.strip() for line in question.draft.split("\n"))
    asked = {
        "shape": _("What is the shape of `{code}`?"),
        "dtype": _("What is the dtype of `{code}`?"),
        "value": _("What is the value of `{code}`?"),
        "grad": _("What is the gradient `{code}`?"),
        "fails": _("Does this fail? Answer no, or say why."),
        "complete": _("What belongs in the blank?"),
    }[question.kind]
    return asked.format(code=about)
