"""`tensh --version`."""

from tensh.cli.process import status


def say(env):
    """Write the version."""
    from tensh import VERSION

    with env.writing():
        env.stdout.write(f"tensh {VERSION}\n")
    return status.OK
