# Columns of the Arrow C data interface, without pyarrow.
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


class UnknownFormatError(Exception):
    """An Arrow array has a type that no parameter takes: its name, and the type by which its elements become integers, or ""."""


class MalformedArrayError(Exception):
    """A producer's array breaks the rules of the interface."""


cdef Column arrow_column(object value, str where, Type expected):
    """Returns the column of an Arrow producer. One chunk of numbers is not copied."""
    cdef ArrowType type
    cdef ArrowChunk chunk
    type, chunks = import_arrow(value, where)
    try:
        columns = [decode(type.c, &(<ArrowChunk>chunk).c, (<ArrowChunk>chunk).c.offset, (<ArrowChunk>chunk).c.length, chunk)
                   for chunk in chunks or [ArrowChunk.__new__(ArrowChunk)]]
    except UnknownFormatError as unknown:
        name, cast = unknown.args
        raise column_kind_error(name, value, expected, where, cast) from None
    except MalformedArrayError as malformed:
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
        raise MalformedArrayError("has no format")
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
                raise MalformedArrayError(f"has two fields that are named {name!r}")
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
        raise UnknownFormatError(*next(
            ((name, cast) for start, name, cast in arrow_names if format.startswith(start)), (f"Arrow's format {format.decode()}", "")))
    return self


# The number of buffers of formats that have another one than two.
cdef dict buffer_counts = {b"n": 0, b"u": 3, b"U": 3, b"z": 3, b"Z": 3, b"vu": 3, b"vz": 3, b"+s": 1, b"+r": 0}


cdef int check_structure(const ArrowSchema *schema, const CArrowArray *array, bytes format, int64_t first, int64_t count) except -1:
    """Raises `MalformedArrayError` for an array whose structs do not agree, and `UnknownFormatError` for one whose elements mean something else."""
    extension = extension_name(schema.metadata)
    if extension not in (None, "arrow.json"):
        raise UnknownFormatError(f"the extension type {extension}", "")
    if first < 0 or count < 0 or array.offset < 0 or first + count > array.offset + array.length:
        raise MalformedArrayError(f"has {array.length} elements from {array.offset}, and those up to {first + count} are expected")
    if count == 0:
        return 0
    needed = 1 if format.startswith(b"+w:") else buffer_counts.get(format, 2)
    if array.n_buffers < needed or needed > 0 and array.buffers == NULL:
        raise MalformedArrayError(f"has {array.n_buffers} buffers, and {needed} are expected")
    if array.n_children < schema.n_children or schema.n_children > 0 and (array.children == NULL or schema.children == NULL):
        raise MalformedArrayError(f"has {array.n_children} children, and {schema.n_children} are expected")
    children = 2 if format == b"+r" else 1 if format[:2] in (b"+l", b"+L", b"+w") else 0
    if schema.n_children < children:
        raise MalformedArrayError(f"has {schema.n_children} children, and {children} are expected")
    if schema.dictionary != NULL and (array.dictionary == NULL or format not in arrow_dtypes):
        raise MalformedArrayError("has no dictionary")
    if needed > 1 and array.buffers[1] == NULL and array.null_count != array.length:
        raise MalformedArrayError("has no data")
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
        raise MalformedArrayError("has offsets of lists that descend")
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
        raise MalformedArrayError(f"has indexes from {indexes.min()} to {indexes.max()} of {values.length} elements")
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
                raise MalformedArrayError(f"has a text in the buffer {view[2]}, which does not exist")
            start = <const char *>(view + 1) if size <= 12 else <const char *>array.buffers[2 + view[2]] + view[3]
        elif width >= 0:
            start, size = data + row * width, width
        elif is_large:
            start, size = data + large_offsets[row], large_offsets[row + 1] - large_offsets[row]
        else:
            start, size = data + offsets[row], offsets[row + 1] - offsets[row]
        if size < 0 or size > 0 and start == NULL:
            raise MalformedArrayError("has offsets of texts that descend, or no texts")
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
