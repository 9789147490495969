"""Build the site:  python -m sphinx -W -b html docs build/site"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

from tensh.version import __version__  # noqa: E402

project = "tensh"
author = "tensh contributors"
copyright = author
version = release = str(__version__)
extensions = ["myst_parser", "reference", "console"]
smartquotes = False  # two hyphens begin an option
exclude_patterns = ["_extensions", "_static"]

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
suppress_warnings = [
    "myst.header",  # included files begin with their own heading
    "misc.highlighting_failure",  # `name?` and `%who` at the prompt are not Python
]

toc_object_entries = False  # a page of names has hundreds
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "tensh"
html_static_path = ["_static"]
html_css_files = ["tensh.css"]
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "native"
