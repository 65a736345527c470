# Structs of C, and memory that a program has for C.

cdef class Reference:
    """A pointer to a struct in C, such as a node of a tree or a `FILE *`. It keeps its identity through calls and members.

    ::

        node = host.functions["parse"](text)
        node["value"], node.value          # read where they are
        node["next.name"]                  # follows the pointer `next`
        node["value"] = 7
        node[""]                           # all members, as a named tuple

    Nothing else is copied. A member that is a pointer to a struct is another reference, which keeps this one. `len` is the number of
    members: 0 if only the library knows the struct. An attribute of this class hides a member of the same name, which `[]` finds.

    Pass it to functions of the library. `close`, the end of a ``with`` block or of the last reference releases it, with the function that
    the signature names. If there is none, the library releases the struct when it likes, as in C.
    """

    cdef troupe_object *object
    cdef int uses
    cdef bint is_closed
    cdef int fork_count
    cdef Type cached_type
    # What C has pointers to since a member was written, by path.
    cdef dict written

    @staticmethod
    cdef Reference take(troupe_call_value *value):
        cdef Reference self = Reference.__new__(Reference)
        self.object = value.content.object
        self.fork_count = fork_count
        value.kind = TROUPE_VALUE_VOID
        return self

    def __reduce__(self):
        raise not_picklable(self, "is valid in one process alone", "make it in the process that uses it")

    cdef int check(self) except -1:
        if self.is_closed or self.object == NULL:
            raise errors.InvalidData("the handle is closed; get another one", remedy="get another one")
        return 0

    cdef int fill(self, troupe_call_value *slot, list kept) except -1:
        self.check()
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

    cdef Type get_type(self):
        if self.cached_type is None:
            self.check()
            self.cached_type = make_type(troupe_object_type(self.object), {})
        return self.cached_type

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

    def __len__(self):
        return len(self.get_type().fields())

    def __bool__(self):
        return True

    cdef str path(self, object key):
        if not isinstance(key, str):
            raise TypeError(f"the members of {self.get_type().name} have names, not {builtin_type(key).__name__}")
        return key

    cdef Type type_at(self, str path):
        return self.get_type().at(path)

    def __getitem__(self, key):
        cdef troupe_call_value result
        cdef troupe_error *error = NULL
        cdef troupe_status status
        self.check()
        path = self.path(key)
        encoded = text_bytes(path)
        cdef const char *text = PyBytes_AS_STRING(encoded)
        use = HandleUse.of(self)
        with nogil:
            status = troupe_object_read(self.object, text, &result, &error)
        if status != TROUPE_OK:
            raise take_exception(error)
        try:
            return from_value(&result, self.type_at(path))
        finally:
            with nogil:
                troupe_call_value_clear(&result)

    def __setitem__(self, key, value):
        cdef troupe_call_value slot
        cdef troupe_error *error = NULL
        cdef list kept = []
        self.check()
        path = self.path(key)
        encoded = text_bytes(path)
        fill(&slot, self.type_at(path), value, kept, f"{self.get_type().name}: {path}")
        if troupe_object_write(self.object, PyBytes_AS_STRING(encoded), &slot, &error) != TROUPE_OK:
            raise take_exception(error)
        if self.written is None:
            self.written = {}
        self.written[path] = kept

    cdef str member_name(self, object name):
        """Returns the member of an attribute, whose name may have been changed for Python; None if there is none."""
        if name.startswith("__") or self.is_closed or self.object == NULL:
            return None
        names = [known for known, _ in self.get_type().fields()]
        return name if name in names else dict(zip(identifiers(names), names)).get(name)

    def __getattr__(self, name):
        member = self.member_name(name)
        if member is None:
            raise AttributeError(f"{self!r} has no member {name!r}", name=name, obj=self)
        return self[member]

    def __setattr__(self, name, value):
        member = self.member_name(name)
        if member is None:
            raise AttributeError(f"{self!r} has no member {name!r}", name=name, obj=self)
        self[member] = value

    def __dir__(self):
        return list(object.__dir__(self)) + ([] if self.is_closed else identifiers([name for name, _ in self.get_type().fields()]))

    def __repr__(self):
        kind = f"<troupe.{builtin_type(self).__name__}"
        if self.is_closed or self.object == NULL:
            return f"{kind} closed>"
        text = f"{kind} {self.get_type().name} {hex(self.address or 0)}"
        if self.get_type().record is None:
            return f"{text}>"
        try:
            members = self[""]
        except errors.Error:
            return f"{text}>"
        # A reference by its address, since structs may refer to each other.
        shown = [
            f"{name}={hex((<Reference>value).address or 0) if isinstance(value, Reference) else repr(value)}"
            for name, value in zip(members._fields, members)] if hasattr(members, "_fields") else [repr(members)]
        return f"{text}: {', '.join(shown)}>"

    def __dealloc__(self):
        self.release()


