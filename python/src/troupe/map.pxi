# Calls over columns.

cdef object map_columns(Function function, list arguments, object out, object threads, bint fails_as_null):
    """Calls a function over columns, or once for each row if NumPy does not hold a parameter or a result."""
    cdef Column column
    columns = [read_argument(argument, index, function) for index, argument in enumerate(arguments)]
    outcome = None
    if convert_columns(function, columns, arguments, fails_as_null):
        outcome = map_arrays(function, columns, out, threads, fails_as_null)
    if outcome is None:
        outcome = map_rows(function, columns, arguments, out, fails_as_null)
    arrays, nulls = outcome
    is_nullable = fails_as_null or nulls is not None or any((<Column>column).is_nullable for column in columns)
    types = list(function.results.values())
    has_arrow = any((<Column>column).is_arrow for column in columns) and all(has_arrow_type(type) for type in types)
    if out is None and has_arrow and arrays and arrays[0].ndim <= 1:
        results = [arrow_result(array, nulls, type) for array, type in zip(arrays, types)]
    elif out is not None and any(isinstance(array, numpy.ma.MaskedArray) for array in (out if isinstance(out, tuple) else (out,))):
        results = list(out) if isinstance(out, tuple) else [out]
        for array in results:
            if isinstance(array, numpy.ma.MaskedArray):
                array.mask = numpy.ma.nomask if nulls is None else nulls
    elif is_nullable:
        results = [numpy.ma.MaskedArray(array, numpy.zeros(array.shape, bool) if nulls is None else nulls) for array in arrays]
    else:
        results = [array[()] if out is None else array for array in arrays]
    if function.results_class is not None:
        return function.results_class._make(results)
    return results[0] if results else None


cdef object arrow_result(object array, object nulls, Type type):
    """Returns results as an array of pyarrow, or as one of this package if that is not installed."""
    result = ArrowArray.make(array.reshape(-1), None if nulls is None else nulls.reshape(-1), type, "")
    try:
        return importlib.import_module("pyarrow").array(result)
    except ImportError:
        return result


# MARK: Arguments

cdef Column read_argument(object argument, Py_ssize_t index, Function function):
    """Returns the column of an argument: its elements, one value for all rows, or a whole buffer."""
    cdef Column column
    cdef Parameter parameter = function.arguments[index] if index < len(function.arguments) else None
    if parameter is None:
        return read_column(argument, None, f"{function.name}: argument {index + 1}")
    where = f"{function.name}: {parameter_name(parameter, index)}"
    if parameter.passing_code != TROUPE_PASSING_BUFFER:
        if parameter.direction_code == TROUPE_DIRECTION_IN and is_missing(argument, False) and takes_null(parameter.type):
            return Column.make(numpy.full((), None, object), numpy.ones((), bool), True)
        return read_column(argument, parameter, where)
    check_unmasked(argument, where)
    cdef Type element = column_type(parameter)
    if element.dtype is None or parameter.direction_code != TROUPE_DIRECTION_IN or isinstance(argument, Reference) or argument is None:
        column = Column.constant(argument)
    else:
        if isinstance(argument, (str, bytes, bytearray, memoryview)):
            argument = numpy.frombuffer(argument.encode() if isinstance(argument, str) else argument, element.dtype)
        elif isinstance(argument, numpy.ndarray) and element.is_raw():
            argument = numpy.ascontiguousarray(argument).reshape(-1).view(element.dtype)
        column = read_column(list(argument) if isinstance(argument, tuple) else argument, parameter, where)
    column.is_buffer = True
    return column


cdef bint takes_null(Type type):
    """True if None for all rows is a null for a parameter of a type. For a pointer, also one to a struct, it is NULL."""
    return type.is_number() or type.code in (TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING, TROUPE_TYPE_STRUCT)


