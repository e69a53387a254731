"""`python -m riata`"""

from riata.commands import main

main()
