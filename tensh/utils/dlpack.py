"""torch.utils.dlpack: memory shared with other libraries' arrays."""

from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.dtypes.device_types import DLDeviceType

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

from_dlpack, to_dlpack = PUBLIC["from_dlpack"], PUBLIC["to_dlpack"]
