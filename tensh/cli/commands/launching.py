"""The command that runs a program in several processes."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment


def launch_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The program: what follows are its arguments.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="What it finds in sys.argv.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--nproc-per-node", metavar="N", help="How many processes.")
    ] = None,
    hosts: Annotated[
        str | None, typer.Option("--hosts", metavar="A,B:2", help="The machines, with how many processes each takes.")
    ] = None,
    hostfile: Annotated[
        str | None, typer.Option("--hostfile", metavar="PATH", help="A file with a machine on each line.")
    ] = None,
    restarts: Annotated[
        int, typer.Option("--restarts", metavar="N", help="How often to begin again after a failure.")
    ] = 0,
    bare: Annotated[
        bool, typer.Option("--no-prefix", help="Do not write the rank before each line of output.")
    ] = False,
):
    """Run a program in several processes, which torch.distributed connects by MPI.

    Each has RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in its environment, as under torchrun. Where one fails, the
    others are stopped, and its status is that of the command.
    """
    from tensh.cli.launching.launcher import launch

    env = environment(ctx, ctx.obj["options"])
    return partial(launch, env, number, file, arguments or [], hosts, hostfile, restarts, not bare)
