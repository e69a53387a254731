"""What tests of the command line and of pages share, and how many examples of properties are tried."""

import signal
import warnings

import pytest
from hypothesis import HealthCheck, settings

from browsing import chromium
from riata.commands import main
from riata.errors import RiataWarning
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


class Run:
    """Runs commands in this process. Their warnings are shown, unless a mark of the test filters warnings."""

    def __init__(self, captured, shows):
        self.captured, self.shows = captured, shows

    def __call__(self, *arguments):
        """Exit status, standard output, standard error."""
        self.captured.readouterr()
        with pytest.raises(SystemExit) as stopped, warnings.catch_warnings():
            if self.shows:
                warnings.simplefilter("default", RiataWarning)
            main([str(argument) for argument in arguments])
        out, err = self.captured.readouterr()
        return stopped.value.code, out.decode("utf-8"), err.decode("utf-8")

    def ok(self, *arguments):
        """What a command that ends well writes."""
        status, out, err = self(*arguments)
        assert status == 0, err
        return out

    def silent(self, *arguments):
        """The same, with nothing on standard error."""
        status, out, err = self(*arguments)
        assert (status, err) == (0, "")
        return out

    def fails(self, *arguments):
        """What a command that ends with an error says."""
        status, _, err = self(*arguments)
        assert status == 2
        return err

    def refused(self, *arguments):
        """The same, with nothing on standard output."""
        status, out, err = self(*arguments)
        assert (status, out) == (2, "")
        return err


@pytest.fixture
def run(capsysbinary, request):
    return Run(capsysbinary, shows=request.node.get_closest_marker("filterwarnings") is None)
