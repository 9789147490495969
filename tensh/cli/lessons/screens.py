"""The front ends of a lesson: lines for a reader, and JSON objects for another program."""

import io

from tensh.cli.lessons.course import quote
from tensh.cli.lessons.player import put_in_words
from tensh.cli.lessons.progress import RIGHT, SKIPPED
from tensh.cli.process.environment import Environment
from tensh.cli.process.typed_line import read_typed_line
from tensh.cli.render.console import Console
from tensh.show.drawing.prose import lines_of
from tensh.show.drawing.text import wrap_lines
from tensh.support.escaping import dumps, visible_line
from tensh.support.language import _

ROOM = 4  # lines of the window kept free below a new piece


class LineScreen:
    """Lines on a terminal or into a pipe. A terminal pauses before unread lines would scroll away."""

    def __init__(self, env):
        self.env = env
        self.console = CountingConsole(env)
        self.is_window = env.is_interactive
        self.is_in_code = False  # whether the previous line is code, which a question continues

    def environment(self, env):
        """Return the environment in which the code runs."""
        return env

    def follow(self, course):
        """Count the lines that a course writes, too."""
        self.console.chosen = course.session
        course.console = self.console

    def say(self, *tokens):
        """Write a line."""
        self.console.result([*tokens, ("plain", "\n")])

    def remark(self, kind, text):
        """Write a sentence, wrapped between words in a window."""
        for line in wrap_lines(text, self.env.width(self.env.stdout) - 1) if self.is_window else [text]:
            self.say((kind, line))

    def begin(self, lesson, progress):
        """Show the title, and the progress of a returning learner."""
        self.say(("title", visible_line(lesson.title)))
        count = len(lesson.questions)
        if count == 1:
            facts = _("1 question; instead of an answer: hint, skip, back, quit")
        else:
            facts = _("{count} questions; instead of an answer: hint, skip, back, quit").format(count=count)
        self.remark("note", facts)
        if progress.at:
            number = 1 + sum(1 for step in lesson.steps[: progress.at] if hasattr(step, "number"))
            text = _("continuing at question {number} of {count}")
            self.remark("note", text.format(number=min(number, count), count=count))

    def text(self, step):
        """Show prose after an empty line."""
        lines = [*lines_of(step.text, self.env.width(self.env.stdout))]
        self.wait_for(len(lines) + 1)
        self.is_in_code = False
        self.say()
        for line in lines:
            self.say(*([("title", "".join(text for _kind, text in line))] if step.level else line))

    def wait_for(self, count):
        """Pause if more lines would push unread ones off the screen."""
        height = self.console.height() if self.is_window else None
        if height and self.console.lines and self.console.lines + count > height - ROOM:
            self.read_line(_("-- Enter: continue -- "))

    def code(self, course, step):
        """Show code and its results."""
        self.wait_for(2 * len(step.source.lines) + 1)
        self.say()
        course.code(step)
        self.is_in_code = True

    def question(self, lesson, question):
        """Show the code of a question, and the question."""
        lines = [*lines_of(put_in_words(question), self.env.width(self.env.stdout) - 8)]
        self.wait_for(len(lines) + len(question.source.lines) + 2)
        if not self.is_in_code:
            self.say()
        self.is_in_code = False
        self.console.result(quote(question.source, 0))
        number = f"{question.number}/{len(lesson.questions)}  "
        for line in lines:
            self.say(("keyword", number), *line)
            number = " " * len(number)

    def read(self, question):
        """Read an answer."""
        return self.read_line("? ")

    def read_line(self, prompt):
        """Read a typed line; raise EOFError at the end of the input."""
        if self.env.is_interactive:
            self.env.stdout.flush()
            text = read_typed_line(prompt)
        else:
            self.console.result([("prompt", prompt)])
            self.env.stdout.flush()
            text = next_line(self.env.stdin)
            self.say(("plain", text or ""))
            if text is None:
                raise EOFError
        self.console.lines = 0
        return text

    def tell(self, text):
        """Write a note, such as the commands."""
        self.write_indented(text)

    def wrong(self, question, text, hint, left):
        """Write the hint after a wrong answer."""
        lines = hint.split("\n")
        begin = _("not yet: ") if left else _("no: ")
        self.write_indented(begin + lines[0])
        for line in lines[1:]:
            self.write_indented(line)

    def write_indented(self, text):
        """Write prose indented by two columns."""
        for line in lines_of(text, self.env.width(self.env.stdout) - 2):
            self.say(("plain", "  "), *line)

    def answer(self, course, question, outcome, answered):
        """Show the verdict, the answer and the result of the code."""
        if answered.result == RIGHT:
            self.say(("string", "  " + (_("right") if len(answered.answers) == 1 else _("right this time"))))
        else:
            text = _("skipped; this is the answer:") if answered.result == SKIPPED else _("this is the answer:")
            self.say(("note", "  " + text))
            self.answer_line(question, outcome)
        course.reveal(question, outcome)

    def answer_line(self, question, outcome):
        """Write the answer in a line if the output of the code does not show it."""
        truth = outcome.truth
        if question.kind == "shape" and truth.error is None:
            self.say(("plain", f"  {truth.shape}"))
        elif question.kind == "dtype" and truth.error is None:
            self.say(("plain", f"  {truth.dtype or truth.name}"))
        elif question.kind == "fails" and truth.error is None:
            self.say(("plain", "  " + _("it does not fail")))
        elif question.kind in ("value", "grad") and truth.name == "None":
            self.say(("plain", "  None"))

    def go_back(self):
        """Announce the previous question."""
        self.say(("note", "\n" + _("-- back --")))

    def leave(self, lesson, progress):
        """Say goodbye to a learner who quits."""
        done = len(progress.results)
        text = _("{done} of {count} answered; run the same command to continue")
        self.say()
        self.remark("note", text.format(done=done, count=len(lesson.questions)))

    def end(self, lesson, progress):
        """Show that the lesson is complete."""
        text = _("done: {right} of {count} right without seeing the answer")
        self.say()
        self.remark("keyword", text.format(right=progress.right, count=len(lesson.questions)))


