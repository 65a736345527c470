"""Hosts, events and transforms."""

import asyncio
import base64
import gc
import io
import logging
import math
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
import uuid
import weakref

import pytest

import troupe


def run(code, **environment):
    """Runs a program in Python. Returns its output; its exit status is 0."""
    finished = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True, timeout=60,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_version_is_that_of_troupe():
    assert troupe.__version__ == troupe.version()
    assert troupe.version().count(".") == 2


def test_a_host_lists_plugins_and_registrations(shared):
    (plugin,) = shared.plugins
    assert (plugin.id, plugin.name, plugin.version, plugin.fault) == ("org.example.samples", "Samples", "1.0.0", None)
    assert plugin.registration_count == len(shared.registrations) == len(shared.functions)
    area = shared.registrations[0]
    assert (area.name, area.plugin, area.is_function) == ("area", plugin.id, True)
    assert area.uuid == uuid.UUID("5a3b1e00-0000-4000-8000-000000000001")
    assert hash(area) == hash(shared.registrations[0])


def test_a_plugin_names_the_library_that_it_adopts(racy, state, tmp_path):
    library = str((racy / "libracy.so").resolve())
    with troupe.Host(racy, **state) as host:
        assert not host.functions["racy"].is_thread_safe
        assert [plugin.library for plugin in host.plugins] == [library]
    pins = tmp_path / "pins"
    pins.write_text("")
    pins.chmod(0o600)
    with troupe.Host(racy, pins=pins, log=lambda *line: None, **state) as host:
        (plugin,) = host.plugins
    assert plugin.fault.code == "unpinned" and plugin.library == library


def test_functions_are_a_mapping(shared):
    functions = shared.functions
    assert "area" in functions and uuid.UUID("5a3b1e00-0000-4000-8000-000000000001") in functions
    assert "volume" not in functions and 3 not in functions
    assert list(functions)[:2] == ["area", "add_int8"]
    assert functions["5a3b1e00-0000-4000-8000-000000000001"](2, 3) == 6
    assert functions.get("volume") is None
    assert dict(functions)["area"](2, 3) == 6
    with pytest.raises(KeyError) as caught:
        functions["volume"]
    assert isinstance(caught.value, troupe.NotRegistered)
    assert (caught.value.code, caught.value.subject) == ("notRegistered", "volume")
    assert caught.value.remedy and caught.value.remedy in str(caught.value)
    with pytest.raises(troupe.NotRegistered, match='did you mean "area"[?]$'):
        functions["aera"]
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.remedy) == (troupe.NotRegistered, str(caught.value), caught.value.remedy)


def test_a_missing_directory_or_option_is_an_error(tmp_path):
    with pytest.raises(troupe.Error) as caught:
        troupe.Host(tmp_path, pins=tmp_path / "missing")
    assert caught.value.code == "unreadable" and isinstance(caught.value, OSError)
    with pytest.raises(troupe.Error):
        troupe.Host(tmp_path, probe=tmp_path / "missing")


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("log_level", (99, -1, 1.5, None, "INFO", True)),
        ("probe_deadline", (0, -1, 1e-5, 0.0001, math.nan, math.inf, -math.inf, "1", True)),
        ("maximum_file_size", (0, -1, 1.5, math.nan, math.inf, 1e30, 2**63, "1", True)),
        ("maximum_buffer_size", (0, -1, 1.5, math.nan, math.inf, 1e30, 2**63, "1", True)),
    ],
)
def test_an_option_that_is_out_of_range_is_refused(tmp_path, option, values):
    for value in values:
        with pytest.raises(troupe.InvalidArgument) as caught:
            troupe.Host(tmp_path, **{option: value})
        assert (caught.value.code, caught.value.subject) == ("invalidArgument", option)
        assert repr(value) in str(caught.value) and caught.value.remedy


