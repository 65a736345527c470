# Arrow's C data interface, in both directions and without pyarrow.
#
# A chunk is moved out of its producer's struct, and released with the last NumPy view of it. Streams run without the GIL, since their
# producers may compute on threads that need it; the functions of a stream are called on this thread alone.

cdef extern from "troupe-host.h":
    enum:
        ARROW_FLAG_NULLABLE

    cdef struct ArrowSchema:
        const char *format
        const char *name
        const char *metadata
        int64_t flags
        int64_t n_children
        ArrowSchema **children
        ArrowSchema *dictionary
        void (*release)(ArrowSchema *) noexcept nogil
        void *private_data

    cdef struct CArrowArray "ArrowArray":
        int64_t length
        int64_t null_count
        int64_t offset
        int64_t n_buffers
        int64_t n_children
        const void **buffers
        CArrowArray **children
        CArrowArray *dictionary
        void (*release)(CArrowArray *) noexcept nogil
        void *private_data


cdef extern from "arrow.h":
    enum:
        ARROW_DEVICE_CPU

    cdef struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream *, ArrowSchema *) noexcept nogil
        int (*get_next)(ArrowArrayStream *, CArrowArray *) noexcept nogil
        const char *(*get_last_error)(ArrowArrayStream *) noexcept
        void (*release)(ArrowArrayStream *) noexcept

    cdef struct ArrowDeviceArray:
        CArrowArray array
        int32_t device_type

    cdef struct ArrowDeviceArrayStream:
        int32_t device_type
        int (*get_schema)(ArrowDeviceArrayStream *, ArrowSchema *) noexcept nogil
        int (*get_next)(ArrowDeviceArrayStream *, ArrowDeviceArray *) noexcept nogil
        const char *(*get_last_error)(ArrowDeviceArrayStream *) noexcept
        void (*release)(ArrowDeviceArrayStream *) noexcept


