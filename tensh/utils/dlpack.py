"""torch.utils.dlpack: memory shared with arrays of other libraries."""

from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.dtypes.device_types import DLDeviceType

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

from_dlpack, to_dlpack = PUBLIC["from_dlpack"], PUBLIC["to_dlpack"]
