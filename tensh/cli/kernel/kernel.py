"""The kernel: ipykernel's, with the extension preloaded."""

import asyncio
import contextlib
import signal

from ipykernel.ipkernel import IPythonKernel

from tensh import VERSION
from tensh.cli.kernel import extension
from tensh.cli.process.signals import interrupt
from tensh.support.language import _


class TenshKernel(IPythonKernel):
    """IPython's kernel with cells that run in a tensh session."""

    implementation = "tensh"
    implementation_version = VERSION

    @property
    def banner(self):
        return _("tensh {version}: PyTorch's tensors and autograd; help: %help, or name?").format(version=VERSION)

    def __init__(self, **options):
        super().__init__(**options)
        extension.load(self.shell)

    def pre_handler_hook(self):
        """Install a handler that delays an interrupt while a mode change or an import is half done, as at the prompt."""
        super().pre_handler_hook()
        signal.signal(signal.SIGINT, interrupt)

    @contextlib.contextmanager
    def _cancel_on_sigint(self, future):
        """A context in which an interrupt cancels the awaited task, even while the event loop sleeps.

        The handler of ipykernel only notes the request, which a sleeping loop sees when it next wakes.
        """
        loop = asyncio.get_running_loop()
        with super()._cancel_on_sigint(future):
            note = signal.getsignal(signal.SIGINT)

            def handle(*arguments):
                note(*arguments)
                loop.call_soon_threadsafe(lambda: None)  # wake the loop

            signal.signal(signal.SIGINT, handle)
            yield
