"""Where the command line starts. Imports next to nothing before it can answer Ctrl-C."""

import gc
import os
import sys

from riata.errors import MESSAGE, is_shortage
from riata.interrupts import Interrupts

WRONG = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line. Exit status: 0 done, 2 wrong usage or bad input, 130 interrupted."""
    interrupts = Interrupts()
    # Nothing here multiplies large matrices: threads that NumPy's library starts for that only wait, which takes 40 ms. Where there is no
    # memory for them, it sends an interrupt.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if (
        arguments is None
    ):  # what is imported stays: to look for garbage in it again and again takes a tenth of a short run
        gc.set_threshold(100_000)
    try:
        from riata.commands.base import run

        status = run(arguments)
        interrupts.ignore()
    except BaseException as error:
        interrupts.ignore()
        short = is_shortage(error)
        if not interrupts.came and not short:
            raise
        status = WRONG if short else INTERRUPTED
        if short and not interrupts.came:
            sys.stderr.write(MESSAGE)
    if interrupts.came:  # even where Python has lost it, as in a destructor
        status = INTERRUPTED
        print("Interrupted.", file=sys.stderr)
    if arguments is not None:  # called by a program that goes on
        interrupts.leave()
    else:
        gc.freeze()  # nor at the end
    sys.exit(status)
