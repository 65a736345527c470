# Results as arrays of the Arrow C data interface, without pyarrow.

# The formats of results by their types. Complex numbers and long doubles have none.
cdef dict arrow_formats = {
    TROUPE_TYPE_BOOL: b"b", TROUPE_TYPE_INT8: b"c", TROUPE_TYPE_INT16: b"s", TROUPE_TYPE_INT32: b"i", TROUPE_TYPE_INT64: b"l",
    TROUPE_TYPE_UINT8: b"C", TROUPE_TYPE_UINT16: b"S", TROUPE_TYPE_UINT32: b"I", TROUPE_TYPE_UINT64: b"L", TROUPE_TYPE_FLOAT: b"f",
    TROUPE_TYPE_DOUBLE: b"g", TROUPE_TYPE_STRING: b"u", TROUPE_TYPE_WIDE_STRING: b"u"}


cdef bint has_arrow_type(Type type):
    if type.code == TROUPE_TYPE_ENUM or type.code == TROUPE_TYPE_ARRAY and not type.is_text():
        return has_arrow_type(type.element)
    if type.code == TROUPE_TYPE_STRUCT:
        return bool(type.members) and all(name and has_arrow_type(member) for name, member, _ in type.members)
    return type.code in arrow_formats or type.is_text()


@cython.final
cdef class ArrowArray:
    """The results of `Function.map` for columns of Arrow, where pyarrow is not installed.

    Any library that imports Arrow arrays takes it without a copy: ``polars.Series(result)``, ``nanoarrow.Array(result)``.
    """

    cdef bytes format, name
    cdef list buffers, children
    cdef object array
    cdef object mask
    cdef readonly Py_ssize_t null_count
    """The number of nulls."""

    @staticmethod
    cdef ArrowArray make(object array, object nulls, Type type, str name):
        """Returns the elements of a NumPy array; its memory, if Arrow stores them in the same form."""
        cdef ArrowArray self = ArrowArray.__new__(ArrowArray)
        while type.code == TROUPE_TYPE_ENUM:
            type = type.element
        self.array, self.mask, self.name = array, nulls, text_bytes(name)
        if array.dtype == object:
            missing = numpy.fromiter((item is None for item in array), bool, len(array))
            self.mask = nulls = missing if nulls is None else nulls | missing
        self.null_count = 0 if nulls is None else numpy.count_nonzero(nulls)
        self.buffers = [None if self.null_count == 0 else numpy.packbits(~nulls, bitorder="little")]
        self.children = []
        if type.code == TROUPE_TYPE_STRUCT:
            self.format = b"+s"
            self.children = [
                ArrowArray.make(member_array(array, index, name, member), None, member, name)
                for index, (name, member, _) in enumerate(type.members)]
        elif type.is_text():
            self.format = b"z"
            self.buffers += encode_texts(array.tolist())
        elif type.code == TROUPE_TYPE_ARRAY:
            self.format = b"+w:%d" % type.count
            self.children = [ArrowArray.make(array.reshape(-1), None, type.element, "item")]
        else:
            self.format = arrow_formats[type.code]
            if self.format == b"u":
                self.buffers += encode_texts(array.tolist())
            elif self.format == b"b":
                self.buffers.append(numpy.packbits(array, bitorder="little"))
            else:
                self.buffers.append(numpy.ascontiguousarray(array))
        return self

    def __arrow_c_schema__(self):
        cdef ArrowSchema *schema = <ArrowSchema *>allocate(sizeof(ArrowSchema))
        self.export_schema(schema)
        return PyCapsule_New(schema, "arrow_schema", free_schema)

    def __arrow_c_array__(self, requested_schema=None):
        """Returns the schema and the array; another requested type is not regarded, as the interface allows."""
        cdef CArrowArray *array = <CArrowArray *>allocate(sizeof(CArrowArray))
        self.export_array(array)
        return self.__arrow_c_schema__(), PyCapsule_New(array, "arrow_array", free_array)

    cdef int export_schema(self, ArrowSchema *schema) except -1:
        schema.format = PyBytes_AS_STRING(self.format)
        schema.name = PyBytes_AS_STRING(self.name)
        schema.flags = ARROW_FLAG_NULLABLE
        schema.n_children = len(self.children)
        schema.children = <ArrowSchema **>allocate(len(self.children) * sizeof(void *))
        for index, child in enumerate(self.children):
            schema.children[index] = <ArrowSchema *>allocate(sizeof(ArrowSchema))
            (<ArrowArray>child).export_schema(schema.children[index])
        schema.private_data = <void *>self
        schema.release = release_schema
        Py_INCREF(self)
        return 0

    cdef int export_array(self, CArrowArray *array) except -1:
        array.length = len(self.array)
        array.null_count = self.null_count
        array.n_buffers = len(self.buffers)
        array.buffers = <const void **>allocate(len(self.buffers) * sizeof(void *))
        for index, buffer in enumerate(self.buffers):
            array.buffers[index] = NULL if buffer is None else np.PyArray_DATA(buffer)
        array.n_children = len(self.children)
        array.children = <CArrowArray **>allocate(len(self.children) * sizeof(void *))
        for index, child in enumerate(self.children):
            array.children[index] = <CArrowArray *>allocate(sizeof(CArrowArray))
            (<ArrowArray>child).export_array(array.children[index])
        array.private_data = <void *>self
        array.release = release_array
        Py_INCREF(self)
        return 0

    def __len__(self):
        return len(self.array)

    def to_numpy(self):
        """Returns a masked array with the same memory."""
        return numpy.ma.MaskedArray(self.array, numpy.zeros(len(self), bool) if self.mask is None else self.mask)

    def to_pylist(self):
        """Returns the elements as Python objects: None for nulls, and dictionaries for structs."""
        return [None if self.mask is not None and self.mask[row] else python_object(self.array[row]) for row in range(len(self))]

    def __iter__(self):
        return iter(self.to_pylist())

    def __getitem__(self, row):
        return self.to_pylist()[row]

    def __array__(self, dtype=None, copy=None):
        """Returns the elements for NumPy: objects with None if there are nulls."""
        array = self.array if self.null_count == 0 else as_objects(self.to_pylist())
        return numpy.array(array, dtype, copy=copy)

    def __repr__(self):
        return f"<troupe.ArrowArray {self.format.decode()}: {len(self)} elements, {self.null_count} nulls>"