def test_the_limits_of_options_are_valid(tmp_path, state):
    for options in (
        {"log_level": logging.NOTSET}, {"log_level": logging.CRITICAL}, {"probe_deadline": 0.001}, {"probe_deadline": 1e30},
        {"maximum_file_size": 2**63 - 1}, {"maximum_buffer_size": 1},
    ):  # fmt: skip
        troupe.Host(tmp_path, **options, **state).close()


def test_a_load_during_a_close_reports_that_the_host_is_closed(built):
    def close_at_load(level, plugin, text):
        # The loading thread waits here until another thread has closed the host.
        if text == "is loaded":
            thread = threading.Thread(target=host.close)
            thread.start()
            thread.join(10)

    host = troupe.Host(
        files=[built("plugins/samples.c")], cache=False, quarantine=False, log=close_at_load, log_level=logging.DEBUG
    )
    with pytest.raises(troupe.Unavailable) as caught:
        host.functions["area"]
    assert host.closed
    assert (caught.value.code, str(caught.value)) == ("unavailable", "the host is closed; start another one")


def test_a_closed_host_refuses_calls_but_not_its_functions(plugins, state):
    with troupe.Host([plugins("plugins/samples.c")], **state) as host:
        area = host.functions["area"]
    assert host.closed
    assert area(3, 4) == 12 and area.map([1, 2], 2).tolist() == [2, 4]
    for use in (lambda: host.functions["area"], host.refresh, host.scope, host.events, lambda: host.resolve(tags="text")):
        with pytest.raises(ValueError, match="closed"):
            use()
    host.close()


def test_a_function_keeps_its_plugin(plugins, state):
    host = troupe.Host([plugins("plugins/samples.c")], **state)
    shout = host.functions["shout"]
    host.retire("org.example.samples")
    assert "shout" not in host.functions
    assert shout("a") == "A"
    reference = weakref.ref(host)
    del host
    assert shout("a") == "A"
    del shout
    gc.collect()
    assert reference() is None


def test_settings_reach_a_plugin(example_plugins, plugins, state):
    with troupe.Host(example_plugins, settings={"org.example.wordcount": {"top": 1}}, **state) as host:
        (stage,) = host.resolve(tags=["word-count"])
        assert len(stage(b"b a b").splitlines()) == 1
    directory = plugins("healthy/settings.c")
    for settings, codes in (({"width": 80}, []), ({"width": "wide"}, ["invalidSetting"]), ({"height": 1}, ["invalidSetting"])):
        with troupe.Host(directory, settings={"org.example.settings": settings}, log=lambda *line: None, **state) as host:
            assert [plugin.fault.code for plugin in host.plugins if plugin.fault is not None] == codes


def test_a_plugin_is_replaced(plugins, built, state):
    directory = plugins("plugins/samples.c")
    with troupe.Host(directory, **state) as host:
        area = host.functions["area"]
        assert host.reload("org.example.samples") is False
        assert host.refresh() is False
        new = directory / "new.so"
        shutil.copy2(built("plugins/samples.c"), new)
        with new.open("ab") as file:
            file.write(b"\0")
        new.rename(directory / "samples.so")
        assert host.refresh() is True
        assert area(1, 2) == 2 and host.functions["area"](1, 2) == 2
        with pytest.raises(troupe.Error) as caught:
            host.reload("org.example.unknown")
        assert caught.value.code == "unknown"


def test_the_log_is_a_function_or_a_logger(plugins, state, caplog):
    lines = []
    directory = plugins("faulty/no-manifest.c")
    troupe.Host(directory, log=lambda *line: lines.append(line), **state).close()
    assert lines and lines[0][0] == logging.WARNING
    with caplog.at_level(logging.WARNING, logger="plugins"):
        troupe.Host(directory, log=logging.getLogger("plugins"), **state).close()
    assert "no-manifest" in caplog.text


def test_events_are_iterated_until_the_host_is_closed(plugins, state):
    host = troupe.Host(plugins("plugins/samples.c"), **state)
    stream = host.events()
    assert stream.poll() is None
    received = []
    thread = threading.Thread(target=lambda: received.extend(stream))
    thread.start()
    host.functions["area"]
    host.close()
    thread.join(10)
    assert not thread.is_alive()
    assert [event.plugin.state for event in received][-1] == "retired"
    assert all(isinstance(event, troupe.Event) for event in received)
    assert list(stream) == []


