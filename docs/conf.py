"""Settings of the documentation site: `make docs` builds it into build/docs."""

import sys
from pathlib import Path

import riata

sys.path.insert(0, str(Path(__file__).parent.parent / "tools" / "site"))

project = "Riata"
author = "The Riata developers"
copyright = "2026, The Riata developers"
version = release = riata.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "repository"]
root_doc = "index"
exclude_patterns = ["conf.py"]
nitpicky = False
suppress_warnings = ["misc.highlighting_failure"]

myst_heading_anchors = 4  # links such as data.md#documents, as repository views have them
myst_enable_extensions = ["colon_fence", "deflist"]

default_role = "literal"  # docstrings use single backquotes for code
autodoc_member_order = "bysource"
autodoc_typehints = "none"
add_module_names = False

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"Riata {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sphinx = False
html_theme_options = {"sidebar_hide_name": False, "top_of_page_buttons": []}
