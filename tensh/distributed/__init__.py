"""torch.distributed: the stores by which processes exchange keys and values; all else is switched off."""

from tensh.distributed.errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from tensh.distributed.file_store import FileStore
from tensh.distributed.stores import HashStore, PrefixStore, Store
from tensh.distributed.tcp_store import TCPStore
from tensh.switched_off import lookup

__all__ = [
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "HashStore",
    "PrefixStore",
    "QueueEmptyError",
    "Store",
    "TCPStore",
]

__getattr__ = lookup("torch.distributed")
