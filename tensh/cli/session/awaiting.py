"""`await` outside of functions: one event loop for a session, so that tasks go on while the next line is awaited."""

import ast

ALLOWED = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80  # of the flags of code that awaits; `inspect` has the name, and is slow to load


class Loop:
    """An event loop that is there when it is first needed."""

    def __init__(self):
        self.runner = None

    def run(self, coroutine):
        """Run a coroutine to its end; its value. ^C ends all that the loop has begun."""
        import asyncio  # 35 ms

        if self.runner is None:
            self.runner = asyncio.Runner()
        try:
            return self.runner.run(coroutine)
        except KeyboardInterrupt:
            self.close()
            raise

    def close(self):
        """Cancel what still waits, and end the loop."""
        runner, self.runner = self.runner, None
        if runner:
            runner.close()
