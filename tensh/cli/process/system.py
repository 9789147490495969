"""Running a shell command, as in `!ls`."""

import subprocess


def run_line(env, line):
    """Run a command, in the terminal if there is one; return its exit status, negative if a signal ended it.

    Its output goes where the program's goes.
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
    """Move to the beginning of an empty line, wherever the command has left the cursor.

    Writing as many blanks as the terminal is wide wraps to the next line, unless the cursor is at the beginning of one.
    """
    if env.can_redraw:
        # bypass the tracking of the column, which has not seen the command's output
        stream = getattr(env.stdout, "stream", env.stdout)
        stream.write(" " * env.width(env.stdout) + "\r")
        stream.flush()
