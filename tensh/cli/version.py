"""Which tensh this is."""

from tensh.cli import status


def say(env):
    """Write the version."""
    from tensh import VERSION

    env.stdout.write(f"tensh {VERSION}\n")
    return status.OK
