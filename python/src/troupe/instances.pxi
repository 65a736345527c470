# Scopes, instances and transforms.

@cython.final
cdef class Scope:
    """A lifetime of instances with the lifetime ``scoped``, which exist once in it."""

    cdef troupe_scope *c
    cdef int fork_count
    cdef int uses
    cdef readonly bint closed

    @staticmethod
    cdef Scope make(Host host):
        cdef const troupe_host_t *c = host.handle()
        cdef Scope self = Scope.__new__(Scope)
        with nogil:
            self.c = troupe_scope_new(c)
        self.fork_count = fork_count
        return self

    def __reduce__(self):
        raise not_picklable(self, "exists in one process alone", "call Host.scope in each process")

    def close(self):
        """Releases the scope's references to its instances."""
        self.closed = True
        if self.uses == 0:
            self.release()

    cdef void release(self) noexcept:
        cdef troupe_scope *scope = self.c
        self.c = NULL
        if scope != NULL and self.fork_count == fork_count and not is_finalizing:
            with nogil:
                troupe_scope_free(scope)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __dealloc__(self):
        self.release()


@cython.final
cdef class InstanceList:
    """The instances of one resolve, which end together with the last of them."""

    cdef troupe_instance_list *c
    cdef int fork_count

    def __dealloc__(self):
        cdef troupe_instance_list *items = self.c
        if items != NULL and self.fork_count == fork_count and not is_finalizing:
            with nogil:
                troupe_instance_list_free(items)


cdef class Instance:
    """An instance that a factory of a plugin made. It keeps its plugin loaded."""

    cdef troupe_instance_t *c
    cdef InstanceList items
    cdef object cached_registration

    @property
    def registration(self):
        """The registration of the factory."""
        # Made on demand, since it takes longer than a short item of a pipe.
        if self.cached_registration is None:
            self.cached_registration = make_registration(troupe_instance_registration(self.c))
        return self.cached_registration

    @property
    def object(self):
        """The addresses of the object and of its contract's table of functions in C; None for those that it does not have."""
        cdef const void *table = NULL
        cdef void *object = troupe_instance_object(self.c, &table)
        return <uintptr_t>object or None, <uintptr_t>table or None

    def __repr__(self):
        return f"<troupe.{builtin_type(self).__name__} {self.registration.name}>"

    def __reduce__(self):
        remedy = "call Host.resolve in each process, or pipe of troupe.dask or troupe.spark"
        raise not_picklable(self, "exists in one process alone", remedy)


cdef object resolve(Host host, list tags, object contract, list arguments, object scope):
    cdef const troupe_host_t *c = host.handle()
    cdef troupe_request request
    cdef troupe_error *error = NULL
    cdef troupe_instance_list *items
    cdef list kept = []
    cdef Scope used = scope
    cdef Block memory = Block.allocate(len(arguments), sizeof(troupe_call_value))
    cdef troupe_call_value *values = <troupe_call_value *>memory.start
    memset(&request, 0, sizeof(request))
    request.struct_size = sizeof(request)
    request.tags = texts([text_bytes(str(tag)) for tag in tags], kept)
    request.tag_count = len(tags)
    if contract is not None:
        kept.append(text_bytes(contract))
        request.contract = PyBytes_AS_STRING(kept[-1])
    for index, argument in enumerate(arguments):
        fill(&values[index], None, argument, kept, f"argument {index + 1}")
    request.arguments = values
    request.argument_count = len(arguments)
    if used is not None:
        if used.closed:
            raise errors.InvalidArgument("the scope is closed; call Host.scope again", remedy="call Host.scope again")
        request.scope = used.c
        used.uses += 1
    try:
        with nogil:
            items = troupe_host_resolve(c, &request, &error)
    finally:
        if used is not None:
            used.uses -= 1
            if used.closed and used.uses == 0:
                used.release()
    if items == NULL:
        raise host.failure(error)
    return make_instances(items)


cdef list make_instances(troupe_instance_list *items):
    cdef InstanceList owner = InstanceList.__new__(InstanceList)
    cdef Instance instance
    owner.c = items
    owner.fork_count = fork_count
    instances = []
    for index in range(items.count):
        if troupe_instance_is_transform(items.items[index]):
            instance = Transform.__new__(Transform)
        else:
            instance = Instance.__new__(Instance)
        instance.c = items.items[index]
        instance.items = owner
        instances.append(instance)
    return instances


