"""A line that the shell of the system runs, as in `!ls`."""

import subprocess


def run_line(env, line):
    """Run a line, in the terminal where there is one; its exit status, negative where a signal ended it.

    What it writes goes where the program writes.
    """
    env.stdout.flush()
    env.stderr.flush()
    if env.is_terminal(env.stdout):
        status = subprocess.run(line, shell=True, check=False).returncode
        begin_line(env)
        return status
    done = subprocess.run(
        line, shell=True, check=False, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    env.stdout.write(done.stdout)
    return done.returncode


def begin_line(env):
    """Go to the beginning of a line that is empty, wherever the command has left the cursor.

    Blanks for the whole width run on into the next line unless the cursor is at the beginning of one.
    """
    if env.can_redraw:
        # what follows the column has not seen what the command wrote
        stream = getattr(env.stdout, "stream", env.stdout)
        stream.write(" " * env.width(env.stdout) + "\r")
        stream.flush()
