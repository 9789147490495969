"""`tensh convert A B`: convert a document to another kind of file."""

import os

from tensh.cli.documents import files
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.support.language import _


def show(env, source, target, force=False):
    """Write the document of one file to another; return the exit status."""
    document = files.load(source)
    if os.path.lexists(target) and not force:
        raise UsageError(_("tensh convert: {target} already exists; --force overwrites it").format(target=target))
    files.save(files.convert_document(document, files.kind_of(source), files.kind_of(target)), target)
    return status.OK
