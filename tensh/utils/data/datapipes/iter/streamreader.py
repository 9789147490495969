"""The step that reads streams."""

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe

__all__ = ["StreamReaderIterDataPipe"]


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe[tuple[str, bytes]]):
    """(name, content) for each (name, stream), ``chunk`` bytes at a time or all (``pipe.read_from_stream()``).

    >>> import io
    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([("a", io.StringIO("xyz"))]).read_from_stream(chunk=2))
    [('a', 'xy'), ('a', 'z')]
    """

    def __init__(self, datapipe, chunk=None):
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self):
        for name, stream in self.datapipe:
            while content := stream.read(self.chunk):
                yield name, content
            stream.close()
