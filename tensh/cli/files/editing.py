"""Editing a text in the user's editor, for `%edit`."""

import contextlib
import os
import shlex
import subprocess
import tempfile

USUAL = "notepad" if os.name == "nt" else "vi"


def edit_text(env, text):
    """Return the text as edited in VISUAL, EDITOR or the usual editor; None if the editor failed.

    Raise OSError if there is no such editor.
    """
    editor = env.variables.get("VISUAL") or env.variables.get("EDITOR") or USUAL
    with tempfile.TemporaryDirectory(prefix="tensh-") as folder:
        path = os.path.join(folder, "lines.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n" * bool(text))
        ending = subprocess.call([*shlex.split(editor), path])
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            return file.read() if ending == 0 else None
    return None