def test_closing_a_stream_ends_a_waiting_thread(plugins, state):
    with troupe.Host(plugins("plugins/samples.c"), **state) as host:
        stream = host.events()
        thread = threading.Thread(target=lambda: list(stream))
        thread.start()
        stream.close()
        thread.join(10)
        assert not thread.is_alive()
        with pytest.raises(StopIteration):
            next(stream)


def test_events_are_iterated_asynchronously(plugins, state):
    async def run():
        host = troupe.Host(plugins("plugins/samples.c"), **state)
        states = []

        async def receive():
            async for event in host.events():
                states.append(event.plugin.state)

        task = asyncio.create_task(receive())
        await asyncio.sleep(0)
        host.functions["area"]
        await asyncio.to_thread(host.close)
        await asyncio.wait_for(task, 10)
        return states

    assert asyncio.run(run())[-1] == "retired"


def test_a_listener_is_called_with_events(plugins, state):
    with troupe.Host(plugins("plugins/samples.c"), **state) as host:
        arrived = threading.Event()
        states = []

        def receive(event):
            states.append((event.plugin.state, threading.current_thread() is threading.main_thread(), len(host.plugins)))
            arrived.set()

        with host.on_event(receive):
            host.functions["area"]
            host.retire("org.example.samples")
            assert arrived.wait(10)
        count = len(states)
        host.refresh()
        assert len(states) == count
    assert states[0][1:] == (False, 1)


def test_transforms_take_bytes_and_files(examples):
    text = os.urandom(100_000)
    encode, decode = (examples.resolve(tags=[f"base64-{name}"])[0] for name in ("encode", "decode"))
    encoded = b"".join([encode.feed(text[:70_000]), encode.feed(memoryview(text)[70_000:]), encode.finish()])
    assert decode(encoded) == text
    with pytest.raises(troupe.InvalidArgument):
        decode.feed(b"abcd")

    def stage(name):
        return examples.resolve(tags=[f"base64-{name}"])[0]

    target = io.BytesIO()
    stage("encode").run(io.BytesIO(text), target)
    assert target.getvalue() == encoded
    assert stage("decode").reader(io.BytesIO(encoded)).read() == text
    target = io.BytesIO()
    with stage("decode").writer(target) as writer:
        writer.write(encoded[:10])
        writer.write(encoded[10:])
    assert target.getvalue() == text


