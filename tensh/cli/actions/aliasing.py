"""`tensh alias --venv [--remove]`: tensh as torch for all programs of a virtual environment."""

import os
import shutil
import sys
import sysconfig

from tensh.alias.metadata import metadata
from tensh.cli.files.writing import write
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.support.escaping import visible_line
from tensh.support.language import _

FILE = "tensh-alias.pth"
LINE = "import tensh.alias; tensh.alias.install(children=False)\n"


def change(env, venv, remove):
    """Write or remove the files that make tensh answer for torch; return the exit status."""
    if not venv:
        raise UsageError(_("tensh alias: pass --venv to change the virtual environment of this Python"))
    if sys.prefix == sys.base_prefix:
        raise UsageError(
            _("tensh alias --venv: {executable} is not in a virtual environment").format(executable=sys.executable)
        )
    folder = sysconfig.get_path("purelib")
    try:
        return change_files(env, folder, remove)
    except OSError as error:
        place = visible_line(str(error.filename or folder))
        raise UsageError(
            _("tensh alias --venv: {place}: {strerror}").format(place=place, strerror=error.strerror)
        ) from None


def change_files(env, folder, remove):
    """Write or remove the alias files in a package folder; return the exit status. Raise OSError."""
    file = os.path.join(folder, FILE)
    if remove:
        found = os.path.exists(file)
        for info in infos(folder):
            shutil.rmtree(info)
        if found:
            os.remove(file)
        env.say(_("torch no longer means tensh here\n") if found else _("torch did not mean tensh here\n"))
        return status.OK
    if os.path.isdir(os.path.join(folder, "torch")):
        raise UsageError(
            _(
                "tensh alias --venv: PyTorch itself is installed in {folder}; tensh exec runs a command without it"
            ).format(folder=folder)
        )
    from tensh import __version__

    info = os.path.join(folder, f"torch-{__version__}.dist-info")
    names = (
        f"{FILE} {os.path.basename(info)}/METADATA {os.path.basename(info)}/INSTALLER {os.path.basename(info)}/RECORD"
    )
    texts = {"METADATA": metadata(), "INSTALLER": "tensh\n", "RECORD": "".join(f"{n},,\n" for n in names.split())}
    there = os.path.exists(info)
    try:
        os.makedirs(info, exist_ok=True)
        for name, text in texts.items():
            write(os.path.join(info, name), text.encode())
        write(file, LINE.encode())
    except OSError:
        if not there:
            shutil.rmtree(info, ignore_errors=True)
        raise
    env.say(_("torch now means tensh in {prefix}; tensh alias --venv --remove undoes this\n").format(prefix=sys.prefix))
    return status.OK


def infos(folder):
    """List the metadata folders that this command has written."""
    for name in os.listdir(folder):
        installer = os.path.join(folder, name, "INSTALLER")
        if name.startswith("torch-") and name.endswith(".dist-info") and os.path.exists(installer):
            with open(installer, encoding="utf-8") as stream:
                if stream.read().strip() == "tensh":
                    yield os.path.join(folder, name)