cdef bint convert_columns(Function function, list columns, list arguments, bint fails_as_null) except -1:
    """Converts all columns to the types of their parameters. Returns false if calls of single rows have to do that."""
    cdef Column column
    cdef Type type
    cdef ArgumentLocation location
    is_converted = len(columns) <= len(function.arguments) and all((<Type>type).dtype is not None for type in function.results.values())
    for index, (column, argument, parameter) in enumerate(zip(columns, arguments, function.arguments)):
        location = ArgumentLocation.make(function.name, parameter_name(parameter, index), column.is_buffer)
        column.type = type = column_type(parameter)
        if column.is_constant:
            is_converted = type.dtype is not None and convert_constant(column, type, location) and is_converted
        elif type.dtype is None:
            check_kind(column, type, location, argument)
            is_converted = False
        else:
            is_converted = convert_column(column, type, location, argument, fails_as_null and not column.is_buffer) and is_converted
        if column.is_buffer and not column.is_constant:
            nulls = column.nulls()
            if nulls is not None and nulls.any():
                raise null_error(location.text())
    return is_converted


cdef bint convert_constant(Column column, Type type, ArgumentLocation location) except -1:
    """Converts one value for all rows. Returns false if the call of a row has to do that, or refuse it."""
    value = column.array[()]
    if isinstance(value, numpy.longdouble) or not isinstance(value, (bool, int, float, complex, numpy.number, numpy.bool_, numpy.void)):
        return False
    cdef Column one = Column.make(numpy.asarray(value))
    if one.array.dtype == object:
        return False
    if type.members and isinstance(value, numpy.void):
        if not convert_struct(one, type, location, value, False):
            return False
        column.array = one.array
        return True
    if isinstance(value, numpy.void) or type.members:
        return False
    outcome = convert_numbers(one.array, type.dtype)
    if outcome is None or outcome[1] is not None and outcome[1].any():
        return False
    column.array = outcome[0]
    return True


cdef int check_kind(Column column, Type type, ArgumentLocation location, object value) except -1:
    """Refuses a column whose elements are no texts for texts, and no structs for structs."""
    is_text = type.code in (TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING)
    if column.fields is not None:
        if not type.members:
            raise column_kind_error("structs", value, type, location.text())
    elif column.array.dtype != object and (is_text and column.array.dtype.kind not in "US" or type.members):
        raise column_dtype_error(column.array.dtype, value, type, location.text())
    return 0


cdef tuple common_shape(Function function, list columns):
    try:
        return numpy.broadcast_shapes(*[(<Column>column).shape() for column in columns])
    except ValueError as problem:
        remedy = "pass arrays of one length"
        raise errors.InvalidData(f"{function.name}: {problem}; {remedy}", subject=function.name, remedy=remedy) from None


cdef object merge_masks(list columns, tuple shape):
    """Returns one array that is true for the nulls of all columns, or None if there are none."""
    masks = [mask for mask in [(<Column>column).nulls() for column in columns] if mask is not None]
    if not masks:
        return None
    merged = numpy.zeros(shape, bool)
    for mask in masks:
        merged |= mask
    return merged


# MARK: Calls of C over all rows

cdef list coalesce_axes(tuple shape, list strides):
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
            found = f"{array.dtype} of the shape {array.shape}" if isinstance(array, numpy.ndarray) else builtin_type(array).__name__
            remedy = f"pass numpy.empty({shape}, {str(dtype)!r})"
            raise errors.InvalidData(
                f"{function.name}: out: expected a writable array of {dtype} of the shape {shape}, got {found}; {remedy}",
                subject=function.name, remedy=remedy)
        if overlaps_itself(array) or sum([numpy.may_share_memory(array, other) for other in arrays]) > 1:
            raise errors.InvalidData(
                f"{function.name}: the elements of out share memory; pass an array with memory for each element",
                subject=function.name, remedy="pass an array with memory for each element")
    return [array.data if isinstance(array, numpy.ma.MaskedArray) else array for array in arrays]


cdef object take_nulls(list columns, tuple shape):
    """Merges the nulls of all columns into one mask, and takes their bitmaps. Returns None, and leaves the bitmaps for C to read in place,
    if no column has a mask and each bitmap is one of all rows."""
    cdef Column column
    if all((<Column>column).mask is None and ((<Column>column).validity == NULL or (<Column>column).shape() == shape)
           for column in columns):
        return None
    merged = merge_masks(columns, shape)
    for column in columns:
        column.validity = NULL
    return merged


