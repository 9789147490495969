"""`python -m tensh`."""

from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal

if __name__ == "__main__":
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)  # ^C while modules are loaded ends the process without a word
    import sys

    from tensh.cli.start import main

    sys.exit(main())
