"""torch.storage: the memory of tensors, and how it is pickled."""

import io

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.engine.operators.shapes.composites.storage import UntypedStorage
from tensh.engine.operators.shapes.composites.typed_storage import TypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def _load_from_bytes(b):
    """Load a storage from the bytes of a file that a pickle holds; nothing in them is executed."""
    from tensh.serialization.reading import load

    return load(io.BytesIO(b), weights_only=False)


def reduce_storage(storage):
    """Reduce a storage for a pickle to the bytes of a file that holds it."""
    from tensh.serialization.writing import save

    file = io.BytesIO()
    save(storage, file, _use_new_zipfile_serialization=False)
    return _load_from_bytes, (file.getvalue(),)


__getattr__ = unsupported_lookup("torch.storage")