cdef object in_call_order(object array, list axes):
    """Returns a view in the order in which C computes the rows, of the array whose strides were the last ones in `coalesce_axes`."""
    return numpy.lib.stride_tricks.as_strided(array, [length for length, _ in axes], [step[-1] for _, step in axes])


cdef object map_arrays(Function function, list columns, object out, object threads, bint fails_as_null):
    """Returns the arrays of the results and the mask of the nulls or None; None if the library does not call the function over
    columns."""
    cdef Column column
    row_columns = [column for column in columns if not (<Column>column).is_buffer]
    shape = common_shape(function, row_columns)
    outputs = output_arrays(function, shape, out)
    if 0 in shape:
        return outputs, None
    mask = take_nulls(row_columns, shape)
    has_nulls = fails_as_null or mask is not None or any((<Column>column).validity != NULL for column in row_columns)
    arrays = [numpy.broadcast_to((<Column>column).array, shape) for column in row_columns]
    if out is not None:
        for column in columns:
            if column.is_buffer and any(numpy.may_share_memory(column.array, output) for output in outputs):
                column.array = column.array.copy()
        arrays = [array.copy() if any(shares_memory(array, output) for output in outputs) else array for array in arrays]
    # An array of booleans, the last one in `axes`, which becomes the mask of the results.
    order = numpy.empty(shape, bool) if mask is None else mask
    axes = coalesce_axes(shape, [array.strides for array in arrays + outputs + [order]])
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
    """One call of `troupe_function_map` for each position of the outer axes.

    The structs are one allocation, `[ inputs | outputs | pointers to inputs | pointers to outputs ]`; `kept` retains the arrays behind
    them. All outputs have the same nulls, so that those of the first are read.
    """

    cdef Function function
    cdef list axes, outputs, kept, input_bases, output_bases
    cdef object bits
    cdef Block memory
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
        self.memory = Block.allocate(
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
        cdef const troupe_function_t *function = self.function.pointer.c
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


cdef Type column_type(Parameter parameter):
    """Returns the type of the elements of a column: that of the structs for a constant pointer to one."""
    cdef Type type = parameter.type
    if type.code == TROUPE_TYPE_VOID:
        return byte_type
    return type.element if type.code == TROUPE_TYPE_REFERENCE and type.is_constant else type


cdef troupe_type_kind column_kind(Type type):
    return type.element.code if type.code == TROUPE_TYPE_ENUM else type.code


# MARK: Calls of single rows

cdef object map_rows(Function function, list columns, list arguments, object out, bint fails_as_null):
    """Calls a function once for each row. Returns as `map_arrays`."""
    cdef Column column
    row_columns = [column for column in columns if not (<Column>column).is_constant and not (<Column>column).is_buffer]
    shape = common_shape(function, row_columns)
    mask = merge_masks(row_columns, shape)
    sources = []
    for column, argument in zip(columns, arguments):
        if column.is_buffer and not column.is_constant and column.array.dtype != object:
            sources.append(itertools.repeat(column.array))
        elif column.is_constant or column.is_buffer:
            sources.append(itertools.repeat(argument))
        else:
            sources.append(column.rows(shape))
    outputs = output_arrays(function, shape, out)
    nulls = numpy.zeros(shape, bool) if mask is None else mask
    flat_nulls = nulls.reshape(-1).tolist()
    results = [[] for _ in outputs]
    for index, is_null in enumerate(flat_nulls):
        PyErr_CheckSignals()
        values = [next(source) for source in sources]
        items = None if is_null else call_row(function, values, index, shape, fails_as_null)
        if items is None:
            flat_nulls[index] = True
            items = [None] * len(outputs)
        for result, item, output in zip(results, items, outputs):
            result.append(numpy.zeros((), output.dtype)[()] if item is None and output.dtype != object else item)
    for result, output in zip(results, outputs):
        for position, item in zip(numpy.ndindex(*shape), result):
            output[position] = item if output.dtype == object else encoded_texts(item)
    return outputs, numpy.array(flat_nulls, bool).reshape(shape) if any(flat_nulls) else None


cdef object encoded_texts(object item):
    """Returns a struct with its arrays of characters as NumPy holds them."""
    if isinstance(item, str):
        return item.encode("utf-8", "surrogateescape")
    return tuple([encoded_texts(member) for member in item]) if isinstance(item, tuple) else item


cdef object call_row(Function function, list values, Py_ssize_t index, tuple shape, bint fails_as_null):
    """Returns the results of a row, or None for a row that fails and becomes null."""
    for value, parameter in zip(values, function.arguments):
        name = null_text(value, column_type(parameter)) if isinstance(value, dict) else None
        if name is not None:
            if fails_as_null:
                return None
            location = f"{function.name}: row {row_name(index, shape)}: {parameter_name(parameter, index)}.{name}"
            remedy = "pass a text, or make the struct itself null"
            raise errors.InvalidData(f"{location}: null is no text; {remedy}", subject=function.name, remedy=remedy)
    try:
        result = function.call_values(values)
    except errors.ReportedFailure as failure:
        if fails_as_null:
            return None
        raise in_row(failure, index, shape, function) from None
    except errors.InvalidData as failure:
        # A value of the right kind that cannot be passed, such as a text with a NUL.
        if fails_as_null and all([has_kind(value, (<Parameter>parameter).type) for value, parameter in zip(values, function.arguments)]):
            return None
        raise in_row(failure, index, shape, function) from None
    except errors.Error as failure:
        raise in_row(failure, index, shape, function) from None
    except Exception as failure:
        failure.add_note(f"in row {row_name(index, shape)} of {function.name}")
        raise
    return list(result) if function.results_class is not None else [result]


cdef object null_text(dict members, Type type):
    """Returns the name of a text in a struct that is None, which C would get as NULL."""
    if type is None or type.code != TROUPE_TYPE_STRUCT:
        return None
    for name, member in type.member_types().items():
        item = members.get(name, "")
        if is_missing(item, True) and (<Type>member).code in (TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING):
            return name
        inner = null_text(item, member) if isinstance(item, dict) else None
        if inner is not None:
            return f"{name}.{inner}"
    return None


cdef object row_name(Py_ssize_t index, tuple shape):
    return index if len(shape) < 2 else tuple(map(int, numpy.unravel_index(index, shape)))


cdef object in_row(object failure, Py_ssize_t index, tuple shape, Function function):
    """Returns the same error as that of a row."""
    if shape == ():
        return failure
    text, subject = str(failure), failure.subject
    if subject and text.startswith(f"{subject}: "):
        text = text[len(subject) + 2:]
    location = subject.removeprefix(function.name).removeprefix(": ")
    text = f"{location}: {text}" if location else text
    return make_error(f"{function.name}: row {row_name(index, shape)}: {text}", failure.code, function.name, failure.remedy)


cdef bint has_kind(object value, Type type):
    """True if a value is of the kind of a parameter, whatever the value is: a number, a text, or a struct of such."""
    if type.is_number():
        if isinstance(value, str):
            return type.code == TROUPE_TYPE_ENUM
        if TROUPE_TYPE_FLOAT <= type.code <= TROUPE_TYPE_LONG_DOUBLE and isinstance(value, (bool, numpy.bool_)):
            return False
        if isinstance(value, (complex, numpy.complexfloating)):
            return type.code == TROUPE_TYPE_COMPLEX
        return not isinstance(value, bytes) and (hasattr(value, "__index__") or hasattr(value, "__float__"))
    if type.code in (TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING):
        return isinstance(value, (str, bytes, os.PathLike))
    if type.code == TROUPE_TYPE_STRUCT and isinstance(value, dict):
        types = type.member_types()
        # A member that is None is a null that C does not have.
        return all([
            name in types and (item is None or has_kind(item, types[name])) for name, item in value.items()])
    return not (type.members and isinstance(value, (str, bytes, int, float)))