cdef struct Output:
    char *bytes
    size_t count
    size_t capacity


cdef troupe_status append_output(void *context, const void *bytes, size_t count) noexcept nogil:
    """Appends a piece of output to memory, without the GIL."""
    cdef Output *output = <Output *>context
    cdef size_t capacity
    cdef char *grown
    if count > output.capacity - output.count:
        capacity = 2 * output.capacity if 2 * output.capacity >= output.count + count else output.count + count
        grown = <char *>realloc(output.bytes, capacity)
        if grown == NULL:
            return TROUPE_FAILED
        output.bytes = grown
        output.capacity = capacity
    if count > 0:
        memcpy(output.bytes + output.count, bytes, count)
    output.count += count
    return TROUPE_OK


cdef class Transform(Instance):
    """A stage that turns a stream of bytes into another one.

    ::

        for stage in host.resolve(tags=["text"]):
            data = stage(data)

    Call `feed` for each piece of input, and `finish` at its end, or the transform itself for all of the input. One thread at a time
    may use a transform, and each transform for one stream, or for one after another with a `reset` between them.
    """

    cdef bint is_busy

    cdef object transform(self, object data, bint is_fed, bint is_end):
        """Passes a bytes-like object if `is_fed`, and then ends the input if `is_end`. Returns the output of both."""
        cdef Output output
        cdef Py_buffer view
        cdef troupe_error *error = NULL
        cdef troupe_status status = TROUPE_OK
        cdef troupe_instance_t *instance = self.c
        if self.is_busy:
            raise errors.InvalidArgument(
                "another thread uses the transform; resolve one for each thread", remedy="resolve one for each thread")
        memset(&output, 0, sizeof(output))
        memset(&view, 0, sizeof(view))
        if is_fed:
            self.get_buffer(data, &view)
        self.is_busy = True
        try:
            with nogil:
                if is_fed:
                    status = troupe_transform_feed(instance, view.buf, view.len, append_output, &output, &error)
                if is_end and status == TROUPE_OK:
                    status = troupe_transform_finish(instance, append_output, &output, &error)
            if status != TROUPE_OK:
                raise take_exception(error)
            return PyBytes_FromStringAndSize(output.bytes, output.count)
        finally:
            self.is_busy = False
            free(output.bytes)
            PyBuffer_Release(&view)

    cdef int get_buffer(self, object data, Py_buffer *view) except -1:
        try:
            PyObject_GetBuffer(data, view, PyBUF_SIMPLE)
        except (TypeError, ValueError, BufferError) as problem:
            name = self.registration.name
            remedy = "encode it: text.encode()" if isinstance(data, str) else "pass contiguous bytes"
            raise errors.InvalidData(f"{name}: {problem}; {remedy}", subject=name, remedy=remedy) from None
        return 0

    def feed(self, data):
        """Passes a bytes-like object to the transform. Returns the output that it causes."""
        return self.transform(data, True, False)

    def finish(self):
        """Ends the input. Returns the rest of the output."""
        return self.transform(None, False, True)

    def reset(self):
        """Makes the transform as it was when it was resolved, for another input. Returns whether its stage can do that; resolve another
        one if it cannot."""
        cdef troupe_instance_t *instance = self.c
        cdef bint is_reset = False
        if not self.is_busy:
            is_reset = troupe_transform_reset(instance)
        return is_reset

    def __call__(self, data):
        """Passes all of the input. Returns all of the output."""
        return self.transform(data, True, True)

    def run(self, readable, writable, size=65536):
        """Passes all bytes of a file object, in pieces of `size` bytes, and writes the output to another one."""
        from troupe.streams import write_all
        while piece := readable.read(size):
            write_all(writable, self.feed(piece))
        write_all(writable, self.finish())

    def reader(self, readable):
        """Returns a readable file object with the output for the input of another one."""
        from troupe.streams import TransformReader
        return TransformReader(self, readable)

    def writer(self, writable):
        """Returns a writable file object whose input is transformed and written to another one. `close` finishes the transform."""
        from troupe.streams import TransformWriter
        return TransformWriter(self, writable)
