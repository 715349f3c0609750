"""Matrix products on one thread while a message is read, and the host's setting afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import ThreadpoolController

from rememora.reading.one_thread import one_thread


def threads() -> set[int]:
    """How many threads each library of matrix products may use."""
    return {item.num_threads for item in ThreadpoolController().select(user_api="blas").lib_controllers}


def inside(_: int) -> set[int]:
    with one_thread():
        return threads()


def test_many_readings_at_once_leave_the_setting_of_the_host() -> None:
    """Each runs on one thread, and what the process used before is what it uses afterwards."""
    before = threads()
    with ThreadPoolExecutor(8) as pool:
        result = list(pool.map(inside, range(200)))

    assert [{1}] * 200 == result
    assert before == threads()


def test_a_comparison_inside_a_reading_keeps_the_limit_to_the_end() -> None:
    """Entered again, it neither waits for itself nor puts the host's setting back too early."""
    before = threads()
    with one_thread():
        assert inside(0) == {1}
        after_inner = threads()

    assert after_inner == {1}
    assert before == threads()
