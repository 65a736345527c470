# The reading of columns: what the arguments of a call over rows become.
#
# A column of any library is read once, into numbers as a NumPy array, fields of a struct by name, or objects of Python, each with its
# nulls apart from its values:
#
#     numpy.array([1.5, 2])              array [1.5, 2.0]
#     pyarrow.array([1, None])           array [1, ?]            validity 0b01: the memory of pyarrow
#     pandas.Series(["a", nan])          array ["a", ?] objects  mask [False, True]
#     polars.DataFrame({"x": [1.0]})     fields {"x": array [1.0]}
#
# NaN is a missing value among objects, and a number in an array of floating-point numbers; see `read_array` and `read_list`.
#
# Numbers are then converted to the type of the parameter by value (`column_types.pxi`), as a call of the function with each element converts
# it.


@cython.final
cdef class Column:
    """The values of one argument, and its nulls: a bitmap of Arrow in place, or a mask.

    `convert_column` converts the values in place. A column belongs to one call, on one thread.
    """

    # Exactly one of both is set: the values, which are anything where the column is null, or the members of structs.
    cdef object array
    cdef dict fields
    # True for nulls, in the shape of the array; None without nulls, or if `validity` has them.
    cdef object mask
    # The number of digits behind the point that the integers of `array` have, of decimals.
    cdef int scale
    # The bitmap of an Arrow array, and the chunk that owns it.
    cdef const uint8_t *validity
    cdef size_t validity_offset
    cdef object owner
    cdef Py_ssize_t length
    # True for Arrow and for masked arrays, whose results have nulls, too.
    cdef bint is_arrow, is_nullable
    # True if `array` has no dimension: one value of Python for all rows.
    cdef bint is_constant
    # True if all rows get the whole array.
    cdef bint is_buffer
    # The type of the elements in C, which a call over columns sets.
    cdef Type type

    @staticmethod
    cdef Column make(object array, object mask=None, bint is_nullable=False):
        cdef Column self = Column.__new__(Column)
        self.array, self.mask, self.is_nullable = array, mask, is_nullable
        self.length = len(array) if array.ndim > 0 else 1
        return self

    @staticmethod
    cdef Column of_arrow(Py_ssize_t length):
        """Returns a column of Arrow whose elements are still to be set."""
        cdef Column self = Column.__new__(Column)
        self.length = length
        self.is_arrow = self.is_nullable = True
        return self

    @staticmethod
    cdef Column constant(object value):
        """Returns a value for all rows, of any type."""
        array = numpy.empty((), object)
        array[()] = value
        cdef Column self = Column.make(array)
        self.is_constant = True
        return self

    cdef tuple shape(self):
        return (self.length,) if self.array is None else self.array.shape

    cdef object nulls(self):
        """Returns an array that is true for nulls, or None without nulls."""
        if self.validity != NULL:
            return ~unpack_bits(self.validity, self.validity_offset, self.length)
        return self.mask

    cdef Column with_objects(self):
        """Turns the values into Python objects, and returns the column."""
        if self.array.dtype != object:
            self.array = decimals(self.array.tolist(), self.scale) if self.scale > 0 else self.array.astype(object)
            self.scale = 0
        return self

    cdef list objects(self):
        """Returns the values as Python objects, in the order of C; None for nulls."""
        nulls = self.nulls()
        if self.scale > 0:
            self.with_objects()
        if self.fields is not None:
            columns = {name: (<Column>field).objects() for name, field in self.fields.items()}
            items = [{name: column[row] for name, column in columns.items()} for row in range(self.length)]
        elif self.array.dtype.names:
            items = list(self.array.reshape(-1))
        else:
            items = self.array.reshape(-1).tolist()
        if nulls is not None:
            items = [None if is_null else item for item, is_null in zip(items, nulls.reshape(-1).tolist())]
        return items

    cdef object rows(self, tuple shape):
        """Returns an iterator of the values of all rows of a call with a shape."""
        return iter(numpy.broadcast_to(as_objects(self.objects()).reshape(self.shape()), shape).flat)


# MARK: Reading

cdef bint is_pandas_column(object value):
    """True if a value is a Series, an index or an array of pandas, or of a library that extends it."""
    return hasattr(value, "dtype") and hasattr(value, "isna") and hasattr(value, "to_numpy")


cdef bint is_frame(object value):
    """True if a value is a DataFrame of pandas, whose conversion to Arrow would turn NaN into nulls."""
    return hasattr(value, "iloc") and hasattr(value, "columns") and hasattr(value, "dtypes")


cdef bint is_column(object value, Parameter parameter):
    """True if a value is one argument for each row. A tuple is a column of numbers, and else a struct."""
    if isinstance(value, numpy.ndarray):
        return value.ndim > 0
    if isinstance(value, (numpy.generic, str, bytes, bytearray, memoryview, Reference)):
        return False
    if isinstance(value, tuple):
        return parameter is not None and parameter.type.dtype is not None and not parameter.type.members and not hasattr(
            builtin_type(value), "_fields")
    return (
        isinstance(value, (list, range)) or is_arrow_producer(value) or is_pandas_column(value) or is_frame(value)
        or hasattr(value, "__array__") or isinstance(value, array_module.array))


cdef Column read_column(object value, Parameter parameter, str where):
    """Returns the column of an argument of any library, with its own types."""
    cdef Type type = None if parameter is None else column_type(parameter)
    if isinstance(value, numpy.ma.MaskedArray):
        return read_masked(value)
    if not is_column(value, parameter):
        return Column.constant(value[()] if isinstance(value, numpy.ndarray) else value)
    if isinstance(value, numpy.ndarray):
        return read_array(value)
    if is_frame(value):
        return read_frame(value, where, type)
    if is_pandas_column(value):
        return read_pandas(value, where, type)
    if is_arrow_producer(value):
        return arrow_column(value, where, type)
    if isinstance(value, range) and all([-2 ** 63 <= end < 2 ** 63 for end in (value.start, value.stop)]):
        return Column.make(numpy.arange(value.start, value.stop, value.step))
    if isinstance(value, (list, tuple, range)):
        return read_list(value, type, where)
    return read_array(numpy.asarray(value))


