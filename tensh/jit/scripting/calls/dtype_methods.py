"""The methods of tensors that convert them to a dtype, such as ``float()``."""

__all__ = ["TO"]


def dtype_maker(name):
    def find():
        import tensh

        return getattr(tensh, name)

    return find


TO = {"float": dtype_maker("float32"), "double": dtype_maker("float64"), "half": dtype_maker("float16"), "long": dtype_maker("int64"),
      "int": dtype_maker("int32"), "bool": dtype_maker("bool"), "short": dtype_maker("int16"), "byte": dtype_maker("uint8"),
      "bfloat16": dtype_maker("bfloat16")}  # fmt: skip
"""Methods that convert a tensor."""
