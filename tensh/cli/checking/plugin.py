"""A pytest plugin: run tests with tensh as torch (`pytest --tensh`), and check the documents of a project.

Documents are checked only on request, by `pytest --tensh-check` or `tensh_check = true` in pytest's configuration. Then
every cell of an .ipynb or .tsh file is a test, and every cell of a .py or .md file that holds stored output.
"""

import contextlib
import sys


def pytest_addoption(parser, pluginmanager):
    """Declare the options and the setting; install tensh as torch before plugins that are loaded later, if requested."""
    group = parser.getgroup("tensh", "checking documents")
    group.addoption("--tensh-check", action="store_true", help="run the code of documents and compare their outputs")
    group.addoption("--tensh", action="store_true", help="`import torch` gives tensh, in workers and subprocesses, too")
    group.addoption("--tensh-lax", action="store_true", help="check documents for errors only, ignoring their outputs")
    parser.addini("tensh_check", "run the code of documents and compare their outputs", type="bool", default=False)
    if "--tensh" in pluginmanager.getplugin("pytestconfig").invocation_params.args:
        from tensh.alias import install

        with contextlib.suppress(RuntimeError):  # PyTorch is there already: told below, where errors are shown
            install()


def pytest_load_initial_conftests(early_config):
    """Install tensh as torch before any test is imported, if requested."""
    if early_config.known_args_namespace.tensh:
        import pytest

        from tensh.alias import install

        try:
            install()
        except RuntimeError:
            words = "a plugin of pytest has imported PyTorch already: run `tensh exec pytest`, or leave the plugin out with `-p no:NAME`"
            raise pytest.UsageError(f"--tensh: {words}") from None
    if "tensh.alias" in sys.modules:
        from tensh.alias import come_first

        come_first()


def pytest_collect_file(file_path, parent):
    """Collect the tests of a document."""
    config = parent.config
    if not (config.getoption("tensh_check") or config.getini("tensh_check")):
        return None
    from tensh.cli.checking.check import is_lesson
    from tensh.cli.documents.files import KINDS

    if file_path.suffix not in KINDS or not is_lesson(str(file_path)):
        return None
    from tensh.cli.checking.collecting import DocumentFile
    from tensh.support.escaping import visible_line

    return DocumentFile.from_parent(parent, path=file_path, name=visible_line(file_path.name))
