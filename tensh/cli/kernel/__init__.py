"""Notebooks: sessions whose front end is IPython, by `%load_ext tensh` or the kernel of `tensh kernel install`."""


def load_ipython_extension(shell):
    """Run the cells of an IPython shell in a session of tensh: `%load_ext tensh`."""
    from tensh.cli.kernel import extension

    extension.load(shell)


def unload_ipython_extension(shell):
    """Give the shell back to IPython: `%unload_ext tensh`."""
    from tensh.cli.kernel import extension

    extension.unload(shell)
