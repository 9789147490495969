"""The command that shows graphs."""

from enum import Enum
from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import add_options, environment
from tensh.cli.programs.options import Options, UsageError
from tensh.graph.formats import FORMATS, VIEWS
from tensh.support.language import _

CHOICES = {"view": VIEWS, "mode": ("forward", "reverse"), "format": FORMATS}
View, Mode, Format = (Enum(name.title(), {each: each for each in names}) for name, names in CHOICES.items())


@add_options
def graph_(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE] [NAME]", help="A script and a tensor of it; by default, the one computed last."),
    ] = None,
    code: Annotated[list[str] | None, typer.Option("-c", metavar="CODE", help="Code instead of a file.")] = None,
    view: Annotated[View, typer.Option("--view", help="The layout.")] = View.auto,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="The output format; by default, that of the file extension."),
    ] = None,
    values: Annotated[bool, typer.Option("--values", help="Show values where they are known.")] = False,
    grads: Annotated[bool, typer.Option("--grads", help="Show retained gradients.")] = False,
    types: Annotated[bool, typer.Option("--types", help="Show dtypes.")] = False,
    formulas: Annotated[bool, typer.Option("--formulas", help="Show the formula of each operand's gradient.")] = False,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", help="Show at most N levels of a tree.", min=1)
    ] = None,
    focus: Annotated[
        str | None, typer.Option("--focus", metavar="NAME", help="Show only the nodes that lead to NAME.")
    ] = None,
    why: Annotated[
        str | None, typer.Option("--why", metavar="NAME", help="Explain NAME's gradient by the chain rule.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Do not fold repeated blocks.")] = False,
    steps: Annotated[bool, typer.Option("--steps", help="Show a backward pass, node by node.")] = False,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="Show derivatives by forward or reverse accumulation.")
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Show the captured program, before and after optimization.")
    ] = False,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Show the source generated from the captured program.")
    ] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the output to a file.")
    ] = None,
    *,
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
    request = graphs.Request(
        name, view.value, form and form.value, values, grads, types, formulas, depth, focus, whole, output, why,
        steps, mode and mode.value, static, compiled,
    )  # fmt: skip
    return partial(graphs.show, environment(ctx, options), options, found, request)


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
