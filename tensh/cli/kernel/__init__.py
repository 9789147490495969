"""Notebooks: sessions with IPython as front end, by `%load_ext tensh` or the kernel of `tensh kernel install`."""


def load_ipython_extension(shell):
    """Run the cells of an IPython shell in a tensh session: `%load_ext tensh`."""
    from tensh.cli.kernel import extension

    extension.load(shell)


def unload_ipython_extension(shell):
    """Detach tensh from the shell: `%unload_ext tensh`."""
    from tensh.cli.kernel import extension

    extension.unload(shell)