cdef object member_array(object array, Py_ssize_t index, str name, Type member):
    """Returns the values of a member: of a structured array, or of named tuples, which are None for null structs."""
    if array.dtype != object:
        return array[name]
    items = [None if item is None else item[index] for item in array]
    if member.dtype is not None and member.dtype.kind in "biufc":
        return numpy.array([0 if item is None else item for item in items], member.dtype)
    return as_objects(items)


cdef object as_objects(list items):
    """Returns items as an array of objects, whatever they are."""
    array = numpy.empty(len(items), object)
    for index, item in enumerate(items):
        array[index] = item
    return array


cdef object python_object(object item):
    """Returns an element of an array as a Python object."""
    if isinstance(item, numpy.void) and item.dtype.names:
        return {name: python_object(item[name]) for name in item.dtype.names}
    return item.tolist() if isinstance(item, (numpy.generic, numpy.ndarray)) else item


cdef list encode_texts(list items):
    """Returns the offsets and the bytes of texts."""
    encoded = [b"" if item is None else item if isinstance(item, bytes) else item.encode("utf-8", "surrogateescape") for item in items]
    offsets = numpy.zeros(len(items) + 1, "i8")
    numpy.cumsum([len(item) for item in encoded], out=offsets[1:])
    if offsets[-1] > 0x7FFFFFFF:
        remedy = "call map with fewer rows"
        raise errors.InvalidData(f"the texts of the result have {offsets[-1]} bytes, more than 2 GiB; {remedy}", remedy=remedy)
    return [offsets.astype("i4"), numpy.frombuffer(b"".join(encoded), numpy.uint8)]


cdef void *allocate(size_t size) except NULL:
    cdef void *memory = calloc(1, size if size > 0 else 1)
    if memory == NULL:
        raise MemoryError
    return memory


cdef void release_owner(void *owner) noexcept nogil:
    """Releases the object behind an exported struct, unless the interpreter ends."""
    if not troupe_callback_begin():
        return
    with gil:
        Py_DECREF(<object>owner)
    troupe_callback_end()


cdef void release_schema(ArrowSchema *schema) noexcept nogil:
    for index in range(schema.n_children):
        if schema.children[index].release != NULL:
            schema.children[index].release(schema.children[index])
        free(schema.children[index])
    free(schema.children)
    schema.release = NULL
    release_owner(schema.private_data)


cdef void release_array(CArrowArray *array) noexcept nogil:
    for index in range(array.n_children):
        if array.children[index].release != NULL:
            array.children[index].release(array.children[index])
        free(array.children[index])
    free(array.children)
    free(array.buffers)
    array.release = NULL
    release_owner(array.private_data)


cdef void free_schema(object capsule) noexcept:
    cdef ArrowSchema *schema = <ArrowSchema *>PyCapsule_GetPointer(capsule, "arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    free(schema)


cdef void free_array(object capsule) noexcept:
    cdef CArrowArray *array = <CArrowArray *>PyCapsule_GetPointer(capsule, "arrow_array")
    if array.release != NULL:
        array.release(array)
    free(array)
