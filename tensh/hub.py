"""torch.hub: downloaded files of weights, and models from a folder with a ``hubconf.py``."""

import hashlib
import importlib.util
import os
import re
import sys
from urllib.parse import urlparse

from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

ENV_TORCH_HOME = "TORCH_HOME"
ENV_XDG_CACHE_HOME = "XDG_CACHE_HOME"
ENV_GITHUB_TOKEN = "GITHUB_TOKEN"
DEFAULT_CACHE_DIR = "~/.cache"
MODULE_HUBCONF = "hubconf.py"
READ_DATA_CHUNK = 128 * 1024  # bytes
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_directory = None


def _get_torch_home():
    return os.path.dirname(get_dir())


def get_dir():
    """Return the folder of downloaded files: set by ``set_dir``, else ``$TORCH_HOME/hub`` or ``~/.cache/torch/hub``."""
    if _directory is not None:
        return _directory
    cache = os.environ.get(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return os.path.join(os.path.expanduser(os.environ.get(ENV_TORCH_HOME, os.path.join(cache, "torch"))), "hub")


def set_dir(d):
    """Set the folder of downloaded files."""
    global _directory
    _directory = os.path.expanduser(d)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Download a file, which takes the place of an older one when it is complete.

    Raise ContentTooShortError if the server ends before all bytes that it announced, and RuntimeError unless the SHA-256 of
    the file begins with ``hash_prefix``.
    """
    import urllib.error
    import urllib.request

    from tensh.support.replacing import replace_file

    digest = hashlib.sha256()
    request = urllib.request.Request(url, headers={"User-Agent": "torch.hub"})
    with urllib.request.urlopen(request) as source, replace_file(os.path.expanduser(dst)) as target:
        while block := source.read(1 << 20):
            digest.update(block)
            target.write(block)
        if missing := getattr(source, "length", None):  # a connection that ends early is no error for reading in blocks
            raise urllib.error.ContentTooShortError(f"{url}: the download ended {missing} bytes too early", None)
        if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')


def load_state_dict_from_url(
    url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False
):
    """Load the file at a URL, downloading it to ``model_dir`` if it does not exist there."""
    from tensh.serialization import load as load_file

    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found and found[1], progress)
    return load_file(path, map_location=map_location, weights_only=weights_only)


def _entries(folder):
    """Import the module ``hubconf.py`` of a folder."""
    spec = importlib.util.spec_from_file_location("hubconf", os.path.join(folder, MODULE_HUBCONF))
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def _local(source):
    if source != "local":
        raise NotImplementedError("tensh does not download code: clone the repository and pass source='local'")


def load(repo_or_dir, model, *args, source="github", trust_repo=None, force_reload=False, verbose=True, **kwargs):
    """Call an entry of the ``hubconf.py`` in a folder (``source="local"``)."""
    _local(source)
    found = getattr(_entries(repo_or_dir), model, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found(*args, **kwargs)


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True):
    """List the entries of the ``hubconf.py`` in a folder."""
    _local("local" if os.path.isdir(github) else "github")
    module = _entries(github)
    return [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None):
    """Return the docstring of an entry of the ``hubconf.py`` in a folder."""
    _local("local" if os.path.isdir(github) else "github")
    return getattr(_entries(github), model).__doc__


class tqdm:
    """The interface of a progress bar, without a bar."""

    def __init__(self, iterable=None, total=None, **options):
        self.iterable, self.total, self.n = iterable, total, 0

    def __iter__(self):
        yield from self.iterable

    def update(self, n=1):
        """Count ``n`` more."""
        self.n += n

    def close(self):
        """Do nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


__getattr__ = unsupported_lookup("torch.hub")