@cython.final
@cython.no_gc
cdef class HandleUse:
    """The use of a reference by one call, or by one view of memory."""

    cdef Reference reference

    @staticmethod
    cdef HandleUse of(Reference reference):
        cdef HandleUse self = HandleUse.__new__(HandleUse)
        self.reference = reference
        reference.uses += 1
        return self

    def __dealloc__(self):
        self.reference.uses -= 1
        if self.reference.is_closed and self.reference.uses == 0:
            self.reference.release()


@cython.final
cdef class Memory(Reference):
    """Memory of a C type, zero at first: a struct in which a library keeps its state, or an array that several calls fill.

    ::

        state = troupe.Memory("struct state { int x; double sum[4]; }")
        state["sum[2]"] = 0.5
        numbers = troupe.Memory("double", 1000)
        numpy.asarray(numbers)[:] = 1      # the memory itself, by the buffer protocol

    :param type: the type of an element as in a signature, with declarations in front of it.
    :param count: the number of elements.

    Pass it for a pointer to its type, for `void *`, or as a buffer. `len` is the number of elements, and ``[i]`` one of them. Keep it for as
    long as C uses it. Arrays and views of it keep it, too, also after `close`.
    """

    cdef Py_ssize_t count

    def __init__(self, type, count=1):
        cdef troupe_error *error = NULL
        if self.object != NULL:
            raise RuntimeError("the memory is made already")
        if not hasattr(builtin_type(count), "__index__") or not 0 < count < 1 << 62:
            remedy = "pass the number of elements"
            raise errors.InvalidArgument(f"count: is {count!r}; {remedy}", subject="count", remedy=remedy)
        encoded = text_bytes(str(type))
        self.count = count
        self.object = troupe_memory_new(encoded, self.count, &error)
        if self.object == NULL:
            raise take_exception(error)
        self.fork_count = fork_count

    def __len__(self):
        return self.count

    cdef str path(self, object key):
        if isinstance(key, str):
            return key
        cdef Py_ssize_t index = key.__index__()
        if not -self.count <= index < self.count:
            raise IndexError(f"memory of {self.count} elements has no element {index}")
        return "" if self.count == 1 else f"[{index % self.count}]"

    cdef Type type_at(self, str path):
        # A path into several elements begins with an index.
        if self.count > 1:
            path = path.partition("]")[2]
        return self.get_type().at(path)

    def __getbuffer__(self, Py_buffer *view, int flags):
        self.check()
        dtype = self.get_type().dtype
        array = numpy.frombuffer(MemoryBytes.of(self), numpy.uint8 if dtype is None else dtype)
        PyObject_GetBuffer(array, view, flags)


@cython.final
cdef class MemoryBytes:
    """The bytes of memory for NumPy, which keep the memory."""

    cdef HandleUse use

    @staticmethod
    cdef MemoryBytes of(Memory memory):
        cdef MemoryBytes self = MemoryBytes.__new__(MemoryBytes)
        self.use = HandleUse.of(memory)
        return self

    def __getbuffer__(self, Py_buffer *view, int flags):
        cdef Memory memory = <Memory>self.use.reference
        PyBuffer_FillInfo(
            view, self, troupe_object_address(memory.object), memory.count * <Py_ssize_t>memory.get_type().size, 0, flags)
