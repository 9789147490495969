"""`tensh kernel install` and `tensh kernel remove`: register the kernel with Jupyter."""

import json
import os
import shutil
import sys

from tensh.cli.files.writing import write
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.support.escaping import visible_line
from tensh.support.language import _

NAME = "tensh"
MODULE = "tensh.cli.kernel"
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#1f6feb"/>'
    '<path d="M14 20h36v8H36v22h-8V28H14z" fill="#fff"/></svg>'
)


def specs():
    """Return Jupyter's kernel spec manager."""
    try:
        import ipykernel  # noqa: F401  (what the kernel is built on)
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError as error:
        raise UsageError(
            _("tensh kernel: {name} is not installed here").format(name=error.name), _("pip install 'tensh[jupyter]'")
        ) from None
    return KernelSpecManager()


def description(name):
    """Return the kernel spec."""
    return {
        "argv": [sys.executable, "-m", MODULE, "-f", "{connection_file}"],
        "display_name": "tensh" if name == NAME else f"tensh ({name})",
        "language": "python",
        "interrupt_mode": "signal",
        "metadata": {"debugger": False},
    }


def is_ours(folder):
    """Return True if a folder holds a kernel written by `install`."""
    try:
        with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
            return MODULE in json.load(file)["argv"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def checked_name(name):
    """Return the normalised kernel name; raise UsageError for one that Jupyter would refuse."""
    from jupyter_client.kernelspec import _is_valid_kernel_name

    if not _is_valid_kernel_name(name):
        raise UsageError(
            _("tensh kernel: {name!r} is not a valid kernel name: use letters, digits, - . and _").format(
                name=visible_line(name)
            )
        )
    return name.lower()


def install(env, user=False, prefix=None, name=NAME):
    """Write the kernel spec where Jupyter looks for it; return the exit status."""
    known, name = specs(), checked_name(name)
    if user and prefix:
        raise UsageError(_("tensh kernel install: --user or --prefix, not both"))
    prefix = None if user else os.path.abspath(os.path.expanduser(prefix)) if prefix else sys.prefix
    place = known._get_destination_dir(name, user, prefix)
    if os.path.exists(place) and not is_ours(place):
        raise UsageError(
            _("tensh kernel install: {place} is another kernel").format(place=visible_line(place)),
            _("choose another name: --name NAME"),
        )
    there = os.path.exists(place)
    try:
        os.makedirs(place, exist_ok=True)  # Jupyter's own function would first remove an existing kernel
        for file, text in (("logo-svg.svg", LOGO), ("kernel.json", json.dumps(description(name), indent=1))):
            write(os.path.join(place, file), text.encode())
    except OSError as error:
        if not there:
            shutil.rmtree(place, ignore_errors=True)
        raise UsageError(
            _("tensh kernel install: {value}: {strerror}").format(
                value=visible_line(str(error.filename or place)), strerror=error.strerror
            ),
            _("for your user only: tensh kernel install --user"),
        ) from None
    with env.writing():
        env.stdout.write(f"{visible_line(place)}\n")
    env.say(
        _("installed the kernel {name}: start it with jupyter lab, or jupyter console --kernel {name}\n").format(
            name=name
        )
    )
    return status.OK


def remove(env, user=False, prefix=None, name=NAME):
    """Remove the kernel; return the exit status."""
    known, name = specs(), checked_name(name)
    if user or prefix:
        places = [known._get_destination_dir(name, user, prefix and os.path.abspath(os.path.expanduser(prefix)))]
    else:
        places = [os.path.join(folder, name) for folder in known.kernel_dirs]
    found = [place for place in places if os.path.isdir(place)]
    ours = [place for place in found if is_ours(place)]
    if not ours:
        what = (
            _("{found} is another kernel").format(found=visible_line(found[0]))
            if found
            else _("there is no kernel {name}").format(name=name)
        )
        raise UsageError(_("tensh kernel remove: {what}").format(what=what))
    try:
        shutil.rmtree(ours[0])
    except OSError as error:
        raise UsageError(
            _("tensh kernel remove: {ours}: {strerror}").format(ours=visible_line(ours[0]), strerror=error.strerror)
        ) from None
    with env.writing():
        env.stdout.write(f"removed {visible_line(ours[0])}\n")
    return status.OK