# The type strings of numbers by their formats.
cdef dict arrow_dtypes = {
    b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8", b"L": "u8", b"e": "f2", b"f": "f4", b"g": "f8"}

# The names of formats that no parameter takes, by their beginnings, and the type by which their elements become integers.
cdef tuple arrow_names = (
    (b"td", "dates", "timestamp[ms]"), (b"tt", "times", "time64[ns]"), (b"ts", "timestamps", "int64"),
    (b"tD", "durations", "int64"), (b"ti", "intervals", ""), (b"+v", "list views", ""), (b"+m", "maps", ""),
    (b"+u", "unions", ""))

cdef tuple arrow_methods = ("__arrow_c_array__", "__arrow_c_stream__", "__arrow_c_device_array__", "__arrow_c_device_stream__")


cdef bint is_arrow_producer(object value):
    return any(hasattr(value, method) for method in arrow_methods)


@cython.final
cdef class ArrowType:
    """A schema. A capsule owns that of an array; `own` is that of a stream."""

    cdef object capsule
    cdef ArrowSchema own
    cdef ArrowSchema *c

    def __dealloc__(self):
        if self.own.release != NULL:
            self.own.release(&self.own)


@cython.final
cdef class ArrowChunk:
    """An array that was moved out of its producer, and is released with the last reference."""

    cdef CArrowArray c

    def __dealloc__(self):
        if self.c.release != NULL:
            self.c.release(&self.c)


@cython.final
cdef class ArrowMemory:
    """A buffer of a chunk, for NumPy."""

    cdef object owner
    cdef readonly dict __array_interface__


cdef tuple import_arrow(object value, str where):
    """Returns the type and the chunks of an Arrow producer."""
    cdef ArrowType type = ArrowType.__new__(ArrowType)
    cdef ArrowChunk chunk = ArrowChunk.__new__(ArrowChunk)
    cdef CArrowArray *array
    cdef ArrowDeviceArray *device
    if hasattr(value, "__arrow_c_array__"):
        type.capsule, capsule = value.__arrow_c_array__()
        array = <CArrowArray *>PyCapsule_GetPointer(capsule, "arrow_array")
    elif hasattr(value, "__arrow_c_stream__"):
        return import_stream(value.__arrow_c_stream__(), type, where)
    elif hasattr(value, "__arrow_c_device_array__"):
        type.capsule, capsule = value.__arrow_c_device_array__()
        device = <ArrowDeviceArray *>PyCapsule_GetPointer(capsule, "arrow_device_array")
        check_device(device.device_type, where)
        array = &device.array
    else:
        return import_device_stream(value.__arrow_c_device_stream__(), type, where)
    type.c = <ArrowSchema *>PyCapsule_GetPointer(type.capsule, "arrow_schema")
    if array.release == NULL:
        raise released(where)
    chunk.c = array[0]
    array.release = NULL
    return type, [chunk]


cdef object released(str where):
    remedy = "pass a producer that exports its column anew"
    return errors.InvalidData(f"{where}: the column was consumed before; {remedy}", subject=where, remedy=remedy)


# The producer may compute the chunks on threads that run Python, so it runs without the GIL.

cdef tuple import_stream(object capsule, ArrowType type, str where):
    cdef ArrowArrayStream *stream = <ArrowArrayStream *>PyCapsule_GetPointer(capsule, "arrow_array_stream")
    cdef ArrowChunk chunk
    cdef int status
    if stream.release == NULL:
        raise released(where)
    type.c = &type.own
    with nogil:
        status = stream.get_schema(stream, type.c)
    chunks = []
    while status == 0:
        chunk = ArrowChunk.__new__(ArrowChunk)
        with nogil:
            status = stream.get_next(stream, &chunk.c)
        if status == 0 and chunk.c.release == NULL:
            stream.release(stream)
            return type, chunks
        chunks.append(chunk)
    raise stream_error(status, stream.get_last_error(stream), where)


cdef tuple import_device_stream(object capsule, ArrowType type, str where):
    cdef ArrowDeviceArrayStream *stream = <ArrowDeviceArrayStream *>PyCapsule_GetPointer(capsule, "arrow_device_array_stream")
    cdef ArrowDeviceArray device
    cdef ArrowChunk chunk
    cdef int status
    if stream.release == NULL:
        raise released(where)
    check_device(stream.device_type, where)
    type.c = &type.own
    with nogil:
        status = stream.get_schema(stream, type.c)
    chunks = []
    while status == 0:
        memset(&device, 0, sizeof(device))
        with nogil:
            status = stream.get_next(stream, &device)
        if status == 0 and device.array.release == NULL:
            stream.release(stream)
            return type, chunks
        chunk = ArrowChunk.__new__(ArrowChunk)
        chunk.c = device.array
        chunks.append(chunk)
    raise stream_error(status, stream.get_last_error(stream), where)


cdef object stream_error(int status, const char *text, str where):
    remedy = "read the column without the call to see its error"
    problem = f"the stream of the column fails: {text_or_none(text) or os.strerror(status)}"
    return errors.InvalidData(f"{where}: {problem}; {remedy}", subject=where, remedy=remedy)


cdef int check_device(int32_t device, str where) except -1:
    if device == ARROW_DEVICE_CPU:
        return 0
    remedy = "copy it to the memory of the processor"
    raise errors.InvalidData(f"{where}: the column is in the memory of the device {device}; {remedy}", subject=where, remedy=remedy)


class UnknownFormat(Exception):
    """An Arrow array has a type that no parameter takes: its name, and the type by which its elements become integers, or ""."""


class Malformed(Exception):
    """A producer's array breaks the rules of the interface."""


cdef Column arrow_column(object value, str where, Type expected):
    """Returns the column of an Arrow producer. One chunk of numbers is not copied."""
    cdef ArrowType type
    cdef ArrowChunk chunk
    type, chunks = import_arrow(value, where)
    try:
        columns = [decode(type.c, &(<ArrowChunk>chunk).c, (<ArrowChunk>chunk).c.offset, (<ArrowChunk>chunk).c.length, chunk)
                   for chunk in chunks or [ArrowChunk.__new__(ArrowChunk)]]
    except UnknownFormat as unknown:
        name, cast = unknown.args
        raise column_kind_error(name, value, expected, where, cast) from None
    except Malformed as malformed:
        remedy = "correct the producer of the column"
        raise errors.InvalidData(f"{where}: the Arrow array {malformed}; {remedy}", subject=where, remedy=remedy) from None
    return columns[0] if len(columns) == 1 else concatenate(columns)


cdef Column concatenate(list columns):
    cdef Column first = columns[0]
    cdef Column self = Column.of_arrow(sum([(<Column>column).length for column in columns]))
    if first.fields is not None:
        self.fields = {name: concatenate([(<Column>column).fields[name] for column in columns]) for name in first.fields}
    else:
        # The chunks of an encoded column, or of one of decimals, may have different forms.
        is_same = len({(<Column>column).array.dtype for column in columns}) == len({(<Column>column).scale for column in columns}) == 1
        self.array = numpy.concatenate([
            (<Column>column).array if is_same else (<Column>column).with_objects().array for column in columns])
        self.scale = first.scale if is_same else 0
    masks = [(<Column>column).nulls() for column in columns]
    if any(mask is not None for mask in masks):
        self.mask = numpy.concatenate([
            numpy.zeros((<Column>column).length, bool) if mask is None else mask for column, mask in zip(columns, masks)])
    return self


cdef object buffer_view(const void *start, object dtype, int64_t first, int64_t count, object owner):
    """Returns elements of a buffer, which keep the chunk."""
    cdef ArrowMemory memory
    dtype = numpy.dtype(dtype)
    if count == 0 or start == NULL:
        return numpy.zeros(count, dtype)
    memory = ArrowMemory.__new__(ArrowMemory)
    memory.owner = owner
    memory.__array_interface__ = {
        "version": 3, "typestr": dtype.str, "shape": (count,),
        "data": (<uintptr_t>start + first * <size_t>dtype.itemsize, True)}
    return numpy.asarray(memory)


cdef object unpack_bits(const void *start, int64_t first, int64_t count):
    """Returns bits as booleans."""
    if count == 0 or start == NULL:
        return numpy.zeros(count, bool)
    octets = PyBytes_FromStringAndSize(<const char *>start + first // 8, (first % 8 + count + 7) // 8)
    bits = numpy.unpackbits(numpy.frombuffer(octets, numpy.uint8), bitorder="little")
    return bits[first % 8:first % 8 + count].view(bool)


cdef Column decode(const ArrowSchema *schema, const CArrowArray *array, int64_t first, int64_t count, object owner):
    """Returns elements of an array, counted from the begin of its buffers. `array` is zero for no elements."""
    cdef Column self = Column.of_arrow(count)
    self.owner = owner
    if schema.format == NULL:
        raise Malformed("has no format")
    format = <bytes>schema.format
    check_structure(schema, array, format, first, count)
    if array.n_buffers > 0 and array.buffers[0] != NULL and array.null_count != 0 and count > 0 and format not in (b"n", b"+r"):
        self.validity = <const uint8_t *>array.buffers[0]
        self.validity_offset = first
    if schema.dictionary != NULL:
        codes = buffer_view(data_buffer(array, 1), arrow_dtypes[format], first, count, owner)
        values = decode(
            schema.dictionary, array.dictionary if array.dictionary != NULL else array,
            0 if array.dictionary == NULL else array.dictionary.offset,
            0 if array.dictionary == NULL else array.dictionary.length, owner)
        return take(values, codes, self.nulls())
    if format in arrow_dtypes:
        self.array = buffer_view(data_buffer(array, 1), arrow_dtypes[format], first, count, owner)
    elif format == b"b":
        self.array = unpack_bits(data_buffer(array, 1), first, count)
    elif format == b"n":
        self.array, self.mask = numpy.full(count, None, object), numpy.ones(count, bool)
    elif format in (b"u", b"U", b"z", b"Z", b"vu", b"vz") or format.startswith(b"w:"):
        self.array = decode_texts(self, array, format, first, count)
    elif format.startswith(b"d:"):
        self.array = decode_decimals(self, array, format, first, count, owner)
    elif format == b"+s":
        self.fields = {}
        for index in range(schema.n_children):
            name = text_or_none(schema.children[index].name) or ""
            if name in self.fields:
                raise Malformed(f"has two fields that are named {name!r}")
            self.fields[name] = decode_child(schema, array, index, first, count, owner)
    elif format in (b"+l", b"+L") or format.startswith(b"+w:"):
        self.array = decode_lists(schema, array, format, first, count, owner)
    elif format == b"+r":
        values = decode_child(schema, array, 1, 0, -1, owner)
        if count == 0:
            return take(values, numpy.zeros(0, int), None)
        ends = decode_child(schema, array, 0, 0, -1, owner)
        return take(values, numpy.searchsorted((<Column>ends).array, first + numpy.arange(count), side="right"), None)
    else:
        raise UnknownFormat(*next(
            ((name, cast) for start, name, cast in arrow_names if format.startswith(start)), (f"Arrow's format {format.decode()}", "")))
    return self


# The number of buffers of formats that have another one than two.
cdef dict buffer_counts = {b"n": 0, b"u": 3, b"U": 3, b"z": 3, b"Z": 3, b"vu": 3, b"vz": 3, b"+s": 1, b"+r": 0}


cdef int check_structure(const ArrowSchema *schema, const CArrowArray *array, bytes format, int64_t first, int64_t count) except -1:
    """Raises `Malformed` for an array whose structs do not agree, and `UnknownFormat` for one whose elements mean something else."""
    extension = extension_name(schema.metadata)
    if extension not in (None, "arrow.json"):
        raise UnknownFormat(f"the extension type {extension}", "")
    if first < 0 or count < 0 or array.offset < 0 or first + count > array.offset + array.length:
        raise Malformed(f"has {array.length} elements from {array.offset}, and those up to {first + count} are expected")
    if count == 0:
        return 0
    needed = 1 if format.startswith(b"+w:") else buffer_counts.get(format, 2)
    if array.n_buffers < needed or needed > 0 and array.buffers == NULL:
        raise Malformed(f"has {array.n_buffers} buffers, and {needed} are expected")
    if array.n_children < schema.n_children or schema.n_children > 0 and (array.children == NULL or schema.children == NULL):
        raise Malformed(f"has {array.n_children} children, and {schema.n_children} are expected")
    children = 2 if format == b"+r" else 1 if format[:2] in (b"+l", b"+L", b"+w") else 0
    if schema.n_children < children:
        raise Malformed(f"has {schema.n_children} children, and {children} are expected")
    if schema.dictionary != NULL and (array.dictionary == NULL or format not in arrow_dtypes):
        raise Malformed("has no dictionary")
    if needed > 1 and array.buffers[1] == NULL and array.null_count != array.length:
        raise Malformed("has no data")
    return 0


cdef object extension_name(const char *metadata):
    """Returns the name of an extension type in the metadata of a schema: pairs of texts, each behind its size."""
    if metadata == NULL:
        return None
    cdef int32_t pairs = (<const int32_t *>metadata)[0]
    cdef const char *next = metadata + 4
    texts = []
    for _ in range(2 * pairs):
        size = (<const int32_t *>next)[0]
        texts.append(PyBytes_FromStringAndSize(next + 4, size))
        next += 4 + <int32_t>size
    for key, value in zip(texts[::2], texts[1::2]):
        if key == b"ARROW:extension:name":
            return value.decode("utf-8", "replace")
    return None


cdef const void *data_buffer(const CArrowArray *array, int64_t index):
    return array.buffers[index] if array.n_buffers > index else NULL


cdef Column decode_child(
    const ArrowSchema *schema, const CArrowArray *array, int64_t index, int64_t first, int64_t count, object owner
):
    """Returns elements of a child; all of them for a negative count."""
    if array.n_children <= index:
        return decode(schema.children[index], array, 0, 0, owner)
    child = array.children[index]
    return decode(schema.children[index], child, child.offset + first, child.length if count < 0 else count, owner)


cdef object decode_lists(const ArrowSchema *schema, const CArrowArray *array, bytes format, int64_t first, int64_t count, object owner):
    """Returns the lists of an array as objects."""
    lists = numpy.empty(count, object)
    if format.startswith(b"+w:"):
        ends = int(format[3:]) * (first + numpy.arange(count + 1))
    else:
        ends = buffer_view(data_buffer(array, 1), "i4" if format == b"+l" else "i8", first, count + 1 if count > 0 else 0, owner)
    start, end = (int(ends[0]), int(ends[-1])) if count > 0 else (0, 0)
    if (numpy.diff(ends) < 0).any():
        raise Malformed("has offsets of lists that descend")
    items = decode_child(schema, array, 0, start, end - start, owner).objects()
    for row in range(count):
        lists[row] = items[ends[row] - start:ends[row + 1] - start]
    return lists


cdef Column take(Column values, object indexes, object nulls):
    """Returns elements by their indexes, which may be anything where `nulls` is true."""
    cdef Column self = Column.of_arrow(len(indexes))
    if nulls is not None:
        indexes = numpy.where(nulls, 0, indexes)
    if self.length > 0 and not (nulls is not None and nulls.all()) and (indexes.min() < 0 or indexes.max() >= values.length):
        raise Malformed(f"has indexes from {indexes.min()} to {indexes.max()} of {values.length} elements")
    if values.fields is not None:
        self.fields = {name: take(field, indexes, nulls) for name, field in values.fields.items()}
    elif values.length == 0:
        self.array = numpy.full(self.length, None, object)
    else:
        self.array, self.scale = values.array[indexes], values.scale
    inner = values.nulls()
    if inner is not None and values.length > 0:
        inner = inner[indexes]
        nulls = inner if nulls is None else nulls | inner
    self.mask = nulls
    return self


cdef object decode_texts(Column column, const CArrowArray *array, bytes format, int64_t first, int64_t count):
    """Returns the texts or bytes of an array as objects; None for nulls."""
    texts = numpy.full(count, None, object)
    if count == 0:
        return texts
    cdef bint is_text = format.endswith((b"u", b"U")), is_view = format.startswith(b"v"), is_large = format in (b"U", b"Z")
    cdef int64_t width = int(format[2:]) if format.startswith(b"w:") else -1
    cdef const int32_t *offsets = <const int32_t *>data_buffer(array, 1)
    cdef const int64_t *large_offsets = <const int64_t *>data_buffer(array, 1)
    cdef const char *data = <const char *>data_buffer(array, 1 if width >= 0 else 2)
    cdef const char *start
    cdef const int32_t *view
    cdef int64_t index, row, size
    nulls = column.nulls()
    for index in range(count):
        if nulls is not None and nulls[index]:
            continue
        row = first + index
        if is_view:
            # The size, and either up to twelve bytes, or their first four, the index of a buffer, and an offset in it.
            view = offsets + 4 * row
            size = view[0]
            if size < 0 or size > 12 and not 0 <= view[2] < array.n_buffers - 3:
                raise Malformed(f"has a text in the buffer {view[2]}, which does not exist")
            start = <const char *>(view + 1) if size <= 12 else <const char *>array.buffers[2 + view[2]] + view[3]
        elif width >= 0:
            start, size = data + row * width, width
        elif is_large:
            start, size = data + large_offsets[row], large_offsets[row + 1] - large_offsets[row]
        else:
            start, size = data + offsets[row], offsets[row + 1] - offsets[row]
        if size < 0 or size > 0 and start == NULL:
            raise Malformed("has offsets of texts that descend, or no texts")
        texts[index] = (
            PyUnicode_DecodeUTF8(start, size, "surrogateescape") if is_text else PyBytes_FromStringAndSize(start, size))
    return texts


cdef object decode_decimals(Column column, const CArrowArray *array, bytes format, int64_t first, int64_t count, object owner):
    """Returns decimals as integers and a scale if 64 bits hold them, and else as objects."""
    parts = [int(part) for part in format[2:].split(b",")]
    scale, words = parts[1], (parts[2] if len(parts) > 2 else 128) // 64
    if words == 0:
        numbers = buffer_view(data_buffer(array, 1), "i4", first, count, owner).astype("i8")
    else:
        limbs = buffer_view(data_buffer(array, 1), "i8", words * first, words * count, owner).reshape(count, words)
        numbers, nulls = limbs[:, 0], column.nulls()
        # The higher words repeat the sign of the lowest.
        is_small = (limbs[:, 1:] == (numbers >> 63)[:, None]).all(axis=1)
        if not (is_small if nulls is None else is_small | nulls).all():
            return decimals([int.from_bytes(row.tobytes(), "little", signed=True) for row in limbs], scale)
    if scale < 0:
        return decimals(numbers.tolist(), scale)
    column.scale = scale
    return numbers


cdef object decimals(list numbers, int scale):
    """Returns integers without their last digits, which are behind the point, as objects."""
    result = numpy.empty(len(numbers), object)
    for index, number in enumerate(numbers):
        result[index] = decimal.Decimal((number < 0, tuple(map(int, str(abs(number)))), -scale))
    return result


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
