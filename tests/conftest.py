"""What tests of the command line share."""

import pytest

from riata.commands import main


@pytest.fixture
def run(capsysbinary):
    """Runs a command in this process: (exit status, standard output, standard error)."""

    def run(*arguments):
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return stopped.value.code, out.decode("utf-8"), err.decode("utf-8")

    return run