cdef Column read_array(object array):
    if array.dtype.kind == "T":
        array = array.astype(object)
    if array.dtype != object:
        return Column.make(array)
    # NumPy's objects have None and NaN for missing values, as pandas' objects have.
    return Column.make(array, missing_objects(array, True), True)


cdef Column read_masked(object value):
    cdef Column self = read_array(value.data)
    self.is_nullable = True
    if value.mask is not numpy.ma.nomask:
        mask = numpy.ma.getmaskarray(value)
        if mask.dtype.names:
            mask = numpy.array([any(row) for row in mask.ravel()], bool).reshape(mask.shape)
        self.mask = mask if self.mask is None else self.mask | mask
    return self


cdef Column read_frame(object frame, str where, Type type):
    """Returns the columns of a DataFrame of pandas as the fields of a struct."""
    cdef Column self = Column.__new__(Column)
    self.length = len(frame)
    self.fields = {}
    for position, name in enumerate(map(str, frame.columns)):
        field = read_pandas(frame.iloc[:, position], where, type)
        if name in self.fields:
            raise errors.InvalidData(
                f"{where}: two columns of the frame are named {name}; rename one", subject=where, remedy="rename one")
        self.fields[name] = field
        self.is_nullable |= (<Column>field).is_nullable
    return self


cdef Column read_pandas(object value, str where, Type type):
    dtype = value.dtype
    if isinstance(dtype, numpy.dtype):
        return read_array(value.to_numpy())
    if is_arrow_producer(value) and (hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"):
        return arrow_column(value, where, type)
    array = getattr(value, "array", value)
    if hasattr(array, "__arrow_array__") and (hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"):
        # A Series of pandas 2.
        return arrow_column(array.__arrow_array__(), where, type)
    mask = numpy.asarray(value.isna())
    if getattr(dtype, "numpy_dtype", None) is not None and dtype.numpy_dtype.kind in "biuf":
        return Column.make(value.to_numpy(dtype=dtype.numpy_dtype, na_value=0), mask if mask.any() else None, True)
    if getattr(dtype, "kind", "O") in "mM":
        # Without the time zone, of which the numbers are independent.
        return Column.make(value.to_numpy(dtype=f"{dtype.kind}8[{dtype.unit}]"), mask, True)
    return Column.make(numpy.asarray(value.to_numpy(dtype=object)), mask if mask.any() else None, True)


cdef Column read_list(object items, Type type, str where):
    """Returns the column of a list: numbers of Python that NumPy holds exactly, or objects."""
    types = set(map(builtin_type, items))
    if types and types <= {list, tuple} and type is not None and type.is_number():
        try:
            nested = numpy.array(items, object)
        except ValueError:
            raise ragged(where) from None
        if any(isinstance(item, (list, tuple)) for item in nested.flat):
            raise ragged(where)
        return shaped(read_list(nested.reshape(-1).tolist(), type, where), nested.shape)
    if type is not None and type.is_number() and types & {list, tuple}:
        raise ragged(where)
    array = exact_array(items, types)
    if array is not None:
        return Column.make(array)
    objects = as_objects(list(items))
    # NaN is a number for a parameter that holds it, and missing in a column of anything else.
    holds_nan = type is not None and type.code in (
        TROUPE_TYPE_FLOAT, TROUPE_TYPE_DOUBLE, TROUPE_TYPE_LONG_DOUBLE, TROUPE_TYPE_COMPLEX)
    mask = missing_objects(objects, not holds_nan)
    return Column.make(objects, mask, mask is not None)


cdef object exact_array(object items, set types):
    """Returns numbers of Python or NumPy as an array that has exactly their values, or None."""
    if types and types <= {int}:
        array = numpy.array(items)
        return array if array.dtype.kind in "iu" else None
    if types == {int, float} and all([abs(item) <= 2 ** 53 for item in items if builtin_type(item) is int]):
        return numpy.array(items)
    is_of_one_type = len(types) == 1 and issubclass(next(iter(types)), (bool, float, complex, numpy.number, numpy.bool_)) and (
        next(iter(types)) is not numpy.timedelta64)
    return numpy.array(items) if is_of_one_type else None


cdef Column shaped(Column self, tuple shape):
    self.array = self.array.reshape(shape)
    self.mask = None if self.mask is None else self.mask.reshape(shape)
    self.length = shape[0]
    return self


cdef object missing_objects(object array, bint is_nan_missing):
    """Returns an array that is true for None, NA, NaT and, if asked, NaN; None if there are none."""
    missing = [is_missing(item, is_nan_missing) for item in array.reshape(-1).tolist()]
    return numpy.array(missing, bool).reshape(array.shape) if any(missing) else None


cdef bint is_missing(object item, bint is_nan_missing):
    if item is None:
        return True
    if isinstance(item, decimal.Decimal):
        return is_nan_missing and item.is_nan()
    if isinstance(item, (float, numpy.floating)):
        return is_nan_missing and item != item
    # pandas' NA and NaT, and the mark of masked arrays.
    return builtin_type(item).__name__ in ("NAType", "NaTType", "MaskedConstant") or (
        isinstance(item, (numpy.datetime64, numpy.timedelta64)) and item != item)


cdef object ragged(str where):
    remedy = "pass elements of one length"
    return errors.InvalidData(f"{where}: the elements have different lengths; {remedy}", subject=where, remedy=remedy)
