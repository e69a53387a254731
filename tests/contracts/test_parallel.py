"""Work on several threads: results in order, errors in their turn, nothing waited for in vain."""

import threading
import time

import pytest

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
    with pytest.raises(ValueError, match="3"):
        seen.extend(in_order(work, range(100), threads))
    found = in_order(work, range(100), threads)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="3"):
        next(found)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_the_items_comes_too(threads):
    def items():
        yield from range(4)
        raise OSError("gone")

    found = in_order(str, items(), threads)
    assert [next(found) for _ in range(4)] == ["0", "1", "2", "3"]
    with pytest.raises(OSError, match="gone"):
        next(found)


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
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before
