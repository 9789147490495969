"""`tensh learn`: list the lessons, play one, or grade answers."""

import tensh.support.language as language
from tensh.cli.lessons import shelf
from tensh.cli.lessons.model import LessonError
from tensh.cli.lessons.player import Player
from tensh.cli.lessons.progress import Keeper, Progress
from tensh.cli.lessons.screens import JsonScreen, LineScreen
from tensh.cli.process import status
from tensh.cli.render.console import Console
from tensh.show.drawing.text import cells, pad, wrap_lines
from tensh.support.escaping import dumps
from tensh.support.language import _

TITLES = 19  # columns before the titles of the list
WIDEST = 46  # columns for a title
NARROWEST = 10  # columns for a title in a narrow window


def show(env, options, wanted, request):
    """Carry out `tensh learn` in the requested language; return the exit status."""
    language.choose(request.language or language.current)
    if request.answers:
        from tensh.cli.lessons import grading

        return grading.show(env, options, wanted, request)
    if wanted is None:
        return show_list(env, options)
    lesson = shelf.find(wanted)
    return play(env, options, lesson, request)


def play(env, options, lesson, request):
    """Play a lesson; an interactive terminal resumes and saves progress."""
    keeper = Keeper(env.variables)
    is_kept = env.is_interactive and not options.json
    if request.restart:
        keeper.forget(lesson.key)
    progress = keeper.load(lesson.key, lesson.digest) if is_kept else Progress()
    if request.record:
        from tensh.cli.lessons import grading

        grading.record(request.record, lesson, {})  # fail before any answer is given, rather than after
    screen = JsonScreen(env) if options.json else LineScreen(env)
    player = Player(env, options, lesson, screen, lambda progress: keeper.save(lesson, progress) if is_kept else None)
    try:
        reached = player.play(progress)
    except LessonError as error:
        error.refuse(lesson.path)
    if reached.is_done and not options.json and lesson.key in shelf.NAMES[:-1]:
        following = shelf.NAMES[shelf.NAMES.index(lesson.key) + 1]
        Console(env).result([("note", _("next:          tensh learn {name}").format(name=following) + "\n")])
    if request.record:
        grading.record(request.record, lesson, player.answered)
    if keeper.complaint:
        Console(env).remark([("warning", _("progress was not saved: {why}").format(why=keeper.complaint) + "\n")])
    return status.OK


def show_list(env, options):
    """List the lessons and the learner's progress in each, without running any code."""
    keeper, console = Keeper(env.variables), Console(env)
    rows = [(number, name, shelf.title_of(name), keeper.load(name)) for number, name in enumerate(shelf.NAMES, 1)]
    if options.json:
        for number, name, title, progress in rows:
            facts = {"number": number, "name": name, "title": title, "is_done": progress.is_done}
            facts |= {"answered": len(progress.results), "questions": progress.questions, "right": progress.right}
            console.result([("plain", dumps({"v": 1, "kind": "lesson"} | facts) + "\n")])
        return status.OK
    console.result([("title", _("Lessons") + "\n\n")])
    width = env.width(env.stdout) if env.is_terminal(env.stdout) else None
    for number, name, title, progress in rows:
        stage = describe_stage(progress)
        padded = pad(title, WIDEST) if stage else title
        console.result([("plain", f"{number:3}  "), ("name", f"{name:{TITLES - 5}}")])
        if width is None or TITLES + cells(padded + stage) <= width:
            console.result([("plain", padded), ("note", stage + "\n")])
        else:
            lines = wrap_lines(f"{title} {stage}".rstrip(), max(width - TITLES, NARROWEST))
            console.result([("plain", f"\n{' ' * TITLES}".join(lines) + "\n")])
    following = next((name for _number, name, _title, progress in rows if not progress.is_done), shelf.NAMES[0])
    hints = (
        _("next:          tensh learn {name}").format(name=following),
        _("your own file: tensh learn FILE.md   (its code runs, as with tensh run)"),
    )
    lines = [line for hint in hints for line in (wrap_lines(hint, width) if width else [hint])]
    console.result([("plain", "\n" + "".join(f"{line.rstrip()}\n" for line in lines))])
    return status.OK


def describe_stage(progress):
    """Summarise the progress."""
    if not progress.questions:
        return ""
    if progress.is_done:
        return _("done, {right} of {count} right").format(right=progress.right, count=progress.questions)
    return _("{done} of {count}").format(done=len(progress.results), count=progress.questions)
