# Objects that only their library knows.

@cython.final
cdef class Handle:
    """An object that only its library knows, such as a `FILE *`.

    Pass it to functions of the library. `close`, the end of a ``with`` block or of the last reference releases it, with the
    function that the signature names.
    """

    cdef troupe_object *object
    cdef int uses
    cdef bint is_closed
    cdef int fork_count

    @staticmethod
    cdef Handle take(troupe_call_value *value):
        cdef Handle self = Handle.__new__(Handle)
        self.object = value.content.object
        self.fork_count = fork_count
        value.kind = TROUPE_VALUE_VOID
        return self

    def __reduce__(self):
        raise not_picklable(self, "is valid in one process alone", "make it in the process that uses it")

    cdef int fill(self, troupe_call_value *slot, list kept) except -1:
        if self.is_closed:
            raise errors.InvalidData("the handle is closed; get another one", remedy="get another one")
        self.uses += 1
        kept.append(HandleUse.of(self))
        set_kind(slot, TROUPE_VALUE_OBJECT)
        slot.content.object = self.object
        return 0

    cdef void release(self) noexcept:
        cdef troupe_object *object = self.object
        self.object = NULL
        if object != NULL and self.fork_count == fork_count and not is_finalizing:
            with nogil:
                troupe_object_free(object)

    @property
    def address(self):
        """The address of the object, or None after the library has released it."""
        return None if self.object == NULL else <uintptr_t>troupe_object_address(self.object) or None

    @property
    def closed(self):
        """True after `close`."""
        return self.is_closed

    def close(self):
        """Releases the object, after the calls that use it."""
        self.is_closed = True
        if self.uses == 0:
            self.release()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        return f"<troupe.Handle {'closed' if self.is_closed else hex(self.address or 0)}>"

    def __dealloc__(self):
        self.release()


@cython.final
@cython.no_gc
cdef class HandleUse:
    """The use of a handle by one call."""

    cdef Handle handle

    @staticmethod
    cdef HandleUse of(Handle handle):
        cdef HandleUse self = HandleUse.__new__(HandleUse)
        self.handle = handle
        return self

    def __dealloc__(self):
        self.handle.uses -= 1
        if self.handle.is_closed and self.handle.uses == 0:
            self.handle.release()
