"""User-defined operators: their ``schema``, the operator (``custom_ops``) and its checks (``opcheck``)."""
