"""Keys typed before the first prompt: keep them for the prompt without echoing them twice."""

import contextlib

try:
    import termios
except ImportError:  # Windows
    termios = None


class Echo:
    """A context in which the terminal does not echo typed keys, until `back` is called or it ends."""

    def __init__(self, stream):
        self.stream = stream
        self.before = None

    def __enter__(self):
        with contextlib.suppress(OSError, ValueError, *([termios.error] if termios else [])):
            if termios:
                attributes = termios.tcgetattr(self.stream.fileno())
                self.before = attributes[:]
                attributes[3] &= ~termios.ECHO
                termios.tcsetattr(self.stream.fileno(), termios.TCSANOW, attributes)
        return self

    def back(self):
        if self.before:
            termios.tcsetattr(self.stream.fileno(), termios.TCSANOW, self.before)
            self.before = None

    def __exit__(self, *error):
        self.back()
