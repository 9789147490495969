"""Post-mortem inspection: `%debug`, `%up`, `%down`."""

from tensh.cli.session.events import Notice, Value
from tensh.cli.session.magics.arguments import refuse_argument, whole_number
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.cli.session.magics.showing import view
from tensh.show.drawing.table import Table
from tensh.support.language import _

LEAVING = ("off", "quit", "q")


@magic(
    "debug",
    "%debug [N | off]",
    "go to the last failure: its frames, and the names of one; off leaves",
    is_usual=True,
)
def debug(session, command):
    if command.argument in LEAVING:
        require(session, command).leave()
        session.debugging = None
        return
    at = whole_number(command)
    if session.debugging is None or session.debugging.error is not session.last_error:
        if session.last_error is None:
            raise MagicError(_("%debug: nothing has failed yet"))
        from tensh.cli.session.failures.debugging import FailureFrames  # saves a millisecond at start-up

        session.debugging = FailureFrames(session, session.last_error)
        at = len(session.debugging.steps) if at is None else at
    move(session, command, session.debugging.at if at is None else at - 1)
    yield from show_frames(session, command)
    if len(session.debugging.steps) == 1 and session.inside is None:
        session.debugging = None
        yield Notice(_("the failure is in the line itself: all its names are already here"))


@magic("up", "%up [N]", "after %debug: the frame that called this one")
def up(session, command):
    debugging = require(session, command)
    move(session, command, debugging.at - steps(command))
    yield from show_frames(session, command)


@magic("down", "%down [N]", "after %debug: the frame that this one called")
def down(session, command):
    debugging = require(session, command)
    move(session, command, debugging.at + steps(command))
    yield from show_frames(session, command)


def steps(command):
    """Return the number of frames to move."""
    number = whole_number(command)
    return 1 if number is None else number


def require(session, command):
    """Return the frames being inspected; raise MagicError if there are none."""
    if command.argument in LEAVING:
        refuse_argument(command) if command.name != "debug" else None
    if session.debugging is None:
        raise MagicError(_("%{name}: no failure is being inspected; start with %debug").format(name=command.name))
    return session.debugging


def move(session, command, at):
    """Move to a frame, counted from 0."""
    try:
        session.debugging.go(at)
    except IndexError:
        last = len(session.debugging.steps)
        raise MagicError(
            _("%{name}: the frames are 1 to {last}, and the current one is {at}").format(
                name=command.name, last=last, at=session.debugging.at + 1
            )
        ) from None


def show_frames(session, command):
    """Show the frames, and the names of the current one."""
    debugging = session.debugging
    title = debugging.title()
    is_only = len(debugging.steps) == 1
    notes = [_("%debug off leaves") if is_only else _("%up and %down go to other frames, %debug off leaves")]
    notes = [] if is_only and session.inside is None else notes
    yield Value(Table(("", _("function"), _("place"), _("code")), debugging.rows(), title, notes), command)
    names = debugging.local_names()
    if names:
        yield Value(view("who")(names), command)
