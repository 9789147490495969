"""`python -m tensh`."""

from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal

if __name__ == "__main__":
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)  # handles ^C while modules are loaded
    import sys

    from tensh.cli.start import main

    sys.exit(main())
