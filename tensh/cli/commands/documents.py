"""The commands for documents: check their output, and convert between formats."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import add_options, environment, number_of
from tensh.cli.programs.options import Options, UsageError
from tensh.support.language import _


@add_options
def check_(
    ctx: typer.Context,
    patterns: Annotated[
        list[str], typer.Argument(metavar="FILE...", help=".ipynb, .md, .tsh and .py files, folders, or patterns.")
    ],
    update: Annotated[bool, typer.Option("--update", help="Accept the new outputs: write them to the file.")] = False,
    write: Annotated[str | None, typer.Option("--write", metavar="FILE", help="Write the executed file here.")] = None,
    lax: Annotated[bool, typer.Option("--lax", help="Check for errors only; ignore outputs.")] = False,
    rtol: Annotated[
        float | None,
        typer.Option("--rtol", metavar="R", callback=number_of("--rtol"), help="Relative tolerance of numbers."),
    ] = None,
    atol: Annotated[
        float | None,
        typer.Option("--atol", metavar="A", callback=number_of("--atol"), help="Absolute tolerance of numbers."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="torch", help="Compare with PyTorch instead: torch, or a Python that has it."
        ),
    ] = None,
    *,
    options: Options,
):
    """Run the code of documents again and compare its output with the stored output.

    Notebooks store outputs in cells, Markdown in a block after the code or a session with >>>, scripts in lines with #>.

    Numbers may differ by the tolerance of their dtype. The status is 3 if a cell differs.
    """
    from tensh.cli.checking import check

    options = options.complete_from(ctx.obj["options"])
    request = check.Request(check.Limits(lax, rtol, atol), update, write, json or options.json, against)
    return partial(check.show, environment(ctx, options), options, patterns, request)


def convert_(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A .tsh, .py, .ipynb or .md file.")],
    target: Annotated[
        str | None, typer.Argument(metavar="TO", help="The file to write; its extension determines the format.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="TO", help="The file to write, given as an option.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
):
    """Convert a script, Python file, notebook or Markdown file into another of these: prose, code and outputs.

    In .tsh and .py files # %% begins a cell and #> is an output; in Markdown, an output block follows a code block.
    """
    from tensh.cli.documents import convert

    if (target is None) == (output is None):
        raise UsageError(_("tensh convert: give one file to write, as TO or after -o"))
    return partial(convert.show, environment(ctx, ctx.obj["options"]), source, target or output, force)
