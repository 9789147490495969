"""The command that shows graphs."""

from enum import Enum
from functools import partial
from typing import Annotated, NamedTuple

import typer

from tensh.cli.commands.shared import add_options, environment, option
from tensh.cli.programs.options import Options, UsageError
from tensh.graph.formats import FORMATS, VIEWS
from tensh.support.language import _

CHOICES = {"view": VIEWS, "mode": ("forward", "reverse"), "format": FORMATS}
View, Mode, Format = (Enum(name.title(), {each: each for each in names}) for name, names in CHOICES.items())


class Request(NamedTuple):
    """The requested graph, and how to show it."""

    name: str | None = None
    view: str = "auto"
    format: str | None = None  # default: by the extension of the output file
    values: bool = False
    grads: bool = False
    types: bool = False
    formulas: bool = False
    depth: int | None = None
    focus: str | None = None
    why: str | None = None
    whole: bool = False
    steps: bool = False
    mode: str | None = None
    static: bool = False
    compiled: bool = False
    output: str | None = None


OPTIONS = [
    option("view", View, "--view", None, "The layout.", default=View.auto),
    option("format", Format | None, "--format", None, "The output format; by default, that of the file extension."),
    option("values", bool, "--values", None, "Show values where they are known."),
    option("grads", bool, "--grads", None, "Show retained gradients."),
    option("types", bool, "--types", None, "Show dtypes."),
    option("formulas", bool, "--formulas", None, "Show the formula of each operand's gradient."),
    option("depth", int | None, "--depth", "N", "Show at most N levels of a tree.", min=1),
    option("focus", str | None, "--focus", "NAME", "Show only the nodes that lead to NAME."),
    option("why", str | None, "--why", "NAME", "Explain NAME's gradient by the chain rule."),
    option("whole", bool, "--whole", None, "Do not fold repeated blocks."),
    option("steps", bool, "--steps", None, "Show a backward pass, node by node."),
    option("mode", Mode | None, "--mode", None, "Show derivatives by forward or reverse accumulation."),
    option("static", bool, "--static", None, "Show the captured program, before and after optimization."),
    option("compiled", bool, "--compiled", None, "Show the source generated from the captured program."),
    option("output", str | None, "-o --output", "FILE", "Write the output to a file."),
]


@add_options
@partial(add_options, declared=OPTIONS, kind=Request, name="request")
def graph_(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE] [NAME]", help="A script and a tensor of it; by default, the one computed last."),
    ] = None,
    code: Annotated[list[str] | None, typer.Option("-c", metavar="CODE", help="Code instead of a file.")] = None,
    *,
    request: Request,
    options: Options,
):
    """Show the autograd graph behind a tensor of a program.

    The root comes first, with its operands below it; names are those of the program.
    """
    from tensh.cli.actions import graphs
    from tensh.cli.programs import program

    options = options.complete_from(ctx.obj["options"])
    if options.json or options.json_full:
        raise UsageError(_("tensh graph: for a graph as JSON, use --format json"))
    file, name = graph_of(words or [], code)
    found = program.from_codes(code) if code else program.from_file(file)
    return partial(graphs.show, environment(ctx, options), options, found, request._replace(name=name))


def graph_of(words, code):
    """Return (file or None, name of the tensor or None) from the arguments after `graph`."""
    if len(words) > (1 if code else 2):
        raise UsageError(
            _("tensh graph: unexpected {words}; use tensh graph FILE [NAME], or tensh graph -c CODE [NAME]").format(
                words=words[-1]
            )
        )
    if code:
        return None, words[0] if words else None
    if not words:
        raise UsageError(_("tensh graph: no program; use tensh graph FILE [NAME], or tensh graph -c CODE [NAME]"))
    return words[0], words[1] if len(words) == 2 else None
