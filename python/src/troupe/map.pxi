# Calls over columns.

cdef extern from "troupe-host.h":
    cdef struct ArrowSchema:
        const char *format
        ArrowSchema *dictionary
    cdef struct ArrowArray:
        int64_t length
        int64_t null_count
        int64_t offset
        int64_t n_buffers
        const void **buffers


cdef dict arrow_formats = {
    b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8", b"L": "u8", b"f": "f4", b"g": "f8"}


cdef object conversion_error(object dtype, Type type, str where):
    return errors.InvalidData(
        f"{where}: elements of type {dtype} cannot become {type.name} without a loss; convert them with astype('{type.dtype}')",
        subject=where, remedy=f"convert them with astype('{type.dtype}')")


cdef object check_exact(object array, object dtype, Type type, str where):
    """Refuses 64-bit integers that floating-point numbers of a type cannot hold."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or dtype.kind not in "fc" or array.size == 0:
        return
    limit = 2 ** (numpy.finfo(dtype).nmant + 1)
    if -limit <= int(array.min()) and int(array.max()) <= limit:
        return
    for number in array[(array > limit) | (array < -limit)].tolist():
        if int(dtype.type(number).real) != number:
            raise errors.InvalidData(
                f"{where}: {type.name} cannot hold {number} exactly; convert the array with astype", subject=where,
                remedy="convert the array with astype")


cdef object as_record(object value, Type type):
    """Returns a struct as the tuple that a structured array takes."""
    if isinstance(value, dict):
        items = [value[name] for name, _, _ in type.members]
    elif isinstance(value, (tuple, list)):
        items = list(value)
    else:
        items = [getattr(value, name) for name, _, _ in type.members]
    return tuple(
        as_record(item, member) if (<Type>member).code == TROUPE_TYPE_STRUCT and not isinstance(item, numpy.void) else item
        for item, (_, member, _) in zip(items, type.members))


cdef object array_of(object value, str where, object dtype=None):
    """Returns the elements of a value as an array."""
    try:
        return numpy.asarray(value, dtype)
    except ValueError as error:
        problem = "the elements have different lengths" if dtype is None else str(error).rstrip(".")
        remedy = "pass elements of one length"
        raise errors.InvalidData(f"{where}: {problem}; {remedy}", subject=where, remedy=remedy) from None


cdef object column_array(object value, Type type, str where):
    """Returns the values as an array of the type's elements; an array that is one already is returned itself."""
    dtype = type.dtype
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        if type.code == TROUPE_TYPE_STRUCT:
            if isinstance(value, list):
                return array_of([as_record(item, type) for item in value], where, dtype)
            if not hasattr(value, "__array__"):
                return array_of(as_record(value, type), where, dtype)
        elif isinstance(value, (list, tuple, range, int, float, complex)):
            array = array_of(value, where)
            if array.size == 0 or array.dtype.kind in "biu" and dtype.kind in "biu":
                # Refuses an integer that is out of range.
                try:
                    return numpy.array(value, dtype)
                except OverflowError as problem:
                    raise errors.InvalidData(
                        f"{where}: {problem}; pass smaller numbers", subject=where, remedy="pass smaller numbers") from None
            if array.dtype.kind in "iuf" and dtype.kind in "fc" or array.dtype.kind == "c" and dtype.kind == "c":
                check_exact(array, dtype, type, where)
                return array.astype(dtype)
    array = array_of(value, where)
    if array.dtype == dtype:
        return array
    if numpy.can_cast(array.dtype, dtype, "safe"):
        check_exact(array, dtype, type, where)
        return array.astype(dtype)
    raise conversion_error(array.dtype, type, where)


@cython.final
cdef class ArrowMemory:
    """The values of an Arrow array for NumPy. It keeps the array."""

    cdef object capsule
    cdef readonly dict __array_interface__


@cython.final
cdef class Column:
    """A column in NumPy's form, with its nulls as a mask, or in Arrow's form as a bitmap."""

    cdef object array
    cdef object mask
    # The capsule that owns the memory of the bitmap.
    cdef object owner
    cdef const uint8_t *validity
    cdef size_t validity_offset
    cdef bint is_arrow, is_masked, is_buffer
    cdef Type type

    cdef object bits(self):
        """Returns the bits of the bitmap as an array of booleans that are true for nulls."""
        count = len(self.array)
        octets = numpy.frombuffer(
            PyBytes_FromStringAndSize(<char *>self.validity, (self.validity_offset + count + 7) // 8), numpy.uint8)
        return numpy.unpackbits(octets, bitorder="little")[self.validity_offset:self.validity_offset + count] == 0


cdef Column make_column(object value, Type type, bint is_buffer, str where):
    """Returns the column of an argument, or None if it is no column, such as an array of texts."""
    cdef Column self = Column.__new__(Column)
    self.type = type
    self.is_buffer = is_buffer
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__arrow_c_array__"):
        self.is_arrow = True
        if not read_arrow(self, value):
            return None
        self.array = column_array(self.array, type, where)
        return self
    if isinstance(value, numpy.ma.MaskedArray):
        self.is_masked = True
        if value.mask is not numpy.ma.nomask:
            self.mask = numpy.ma.getmaskarray(value)
            if self.mask.dtype.names:
                self.mask = numpy.array([any(row) for row in self.mask.ravel()], bool).reshape(self.mask.shape)
        value = value.data
    self.array = column_array(value, type, where)
    return self


cdef bint read_arrow(Column self, object value) except -1:
    """Takes the memory of an Arrow array of numbers; returns false for any other."""
    schema_capsule, array_capsule = value.__arrow_c_array__()
    cdef ArrowSchema *schema = <ArrowSchema *>PyCapsule_GetPointer(schema_capsule, "arrow_schema")
    cdef ArrowArray *array = <ArrowArray *>PyCapsule_GetPointer(array_capsule, "arrow_array")
    cdef ArrowMemory memory = ArrowMemory.__new__(ArrowMemory)
    memory.capsule = self.owner = array_capsule
    format = <bytes>schema.format
    if schema.dictionary != NULL or format not in arrow_formats and format != b"b":
        return False
    if array.null_count != 0 and array.buffers[0] != NULL:
        self.validity = <const uint8_t *>array.buffers[0]
        self.validity_offset = array.offset
    if array.length == 0:
        self.array = numpy.empty(0, arrow_formats.get(format, "?"))
    elif format == b"b":
        octets = PyBytes_FromStringAndSize(<char *>array.buffers[1], (array.offset + array.length + 7) // 8)
        bits = numpy.unpackbits(numpy.frombuffer(octets, numpy.uint8), bitorder="little")
        self.array = bits[array.offset:array.offset + array.length].view(bool)
    else:
        dtype = numpy.dtype(arrow_formats[format])
        address = <uintptr_t>array.buffers[1] + array.offset * <size_t>dtype.itemsize
        memory.__array_interface__ = {
            "version": 3, "typestr": dtype.str, "shape": (array.length,), "data": (address, True)}
        self.array = numpy.asarray(memory)
    if self.validity != NULL and (format == b"b" or array.length == 0):
        self.mask = self.bits() if array.length else None
        self.validity = NULL
    return True


cdef object single_chunk(object value):
    """Returns a chunked Arrow array as one array, which is a copy unless it has one chunk."""
    if not hasattr(value, "__arrow_c_array__") and hasattr(value, "combine_chunks") and hasattr(value, "num_chunks"):
        return value.chunk(0) if value.num_chunks == 1 else value.combine_chunks()
    return value


cdef list collapse(tuple shape, list strides):
    """Returns the axes of a call as pairs of length and strides: as few as possible, the longest one last."""
    axes = []
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        step = [stride[axis] for stride in strides]
        if axes and all(outer == inner * length for outer, inner in zip(axes[-1][1], step)):
            axes[-1] = (axes[-1][0] * length, step)
        else:
            axes.append((length, step))
    if not axes:
        axes = [(1, [0] * len(strides))]
    longest = max(range(len(axes)), key=lambda axis: axes[axis][0])
    axes.append(axes.pop(longest))
    return axes


cdef object map_columns(Function function, list arguments, object out, object threads, bint fails_as_null):
    """Calls a function over columns, or once for each row if a parameter or result is no column."""
    arguments = [single_chunk(argument) for argument in arguments]
    has_arrow = any(hasattr(argument, "__arrow_c_array__") for argument in arguments)
    columns = make_columns(function, arguments)
    outcome = None
    if columns is not None:
        outcome = map_arrays(function, columns, out, threads, fails_as_null)
    if outcome is None:
        outcome = map_rows(function, arguments, out, fails_as_null)
    arrays, nulls = outcome
    is_masked = nulls is not None or any(isinstance(argument, numpy.ma.MaskedArray) for argument in arguments)
    if has_arrow and out is None and arrow_library() is not None:
        results = [arrow_array(array, nulls) for array in arrays]
    elif is_masked:
        results = [numpy.ma.MaskedArray(array, numpy.zeros(array.shape, bool) if nulls is None else nulls) for array in arrays]
    else:
        results = [array[()] if out is None else array for array in arrays]
    if function.results_class is not None:
        return function.results_class._make(results)
    return results[0] if results else None


cdef list make_columns(Function function, list arguments):
    """Returns a column for each argument, or None if the function takes or returns values that are no columns."""
    cdef Parameter parameter
    cdef Type element
    cdef Column column
    columns = []
    if len(arguments) > len(function.arguments) or any((<Type>type).dtype is None for type in function.results.values()):
        return None
    for index, (argument, parameter) in enumerate(zip(arguments, function.arguments)):
        is_buffer = parameter.passing_code == TROUPE_PASSING_BUFFER
        if is_buffer and parameter.direction_code != TROUPE_DIRECTION_IN:
            return None
        element = column_type(parameter, is_buffer)
        if element.dtype is None or isinstance(argument, (str, bytes, Handle)) and not is_buffer:
            return None
        if isinstance(argument, (str, bytes, bytearray, memoryview)):
            argument = numpy.frombuffer(argument.encode() if isinstance(argument, str) else argument, element.dtype)
        elif is_buffer and isinstance(argument, numpy.ndarray) and element.is_raw():
            argument = numpy.ascontiguousarray(argument).reshape(-1).view(element.dtype)
        where = f"{function.name}: {parameter_name(parameter, index)}"
        if is_buffer:
            check_unmasked(argument, where)
        column = make_column(argument, element, is_buffer, where)
        if column is None:
            return None
        if is_buffer and column.validity != NULL and column.bits().any() or is_buffer and column.mask is not None:
            raise null_error(where)
        columns.append(column)
    return columns


cdef bint overlaps_itself(object array):
    """Returns whether elements of an array may share memory."""
    end = array.itemsize
    for stride, length in sorted((abs(stride), length) for stride, length in zip(array.strides, array.shape) if length > 1):
        if stride < end:
            return array.size > 0
        end += stride * (length - 1)
    return False


cdef bint shares_memory(object array, object output):
    """Returns whether writing rows of an output may change rows of an input that are still to be read."""
    is_same = (array.__array_interface__["data"][0] == output.__array_interface__["data"][0]
               and array.strides == output.strides and array.itemsize == output.itemsize)
    return not is_same and numpy.may_share_memory(array, output)


cdef list output_arrays(Function function, tuple shape, object out):
    """Returns arrays for the results: those of the caller, or new ones."""
    types = list(function.results.values())
    if out is None:
        return [numpy.empty(shape, type.dtype or object) for type in types]
    arrays = list(out) if isinstance(out, tuple) else [out]
    if len(arrays) != len(types):
        raise errors.Usage(
            f"{function.name}: out has {len(arrays)} arrays; pass {len(types)}", subject=function.name, remedy=f"pass {len(types)}")
    for array, type in zip(arrays, types):
        dtype = type.dtype or numpy.dtype(object)
        if not isinstance(array, numpy.ndarray) or array.dtype != dtype or array.shape != shape or not array.flags.writeable:
            raise errors.InvalidData(
                f"{function.name}: out must be a writable array of {dtype} with the shape {shape}; pass such an array",
                subject=function.name, remedy="pass such an array")
        if overlaps_itself(array):
            raise errors.InvalidData(
                f"{function.name}: the elements of out share memory; pass an array with memory for each element",
                subject=function.name, remedy="pass an array with memory for each element")
    return [array.data if isinstance(array, numpy.ma.MaskedArray) else array for array in arrays]


cdef object merge_nulls(list columns, tuple shape):
    """Returns one mask for the nulls of all columns; None if there are none, or if each column has Arrow's bitmap for all rows."""
    cdef Column column
    has_mask = any((<Column>column).mask is not None for column in columns)
    bitmaps = [column for column in columns if (<Column>column).validity != NULL]
    if not has_mask and all((<Column>column).array.shape == shape for column in bitmaps):
        return None
    mask = numpy.zeros(shape, bool)
    for column in columns:
        if column.validity != NULL:
            mask |= column.bits()
            column.validity = NULL
        elif column.mask is not None:
            mask |= column.mask
    return mask


cdef object in_call_order(object array, list axes):
    """Returns the elements of the last array of a call in the order in which the call computes them."""
    return numpy.lib.stride_tricks.as_strided(array, [length for length, _ in axes], [step[-1] for _, step in axes])


cdef object map_arrays(Function function, list columns, object out, object threads, bint fails_as_null):
    """Returns the arrays of the results and the mask of the nulls or None; None if the library does not call the function over
    columns."""
    cdef Column column
    row_columns = [column for column in columns if not (<Column>column).is_buffer]
    try:
        shape = numpy.broadcast_shapes(*[(<Column>column).array.shape for column in row_columns])
    except ValueError as problem:
        raise errors.InvalidData(
            f"{function.name}: {problem}; pass arrays of one length", subject=function.name,
            remedy="pass arrays of one length") from None
    outputs = output_arrays(function, shape, out)
    if 0 in shape:
        return outputs, None
    mask = merge_nulls(row_columns, shape)
    has_nulls = fails_as_null or mask is not None or any((<Column>column).validity != NULL for column in row_columns)
    arrays = [numpy.broadcast_to((<Column>column).array, shape) for column in row_columns]
    if out is not None:
        arrays = [array.copy() if any(shares_memory(array, output) for output in outputs) else array for array in arrays]
    # An array of booleans in the order of the elements, which the mask of the results takes the place of.
    order = numpy.empty(shape, bool) if mask is None else mask
    axes = collapse(shape, [array.strides for array in arrays + outputs + [order]])
    bits = None if mask is None else numpy.packbits(~in_call_order(mask, axes).reshape(-1), bitorder="little")
    nulls = RowCall(function, columns, arrays, outputs, axes, bits, has_nulls).run(threads, fails_as_null)
    if nulls is False:
        return None
    if nulls is not None:
        in_call_order(order, axes)[...] = nulls.reshape([length for length, _ in axes])
        nulls = order
    return outputs, nulls


@cython.final
cdef class RowCall:
    """The structs of a call over columns."""

    cdef Function function
    cdef list axes, outputs, kept, input_bases, output_bases
    cdef object bits
    cdef Memory memory
    cdef troupe_column *inputs
    cdef troupe_output_column *results
    cdef const troupe_column **input_pointers
    cdef troupe_output_column **result_pointers
    cdef size_t input_count, output_count, total

    def __init__(self, Function function, list columns, list arrays, list outputs, list axes, object bits, bint has_nulls):
        self.function = function
        self.axes = axes
        self.outputs = outputs
        self.bits = bits
        self.kept = [arrays, columns]
        self.input_count = len(columns)
        self.output_count = len(outputs)
        self.total = 1
        for length, _ in axes:
            self.total *= length
        self.memory = Memory.allocate(
            self.input_count + self.output_count, sizeof(troupe_column) + sizeof(troupe_output_column) + sizeof(void *))
        self.inputs = <troupe_column *>self.memory.start
        self.results = <troupe_output_column *>(self.inputs + self.input_count)
        self.input_pointers = <const troupe_column **>(self.results + self.output_count)
        self.result_pointers = <troupe_output_column **>(self.input_pointers + self.input_count)
        self.set_inputs(columns, arrays)
        self.set_outputs(len(arrays), has_nulls)

    cdef int set_inputs(self, list columns, list arrays) except -1:
        cdef Column column
        cdef troupe_column *input
        self.input_bases = []
        cdef Py_ssize_t row_index = 0
        for index, column in enumerate(columns):
            input = &self.inputs[index]
            self.input_pointers[index] = input
            input.struct_size = sizeof(troupe_column)
            input.kind = column_kind(column.type)
            input.element_size = column.type.size
            if column.is_buffer:
                array = numpy.ascontiguousarray(column.array)
                self.kept.append(array)
                input.data = np.PyArray_DATA(array)
                input.stride = array.itemsize
                input.count = array.size
                continue
            array = arrays[row_index]
            input.stride = self.axes[-1][1][row_index]
            if column.validity != NULL:
                input.validity = column.validity
                input.validity_offset = column.validity_offset
            elif self.bits is not None and row_index == 0:
                input.validity = <const uint8_t *>np.PyArray_DATA(self.bits)
            self.input_bases.append((index, <uintptr_t>np.PyArray_DATA(array), row_index))
            row_index += 1
        return 0

    cdef int set_outputs(self, Py_ssize_t first, bint has_nulls) except -1:
        cdef troupe_output_column *result
        self.output_bases = []
        for index, type in enumerate(self.function.results.values()):
            result = &self.results[index]
            self.result_pointers[index] = result
            result.struct_size = sizeof(troupe_output_column)
            result.kind = column_kind(type)
            result.element_size = (<Type>type).size
            result.stride = self.axes[-1][1][first + index]
            self.output_bases.append((index, <uintptr_t>np.PyArray_DATA(self.outputs[index]), first + index))
            if has_nulls:
                bitmap = numpy.zeros((self.total + 7) // 8, numpy.uint8)
                self.kept.append(bitmap)
                result.validity = <uint8_t *>np.PyArray_DATA(bitmap)
        return 0

    cdef object run(self, object threads, bint fails_as_null):
        """Calls the function for all rows. Returns the nulls in the order of the call, None without nulls, False if it cannot be
        called."""
        cdef troupe_map_options options
        cdef troupe_error *error = NULL
        cdef troupe_status status
        cdef size_t row_count = self.axes[-1][0], start = 0, null_count = 0
        cdef const troupe_plugin_function *function = self.function.pointer.c
        memset(&options, 0, sizeof(options))
        options.struct_size = sizeof(options)
        options.row_failure = TROUPE_ROW_FAILURE_IS_NULL if fails_as_null else TROUPE_ROW_FAILURE_ENDS
        options.threads = threads
        for position in itertools.product(*[range(length) for length, _ in self.axes[:-1]]):
            self.move(position, start)
            with nogil:
                status = troupe_function_map(
                    function, self.input_pointers, self.input_count, row_count, self.result_pointers, self.output_count, &options,
                    &error)
            if status != TROUPE_OK:
                failure = take_exception(error)
                if isinstance(failure, errors.InvalidSignature) and start == 0:
                    return False
                if len(self.axes) > 1:
                    failure.add_note(f"in the {row_count} elements at the index {position} of the outer axes")
                raise failure
            start += row_count
            null_count += self.results[0].null_count if self.output_count > 0 else 0
        if null_count == 0 or self.results[0].validity == NULL:
            return None
        octets = PyBytes_FromStringAndSize(<char *>self.results[0].validity, (self.total + 7) // 8)
        return numpy.unpackbits(numpy.frombuffer(octets, numpy.uint8), count=self.total, bitorder="little") == 0

    cdef int move(self, tuple position, size_t start) except -1:
        """Sets the addresses for the rows at a position of the outer axes."""
        for index, base, operand in self.input_bases:
            offset = sum(i * step[operand] for i, (_, step) in zip(position, self.axes))
            self.inputs[index].data = <void *><uintptr_t>(base + offset)
            if self.bits is not None and operand == 0:
                self.inputs[index].validity_offset = start
        for index, base, operand in self.output_bases:
            offset = sum(i * step[operand] for i, (_, step) in zip(position, self.axes))
            self.results[index].data = <void *><uintptr_t>(base + offset)
            self.results[index].validity_offset = start
        return 0


cdef Type column_type(Parameter parameter, bint is_buffer):
    """Returns the type of the elements of a column: that of the structs for a constant pointer to one."""
    cdef Type type = parameter.type
    if is_buffer and type.code == TROUPE_TYPE_VOID:
        return byte_type
    return type.element if type.code == TROUPE_TYPE_POINTER and type.element is not None and type.element.members else type


cdef troupe_type_kind column_kind(Type type):
    return type.element.code if type.code == TROUPE_TYPE_ENUM else type.code


cdef object map_rows(Function function, list arguments, object out, bint fails_as_null):
    """Calls a function once for each row, for types that are no columns. Returns as `map_arrays`."""
    cdef Parameter parameter
    columns = []
    for index, argument in enumerate(arguments):
        parameter = function.arguments[index] if index < len(function.arguments) else None
        is_whole = parameter is not None and parameter.passing_code == TROUPE_PASSING_BUFFER
        columns.append(row_objects(argument, is_whole))
    rows = numpy.broadcast(*columns) if len(columns) > 1 else numpy.broadcast(columns[0], 0) if columns else numpy.broadcast(0, 0)
    outputs = output_arrays(function, rows.shape, out)
    flat = [[] for _ in outputs]
    nulls = []
    for row in rows:
        values = [value.item if isinstance(value, Whole) else value for value in row[:len(columns)]]
        is_null = any(value is null for value in values)
        try:
            result = None if is_null else function.call_values(values)
        except errors.Unavailable:
            if not fails_as_null:
                raise
            is_null = True
        nulls.append(is_null)
        items = [None] * len(outputs) if is_null else result if function.results_class is not None else [result]
        for values, item, output in zip(flat, items, outputs):
            values.append(numpy.zeros((), output.dtype)[()] if is_null and output.dtype != object else item)
    for values, output in zip(flat, outputs):
        for position, value in zip(numpy.ndindex(*rows.shape), values):
            output[position] = value
    return outputs, numpy.array(nulls, bool).reshape(rows.shape) if any(nulls) else None


class Whole:
    """An argument that all rows share."""

    def __init__(self, item):
        self.item = item


null = object()


cdef object row_objects(object value, bint is_whole):
    """Returns the arguments of the rows as an array of objects."""
    if is_whole or not isinstance(value, (list, range, numpy.ndarray)) and not hasattr(value, "__arrow_c_array__") and not (
            hasattr(value, "__array__") and not isinstance(value, numpy.generic)):
        items = numpy.empty((), object)
        items[()] = Whole(value)
        return items
    if hasattr(value, "__arrow_c_array__") and not isinstance(value, numpy.ndarray):
        values = [null if item is None else item for item in value.to_pylist()]
    elif isinstance(value, (list, range)):
        values = list(value)
    else:
        array = numpy.ma.getdata(value) if isinstance(value, numpy.ma.MaskedArray) else numpy.asarray(value)
        items = array.astype(object)
        if isinstance(value, numpy.ma.MaskedArray):
            items[numpy.ma.getmaskarray(value)] = null
        return items
    items = numpy.empty(len(values), object)
    for index, item in enumerate(values):
        items[index] = item
    return items


cdef object arrow_library():
    """Returns pyarrow, or None without it."""
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


cdef object arrow_array(object array, object nulls):
    """Returns an array as one of Arrow, with the same memory if Arrow stores the elements in the same form."""
    pyarrow = arrow_library()
    array = numpy.ascontiguousarray(array)
    if array.ndim != 1:
        array = array.reshape(-1)
        nulls = None if nulls is None else nulls.reshape(-1)
    if array.dtype.names:
        fields = [arrow_array(array[name], None) for name in array.dtype.names]
        return pyarrow.StructArray.from_arrays(
            fields, list(array.dtype.names), mask=None if nulls is None else pyarrow.array(nulls))
    if array.dtype == object or array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        return pyarrow.array(array.tolist() if array.dtype == object else array, mask=nulls)
    validity = None if nulls is None else pyarrow.py_buffer(numpy.packbits(~nulls, bitorder="little"))
    return pyarrow.Array.from_buffers(
        pyarrow.from_numpy_dtype(array.dtype), len(array), [validity, pyarrow.py_buffer(array)])
