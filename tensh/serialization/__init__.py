"""torch.save and torch.load: PyTorch's own file format, written and read without running anything that is in a file.

A file is a zip archive: a pickle that describes the objects, and beside it the memory of the tensors.
"""

from typing import Any

from tensh.engine.methods.namespaces import declare_namespace

WHERE = {
    "save": "writing",
    "load": "reading",
    "default_restore_location": "reading",
    "add_safe_globals": "allowed",
    "get_safe_globals": "allowed",
    "clear_safe_globals": "allowed",
    "safe_globals": "allowed",
    "get_unsafe_globals_in_checkpoint": "asking",
    "LoadEndianness": "options",
    "get_default_load_endianness": "options",
    "set_default_load_endianness": "options",
    "get_crc32_options": "options",
    "set_crc32_options": "options",
    "get_default_mmap_options": "options",
    "set_default_mmap_options": "options",
    "skip_data": "options",
    "SourceChangeWarning": "helpers",
    "mkdtemp": "helpers",
    "check_module_version_greater_or_equal": "helpers",
    "location_tag": "helpers",
    "normalize_storage_type": "helpers",
}
__all__ = list(WHERE)
MAP_LOCATION = Any  # what map_location may be: a function, a device, its name, a dictionary of names, None
DEFAULT_PROTOCOL = 2
MAGIC_NUMBER, PROTOCOL_VERSION = 0x1950A86A20F9469CFC6C, 1001  # marks of files before PyTorch 1.6
STORAGE_KEY_SEPARATOR = ","
LONG_SIZE, INT_SIZE, SHORT_SIZE = 4, 4, 2  # bytes of C's numbers in these files


def _get_layout(name):
    """Give the layout that a pickle names."""
    from tensh.serialization.allowed import layout

    return layout(name)


__getattr__, __dir__ = declare_namespace("tensh.serialization", globals(), WHERE)
