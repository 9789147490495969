"""`await` outside of functions: one event loop for a session, so that tasks continue while the next line is awaited."""

import ast

ALLOWED = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80  # flag of code objects that await; named in `inspect`, which is slow to load


class Loop:
    """An event loop, created at its first use."""

    def __init__(self):
        self.runner = None

    def run(self, coroutine):
        """Run a coroutine and return its value. ^C cancels all tasks of the loop."""
        import asyncio  # 35 ms

        if self.runner is None:
            self.runner = asyncio.Runner()
        try:
            return self.runner.run(coroutine)
        except KeyboardInterrupt:
            self.close()
            raise

    def close(self):
        """Cancel the waiting tasks and close the loop."""
        runner, self.runner = self.runner, None
        if runner:
            runner.close()
