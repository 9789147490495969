"""Classes of contexts in TorchScript files: switches of the recording of gradients, and named parts of a profile."""

CONTEXT = """class {name}:
  prev : bool
  def __init__(self: {path}) -> NoneType:
    self.prev = torch.is_grad_enabled()
    return None
  def __enter__(self: {path}) -> NoneType:
    self.prev = torch.is_grad_enabled()
    torch.set_grad_enabled({value})
    return None
  def __exit__(self: {path},
    kind: Any,
    value: Any,
    traceback: Any) -> NoneType:
    torch.set_grad_enabled(self.prev)
    return None
"""

PART = """class record_function:
  name : str
  args : Optional[str]
  record : Optional[__torch__.torch.classes.profiler._RecordFunction]
  def __init__(self: {path},
    name: str,
    args: Optional[str]=None) -> NoneType:
    self.name = name
    self.args = args
    self.record = None
    return None
  def __enter__(self: {path}) -> {path}:
    self.record = ops.profiler._record_function_enter_new(self.name, self.args)
    return self
  def __exit__(self: {path},
    kind: Any,
    value: Any,
    traceback: Any) -> NoneType:
    record = self.record
    if torch.__isnot__(record, None):
      record0 = unchecked_cast(__torch__.torch.classes.profiler._RecordFunction, record)
      _0 = ops.profiler._record_function_exit(record0)
    else:
      pass
    return None
"""


def write_context(path):
    """Return the class of a context that switches the recording of gradients, or that names a part of a profile."""
    name = path.rpartition(".")[2]
    if name == "record_function":
        return PART.format(path=path)
    return CONTEXT.format(name=name, path=path, value=name == "enable_grad")
