"""torch.utils.model_zoo: the former name of ``torch.hub``'s downloads."""

from tensh.hub import load_state_dict_from_url as load_url  # noqa: F401
from tensh.hub import tqdm  # noqa: F401
