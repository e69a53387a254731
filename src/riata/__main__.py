"""`python -m riata`"""

from riata.entry import main

main()
