"""Functions of an adopted library that is not thread-safe, on several threads."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import troupe


@pytest.fixture(params=[None, True], ids=["here", "worker"])
def host(racy, state, request):
    with troupe.Host(racy, isolate=request.param, **state) as host:
        yield host


def race(function, count=4):
    """Calls a function with 0 to `count` - 1, each on a thread of its own. Returns the results."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, range(count)))


def test_calls_on_several_threads_take_turns(host):
    racy, text = host.functions["racy"], host.functions["racy_text"]
    assert not racy.is_thread_safe

    def call(thread):
        numbers = range(1000 * thread, 1000 * thread + 50)
        return [racy(number) for number in numbers] == [racy(value=number) for number in numbers] == list(numbers) and [
            text(str(number)) for number in numbers
        ] == [str(number) for number in numbers]

    assert race(call) == [True] * 4


def test_columns_on_several_threads_take_turns(host):
    racy, text = host.functions["racy"], host.functions["racy_text"]
    numbers = numpy.arange(200.0).reshape(4, 50)

    def call(thread):
        row = numbers[thread]
        texts = [str(number) for number in row]
        results = [racy.map(row)] + ([] if racy.ufunc is None else [racy.ufunc(row), racy(row)])
        return all((result == row).all() for result in results) and list(text.map(texts)) == texts

    assert race(call) == [True] * 4
    with pytest.raises(troupe.InvalidArgument):
        racy.map(numbers[0], threads=2)


def test_coroutines_take_turns(host):
    async def call():
        return await asyncio.gather(*(host.functions["racy"].call_async(number) for number in range(100)))

    assert asyncio.run(call()) == list(range(100))


def test_a_callback_calls_the_library_again(host):
    racy, call_back = host.functions["racy"], host.functions["racy_callback"]
    # The library adds the number that the inner call has left.
    assert race(lambda thread: call_back(lambda value: racy(value + 1) - 1, thread)) == [1, 3, 5, 7]


def test_a_function_that_is_not_thread_safe_has_no_address_and_always_releases_the_gil(racy, state):
    with troupe.Host(racy, **state) as host:
        function = host.functions["racy"]
        with pytest.raises(troupe.Unavailable, match="one thread at a time"):
            function.address
        # As a callback it is called through Python.
        assert host.functions["racy_callback"](function, 3) == 6
        function.releases_gil = False
        assert function.releases_gil and function(2) == 2
