"""Prints the requirements of extras of the installed package, for pip.

python tools/extras.py test docs
"""

import re
import sys
from importlib.metadata import requires

EXTRA = re.compile(r"(.*?)\s*;\s*(?:(.*) and )?extra == ['\"](.*)['\"]$")

for requirement in requires("riata") or ():
    match = EXTRA.match(requirement)
    if match and match[3] in sys.argv[1:]:
        print(match[1] + (f"; {match[2]}" if match[2] else ""))
