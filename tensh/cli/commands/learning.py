"""The command for learners and teachers: lessons, and grading of answers."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import Language, environment, speak
from tensh.cli.programs.options import Options


def learn_(
    ctx: typer.Context,
    lesson: Annotated[
        str | None, typer.Argument(metavar="[LESSON]", help="A name or number of the list, or a .md or .tsh file.")
    ] = None,
    language: Annotated[
        Language | None,
        typer.Option(
            "--language",
            is_eager=True,
            callback=speak,
            help="The language; by default, that of TENSH_LANGUAGE or the locale.",
        ),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Start over.")] = False,
    answers: Annotated[
        list[str] | None, typer.Option("--answers", metavar="FILE", help="Grade this file of answers; may be repeated.")
    ] = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="FILE", help="Write your answers to this file, for --answers.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Write no escape sequences.")] = False,
):
    """Learn in lessons that ask before they tell. Without a lesson, list them with your progress.

    An answer is judged by its value: (3, 2), [3, 2] and 3 x 2 are the same shape. Leave whenever you like: the same command
    continues where you were. Running a lesson runs the code in its file, as tensh run does; listing lessons runs none.
    """
    from tensh.cli.lessons import learn
    from tensh.cli.lessons.request import Request

    given = ctx.obj["options"]
    options = Options(json=json or given.json, plain=plain or given.plain).complete_from(given)
    request = Request(language.value if language else None, restart, tuple(answers or ()), record)
    return partial(learn.show, environment(ctx, options), options, lesson, request)
