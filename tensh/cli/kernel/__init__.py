"""Notebooks: `%load_ext tensh`, and the kernel of `tensh kernel install`. A session whose front end is IPython."""


def load_ipython_extension(shell):
    """Run the cells of an IPython shell in a session of tensh: `%load_ext tensh`."""
    from tensh.cli.kernel import extension

    extension.load(shell)


def unload_ipython_extension(shell):
    """Give the shell back to IPython: `%unload_ext tensh`."""
    from tensh.cli.kernel import extension

    extension.unload(shell)
