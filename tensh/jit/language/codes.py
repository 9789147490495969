"""Numeric codes of dtypes, layouts and memory formats in TorchScript."""

DTYPES = {
    name: number
    for number, name in enumerate(
        "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool qint8 quint8 qint32 bfloat16".split()
    )
}
FORMATS = {
    "torch.strided": 0,
    "torch.contiguous_format": 0,
    "torch.preserve_format": 1,
    "torch.channels_last": 2,
    "torch.channels_last_3d": 3,
}
