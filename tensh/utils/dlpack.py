"""torch.utils.dlpack: memory shared with arrays of other libraries."""

from tensh.engine.codegen.registry import PUBLIC

__all__ = ["from_dlpack", "to_dlpack"]

from_dlpack, to_dlpack = PUBLIC["from_dlpack"], PUBLIC["to_dlpack"]
