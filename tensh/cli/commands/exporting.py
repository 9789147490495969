"""The command that converts a saved model to another format."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment


def export_(
    ctx: typer.Context,
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A .pt file of torch.jit, a .pt2 file of torch.export, or a pickled module."
        ),
    ],
    onnx: Annotated[str, typer.Option("--onnx", metavar="OUT", help="The file to write.")],
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="SIZES",
            help="The shape of an input, such as 1,3,224,224 or 2,6:int64; repeat for each input.",
        ),
    ] = None,
    dynamic: Annotated[
        list[int] | None,
        typer.Option("--dynamic", metavar="DIM", help="A dimension of the inputs whose size may vary."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
):
    """Write a saved model as ONNX.

    A .pt2 file describes its inputs; models from other files are run once, on zeros of the given shapes.
    """
    from tensh.cli.actions import model_export

    return partial(
        model_export.show, environment(ctx, ctx.obj["options"]), model, onnx, shape or [], dynamic or [], force
    )
