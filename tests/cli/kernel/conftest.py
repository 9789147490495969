"""A kernel as Jupyter runs it, and an ordinary one: processes, which tests talk to by messages."""

import json
import sys

import pytest

PATIENCE = 120  # seconds: after that something hangs


class Kernel:
    """A kernel that runs."""

    def __init__(self, module):
        pytest.importorskip("ipykernel", reason="ipykernel is not installed")
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import KernelManager

        self.manager = KernelManager()
        argv = [sys.executable, "-Xfrozen_modules=off", "-m", module, "-f", "{connection_file}"]
        self.manager._kernel_spec = KernelSpec(argv=argv, display_name="kernel", language="python")
        self.manager.start_kernel()
        self.connect()

    def connect(self):
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def restart(self):
        self.client.stop_channels()
        self.manager.restart_kernel(now=True)
        self.connect()

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def run(self, code, answer=None, meanwhile=None, **options):
        """Run a cell: what came of it. `answer` is what somebody types, `meanwhile` is called when it has printed."""
        found = Outcome()

        def take(message):
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "stream":
                found.streams[content["name"]] = found.streams.get(content["name"], "") + content["text"]
                if meanwhile:
                    meanwhile()
            elif kind in ("execute_result", "display_data"):
                found.shown.append((kind, content["data"]))
            elif kind == "error":
                found.errors.append(content)

        def type_answer(message):
            found.asked = message["content"]["prompt"]
            self.client.input(answer)

        reply = self.client.execute_interactive(
            code, output_hook=take, stdin_hook=type_answer, allow_stdin=answer is not None, timeout=PATIENCE, **options
        )
        found.reply = reply["content"]
        json.dumps(found.reply, default=str)
        return found

    def ask(self, request, *words, **options):
        """The reply to a request of another kind: complete, inspect, is_complete."""
        identity = getattr(self.client, request)(*words, **options)
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == identity:
                return message["content"]


class Outcome:
    """All that came of a cell."""

    def __init__(self):
        self.streams, self.shown, self.errors, self.reply, self.asked = {}, [], [], None, None

    @property
    def out(self):
        return plain(self.streams.get("stdout", ""))

    @property
    def err(self):
        return plain(self.streams.get("stderr", ""))

    @property
    def failed(self):
        return self.reply["status"] == "error"

    @property
    def error(self):
        """What is shown of the failure, without colours."""
        (content,) = self.errors
        return plain("\n".join(content["traceback"]))

    @property
    def result(self):
        """The data of the result, by kind; None if there is none."""
        found = [data for kind, data in self.shown if kind == "execute_result"]
        return found[-1] if found else None

    def data(self, kind):
        """All that is shown of one kind."""
        return [each[kind] for _, each in self.shown if kind in each]


def plain(text):
    """A text without the colours of a terminal."""
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture(scope="session")
def _kernel():
    found = Kernel("tensh.cli.kernel")
    yield found
    found.close()


@pytest.fixture
def kernel(_kernel):
    """Our kernel, with no names of another test."""
    _kernel.run("%reset", store_history=False)
    return _kernel


@pytest.fixture(scope="session")
def _ordinary():
    found = Kernel("ipykernel_launcher")
    yield found
    found.close()


@pytest.fixture
def ordinary(_ordinary):
    """The kernel of IPython, in which the extension is not loaded."""
    yield _ordinary
    _ordinary.run("%unload_ext tensh", store_history=False)
    _ordinary.run("%reset -f", store_history=False)
