"""Work on several threads: results in order, errors in their turn, nothing waited for in vain."""

import threading
import time

import pytest

from checks import refused
from riata.parallel import in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    def work(n):
        time.sleep(0.001 * (n % 3))
        return n * n

    assert list(in_order(work, range(50), threads)) == [n * n for n in range(50)]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_comes_after_the_results_before_it(threads):
    def work(n):
        if n == 3:
            raise ValueError(n)
        return n

    seen = []
    refused(ValueError, "3", seen.extend, in_order(work, range(100), threads))
    found = in_order(work, range(100), threads)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    refused(ValueError, "3", next, found)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_the_items_comes_too(threads):
    def items():
        yield from range(4)
        raise OSError("gone")

    found = in_order(str, items(), threads)
    assert [next(found) for _ in range(4)] == ["0", "1", "2", "3"]
    refused(OSError, "gone", next, found)


def test_a_result_does_not_wait_for_the_next_item():
    more = threading.Event()

    def items():
        yield 1
        more.wait(10)
        yield 2

    found = in_order(lambda n: n, items(), 2)
    assert next(found) == 1
    assert not more.is_set()
    more.set()
    assert list(found) == [2]


def test_whoever_stops_early_leaves_nothing_running():
    before = threading.active_count()
    found = in_order(lambda n: n, iter(range(10**9)), 3)
    assert next(found) == 0
    found.close()
    assert threading.active_count() == before


def test_an_error_is_raised_when_nothing_runs_any_more():
    def items():
        for n in range(10**9):
            time.sleep(0.001)
            yield n

    before = threading.active_count()
    refused(ZeroDivisionError, "", list, in_order(lambda n: 1 // (5 - n), items(), 3))
    assert threading.active_count() == before


def test_items_that_are_waited_for_end_when_nobody_wants_them():
    before, stopped = threading.active_count(), threading.Event()

    def items():
        yield 0
        stopped.wait(60)
        yield 1

    found = in_order(lambda n: n, items(), 3, stopped)
    assert next(found) == 0
    began = time.monotonic()
    found.close()
    assert threading.active_count() == before
    assert time.monotonic() - began < 30


def test_the_first_item_is_waited_for_by_the_caller():
    seen = []

    def items():
        for n in range(3):
            seen.append(threading.current_thread() is threading.main_thread())
            yield n

    assert list(in_order(lambda n: n, items(), 2)) == [0, 1, 2]
    assert seen == [True, False, False]