class SlowTarget(io.RawIOBase):
    """A file object without a buffer, which takes at most three bytes at once."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        self.taken += bytes(data[:3])
        return min(3, len(data))


def test_a_target_that_takes_parts_gets_all_of_the_output(examples):
    text = b"all of the text"
    targets = [SlowTarget(), SlowTarget()]
    examples.resolve(tags="base64-encode")[0].run(io.BytesIO(text), targets[0])
    with examples.resolve(tags="base64-encode")[0].writer(targets[1]) as writer:
        writer.write(text)
    assert [base64.b64decode(target.taken) for target in targets] == [text, text]


def test_a_transform_takes_another_input_after_a_reset(examples):
    (encode,), (decode,) = examples.resolve(tags="base64-encode"), examples.resolve(tags="base64-decode")
    for text in (b"", b"a", b"a" * 100, b"b" * 57):
        assert decode(encode(text)) == text
        assert encode.reset() and decode.reset()
    encode.feed(b"dropped")
    assert encode.reset() and encode(b"ab") == b"YWI=\n"
    with pytest.raises(troupe.ReportedFailure):
        decode(b"YWI=!")
    assert decode.reset() and decode(b"YWI=") == b"ab"
    with pytest.raises(troupe.ReportedFailure, match="byte offset 4"):
        assert decode.reset() and decode(b"YWI=!")


def test_a_failing_transform_raises(examples):
    (decode,) = examples.resolve(tags="base64-decode")
    with pytest.raises(troupe.ReportedFailure):
        decode(b"!!!!")
    (encode,) = examples.resolve(tags="base64-encode")
    for call in (encode, encode.feed, encode.writer(io.BytesIO()).write, lambda text: encode.run(io.StringIO(text), io.BytesIO())):
        with pytest.raises(troupe.InvalidData) as caught:
            call("text")
        assert isinstance(caught.value, TypeError) and caught.value.remedy == "encode it: text.encode()"
    for wrong in (None, 3, [1], memoryview(b"abcd")[::2]):
        with pytest.raises(troupe.InvalidData) as caught:
            encode(wrong)
        assert caught.value.subject == encode.registration.name and caught.value.remedy == "pass contiguous bytes"


def test_a_transform_is_resolved_in_a_chain(examples):
    data = b"text"
    stages = examples.resolve(tags=["base64"])
    for stage in stages:
        assert isinstance(stage, troupe.Transform)
        data = stage(data)
    assert data == b"text"
    assert [stage.registration.tags for stage in stages][0] == tuple(sorted(stages[0].registration.tags))
    assert examples.resolve(tags=["nothing"]) == []


def test_instances_have_arguments_and_scopes(examples):
    (counter,) = examples.resolve(tags=["counter"], args=[10, 5])
    assert not isinstance(counter, troupe.Transform)
    assert counter.object[0] and counter.registration.contract
    with examples.scope() as scope:
        assert len(examples.resolve(tags=["counter"], args=[10, 5], scope=scope)) == 1
    with pytest.raises(troupe.InvalidArgument):
        examples.resolve(tags=["counter"], scope=scope)


def test_an_open_host_does_not_disturb_the_end_of_the_interpreter(built, state):
    code = f"""
import threading, troupe
host = troupe.Host(files=[{str(built("plugins/samples.c"))!r}], log=lambda *line: None, log_level=0)
stream, listener = host.events(), host.on_event(lambda event: None)
area, ufunc, store = host.functions["area"], host.functions["area"].ufunc, host.functions["store_new"](1)
threading.Thread(target=lambda: list(stream), daemon=True).start()
threading.Thread(target=lambda: host.functions["pause_for"](60000), daemon=True).start()
print(area(3, 4.5))
"""
    assert run(code, XDG_CACHE_HOME=str(state["cache"])) == "13.5\n"


def test_functions_work_in_a_child_and_hosts_do_not(built, state):
    code = f"""
import os, troupe
host = troupe.Host(files=[{str(built("plugins/samples.c"))!r}], quarantine=False)
area, stream = host.functions["area"], host.events()
child = os.fork()
if child == 0:
    print(area(3, 4.5), flush=True)
    try:
        host.functions["area"]
    except troupe.InvalidArgument:
        print("no host", flush=True)
    try:
        troupe.Host()
    except troupe.Error as error:
        print(error.code, flush=True)
    del area, host, stream
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(host.functions["area"](1, 2))
"""
    assert run(code, XDG_CACHE_HOME=str(state["cache"])) == "13.5\nno host\nunavailable\n2.0\n"


def test_threads_share_a_host(shared):
    failures = []

    def work(number):
        try:
            for round in range(300):
                assert shared.functions["area"](number, round) == number * round
                assert shared.functions["shout"](f"text {number}") == f"TEXT {number}"
                assert shared.functions["apply"](lambda x: x + 1, round) == round + 1
                assert shared.functions["area"].map([number, round], 1).tolist() == [number, round]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_host_may_end_in_its_own_callback(plugins, state):
    hosts = [troupe.Host(plugins("plugins/samples.c"), **state)]
    done = threading.Event()

    def receive(event):
        hosts.clear()
        done.set()

    listener = hosts[0].on_event(receive)
    hosts[0].retire("org.example.samples")
    assert done.wait(10)
    listener.close()
    del listener
    time.sleep(0)
