"""What tests of the command line and of pages share, and how many examples of properties are tried."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from browsing import chromium
from checks import refused
from riata.commands import main
from riata.learning import events


class _Forgetful(set):
    """Warnings of which a process gives one are given in every test."""

    def add(self, item):
        pass


events._given_once = _Forgetful()


def pytest_configure(config):
    """Warnings of Riata are shown by tests that ask for them. Without slow tests, properties are tried on a third of
    their examples, on others in every run.

    Comparisons with twins leave out examples with ties, which may be many by chance. Nothing is timed: machines are shared.
    """
    config.addinivalue_line("filterwarnings", "ignore::riata.RiataWarning")
    most = settings.default.max_examples // (3 if "not slow" in config.option.markexpr else 1)
    unchecked = [HealthCheck.filter_too_much, HealthCheck.too_slow]
    settings.register_profile("riata", max_examples=most, suppress_health_check=unchecked, deadline=None)
    settings.load_profile("riata")
    # As a shell leaves it in the background; commands would inherit it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def run(capsysbinary):
    """Runs a command in this process: (exit status, standard output, standard error)."""

    def run(*arguments):
        capsysbinary.readouterr()
        stopped = refused(SystemExit, "", main, [str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return stopped.code, out.decode("utf-8"), err.decode("utf-8")

    return run
