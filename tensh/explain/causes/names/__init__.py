"""Names and definitions in the source that mean something else, or lack a part."""
