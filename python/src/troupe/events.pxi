# The events of a host.

cdef object make_event(const troupe_event *event):
    return data.Event(plugin=make_plugin(event.plugin), previous=text_or_none(event.previous))


@cython.final
cdef class EventStream:
    """The events of a host from the call of `Host.events` on, in their order.

    ::

        for event in host.events(): ...        # waits for each event, until the host is closed
        async for event in host.events(): ...  # the same in asyncio

    An asynchronous iterator belongs to one event loop. Only one thread at a time may iterate.
    """

    cdef troupe_event_queue *c
    cdef int fork_count
    cdef bint is_waiting
    cdef readonly bint closed
    # Wakes a thread that waits when another one closes the stream.
    cdef int wake

    def __reduce__(self):
        raise not_picklable(self, "belongs to the host of one process", "call Host.events in each process")

    @staticmethod
    cdef EventStream make(Host host):
        cdef const troupe_host_t *c = host.handle()
        cdef troupe_error *error = NULL
        cdef troupe_event_queue *queue
        with nogil:
            queue = troupe_event_queue_new(c, &error)
        if queue == NULL:
            raise host.failure(error)
        cdef EventStream self = EventStream.__new__(EventStream)
        self.wake = -1
        self.c = queue
        self.fork_count = fork_count
        self.wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        return self

    def fileno(self):
        """Returns a descriptor that is readable while an event is stored, and when the host is closed. Only poll it."""
        if self.closed:
            raise errors.InvalidArgument("the events are closed; call Host.events again", remedy="call Host.events again")
        return troupe_event_queue_descriptor(self.c)

    cdef object take(self):
        """Returns the oldest event, None if there is none, and False at the end."""
        cdef const troupe_event *event
        if self.closed or self.fork_count != fork_count:
            return False
        has_ended = troupe_event_queue_has_ended(self.c) != 0
        event = troupe_event_queue_next(self.c)
        if event != NULL:
            return make_event(event)
        return False if has_ended else None

    def poll(self):
        """Returns the oldest event that is stored, or None. Does not wait."""
        event = self.take()
        return None if event is False else event

    def __iter__(self):
        return self

    def __next__(self):
        if self.is_waiting:
            raise errors.InvalidArgument("another thread iterates over the events; call Host.events on each thread",
                                         remedy="call Host.events on each thread")
        poller = select.poll()
        self.is_waiting = True
        try:
            while True:
                event = self.take()
                if event is False:
                    raise StopIteration
                if event is not None:
                    return event
                poller.register(self.fileno(), select.POLLIN)
                poller.register(self.wake, select.POLLIN)
                poller.poll()
        finally:
            self.is_waiting = False
            if self.closed:
                self.release()

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio
        loop = asyncio.get_running_loop()
        while True:
            event = self.take()
            if event is False:
                raise StopAsyncIteration
            if event is not None:
                return event
            readable = loop.create_future()
            descriptors = (self.fileno(), self.wake)
            for descriptor in descriptors:
                loop.add_reader(descriptor, set_readable, readable)
            self.is_waiting = True
            try:
                await readable
            finally:
                for descriptor in descriptors:
                    loop.remove_reader(descriptor)
                self.is_waiting = False
                if self.closed:
                    self.release()

    def close(self):
        """Ends the events. An iteration that waits ends, too."""
        if self.closed:
            return
        self.closed = True
        if self.is_waiting:
            os.eventfd_write(self.wake, 1)
        else:
            self.release()

    cdef void release(self) noexcept:
        cdef troupe_event_queue *queue = self.c
        self.c = NULL
        if queue != NULL and self.fork_count == fork_count and not is_finalizing:
            with nogil:
                troupe_event_queue_free(queue)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __dealloc__(self):
        self.release()
        if self.wake >= 0:
            close_descriptor(self.wake)


cdef extern from "unistd.h" nogil:
    int close_descriptor "close"(int descriptor)


def set_readable(future):
    if not future.done():
        future.set_result(None)


cdef void call_listener(void *context, const troupe_event *event) noexcept nogil:
    if not troupe_callback_begin():
        return
    with gil:
        try:
            (<object>context)(make_event(event))
        except BaseException:
            PyErr_WriteUnraisable(<object>context)
    troupe_callback_end()


@cython.final
@cython.no_gc_clear
cdef class Listener:
    """A function that is called with the events of a host."""

    cdef troupe_event_listener *c
    cdef int fork_count
    # The context of the calls, which the library uses until the release.
    cdef object callback

    def __reduce__(self):
        raise not_picklable(self, "belongs to the host of one process", "call Host.on_event in each process")

    @staticmethod
    cdef Listener make(Host host, object callback):
        cdef const troupe_host_t *c = host.handle()
        cdef troupe_error *error = NULL
        cdef Listener self = Listener.__new__(Listener)
        self.callback = callback
        self.fork_count = fork_count
        cdef void *context = <void *>callback
        cdef troupe_event_listener *listener
        with nogil:
            listener = troupe_event_listener_new(c, call_listener, context, &error)
        if listener == NULL:
            raise host.failure(error)
        self.c = listener
        return self

    def close(self):
        """Ends the calls, and waits for the one under way. Raises `InvalidArgument` in the function itself."""
        if troupe_callback_depth > 0:
            raise errors.InvalidArgument(
                "a listener cannot be closed in a callback; close it elsewhere", remedy="close it elsewhere")
        self.release()

    cdef void release(self) noexcept:
        cdef troupe_event_listener *listener = self.c
        self.c = NULL
        if listener == NULL or self.fork_count != fork_count or is_finalizing:
            return
        if troupe_callback_depth > 0:
            Py_INCREF(self.callback)
            Py_AddPendingCall(free_listener_later, listener)
            return
        with nogil:
            troupe_event_listener_free(listener)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __dealloc__(self):
        self.release()


cdef int free_listener_later(void *listener) noexcept:
    with nogil:
        troupe_event_listener_free(<troupe_event_listener *>listener)
    return 0