def next_line(stdin):
    """Return the next line of stdin; None at its end, or if it cannot be read."""
    try:
        line = stdin.readline()
    except (OSError, ValueError):  # a folder, or closed, as by `exit()` in a lesson
        return None
    return line.rstrip("\r\n") if line else None


class CountingConsole(Console):
    """A console that counts the lines since the reader's last pause."""

    lines = 0

    def result(self, tokens):
        tokens = [*tokens]
        self.lines += sum(text.count("\n") for _kind, text in tokens)
        super().result(tokens)

    def remark(self, tokens):
        tokens = [*tokens]
        self.lines += sum(text.count("\n") for _kind, text in tokens)
        super().remark(tokens)


class JsonScreen:
    """JSON objects, one per line; answers are lines of stdin."""

    def __init__(self, env):
        self.env = env
        self.shown = io.StringIO()
        self.console = Console(env)

    def environment(self, env):
        """Return an environment that captures the output of the code."""
        return Environment(env.stdin, self.shown, self.shown, variables={}, color="never")

    def follow(self, course):
        """Do nothing: there is no need to count lines."""

    def write(self, kind, **facts):
        """Write an object."""
        self.console.result([("plain", dumps({"v": 1, "kind": kind} | facts) + "\n")])
        self.env.stdout.flush()

    def output(self):
        """Return the output since the last call."""
        text = self.shown.getvalue()
        self.shown.seek(0)
        self.shown.truncate()
        return text

    def begin(self, lesson, progress):
        self.write("lesson", title=lesson.title, questions=len(lesson.questions), at=progress.at)

    def text(self, step):
        self.write("text", text=step.text, level=step.level)

    def code(self, course, step):
        course.code(step)
        self.write("code", code=step.source.text, output=self.output())

    def question(self, lesson, question):
        facts = {"number": question.number, "asks": question.kind, "code": question.draft, "about": question.about}
        self.write("question", **facts, text=put_in_words(question))

    def read(self, question):
        text = next_line(self.env.stdin)
        if text is None:
            raise EOFError
        return text

    def tell(self, text):
        self.write("note", text=text)

    def wrong(self, question, text, hint, left):
        self.write("wrong", number=question.number, answer=text, hint=hint, left=left)

    def answer(self, course, question, outcome, answered):
        course.reveal(question, outcome)
        facts = {"number": question.number, "result": answered.result, "answers": answered.answers}
        self.write("answer", **facts, output=self.output())

    def go_back(self):
        self.write("back")

    def leave(self, lesson, progress):
        self.write(
            "end", is_done=False, right=progress.right, answered=len(progress.results), questions=len(lesson.questions)
        )

    def end(self, lesson, progress):
        self.write(
            "end", is_done=True, right=progress.right, answered=len(progress.results), questions=len(lesson.questions)
        )
