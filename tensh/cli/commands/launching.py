"""The command that runs a program in several processes."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment


def launch_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The program, followed by its arguments.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="Its arguments, found in sys.argv.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--nproc-per-node", metavar="N", help="The number of processes.")
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option("--hosts", metavar="A,B:2", help="The machines, with the number of processes for each."),
    ] = None,
    hostfile: Annotated[
        str | None, typer.Option("--hostfile", metavar="PATH", help="A file with one machine per line.")
    ] = None,
    restarts: Annotated[
        int, typer.Option("--restarts", metavar="N", help="How many times to restart after a failure.")
    ] = 0,
    timeline: Annotated[
        str | None,
        typer.Option("--timeline", metavar="OUT.html", help="Draw what each rank computes and waits for, as a page."),
    ] = None,
    bare: Annotated[bool, typer.Option("--no-prefix", help="Do not prefix lines of output with the rank.")] = False,
):
    """Run a program in several processes, which torch.distributed connects through MPI.

    Each has RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in its environment, as under torchrun. If one fails, the
    others are stopped, and the command exits with its status.
    """
    from tensh.cli.launching.launcher import launch

    env = environment(ctx, ctx.obj["options"])
    return partial(launch, env, number, file, arguments or [], hosts, hostfile, restarts, not bare, timeline)
