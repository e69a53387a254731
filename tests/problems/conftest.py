"""What several tests of problems need."""

import signal

import pytest


@pytest.fixture
def answers_ctrl_c():
    """Python's own handler, also where the tests run in the background of a shell, which ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
