# C types and signatures as Python data.

cdef tuple kind_names = (
    "void", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "long double",
    "complex", "string", "wide string", "pointer", "handle", "struct", "union", "array", "enum", "callback", "sequence", "resolver",
    "reference")
cdef tuple dtype_names = (
    None, "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "longdouble")
cdef dict complex_names = {TROUPE_TYPE_FLOAT: "c8", TROUPE_TYPE_DOUBLE: "c16", TROUPE_TYPE_LONG_DOUBLE: "clongdouble"}


def identifier(name, taken=()):
    """Returns the name of a C member as the name of a field in Python: `class` becomes `class_`, and `_x` becomes `x`.

    The position of a parameter without a name, such as `2`, becomes `argument2`.
    """
    name = (name or "").lstrip("_") or "field"
    if name[0].isdigit():
        name = "argument" + name
    if keyword.iskeyword(name):
        name += "_"
    while name in taken:
        name += "_"
    return name


def identifiers(names):
    """Returns different names of fields for the names of C members."""
    result = []
    for name in names:
        result.append(identifier(name, result))
    return result


@functools.cache
def record_class(name, names):
    """Returns the class of named tuples for the members of a struct or the outputs of a function, a tuple of names.

    Equal names have one class, which other processes make anew: its instances are pickled without the plugin.
    """
    record = collections.namedtuple(identifier(name), identifiers(names), module="troupe")
    record._names = names
    record.__reduce__ = lambda self: (make_record, (name, names, tuple(self)))
    return record


def make_record(name, names, values):
    """Unpickles a named tuple."""
    return record_class(name, names)._make(values)


@functools.cache
def enumeration_class(name, members):
    """Returns the class for an enumeration with pairs of names and values, as `record_class` does."""
    result = enum.IntEnum(identifier(name), members, module="troupe")
    result.__reduce_ex__ = lambda self, protocol: (make_enumerator, (name, members, int(self)))
    return result


def make_enumerator(name, members, value):
    """Unpickles a member of an enumeration."""
    return enumeration_class(name, members)(value)


@cython.final
cdef class Type:
    """A C type as data."""

    cdef readonly str kind
    cdef readonly str name
    cdef readonly size_t size
    cdef readonly size_t alignment
    cdef readonly Type element
    cdef readonly tuple members
    cdef readonly dict enumerators
    cdef readonly Signature signature
    cdef readonly size_t count
    cdef readonly bint is_constant
    cdef troupe_type_kind code
    cdef dict types_by_name
    cdef object cached_record, cached_enumeration, cached_dtype

    def __repr__(self):
        return f"<troupe.Type {self.name!r}>"

    def __reduce__(self):
        raise not_picklable(self, "belongs to a function", "pickle the function, or the name of the type")

    @property
    def tag(self):
        """The name of a struct, union or enumeration without the keyword, or None for one without a name."""
        words = self.name.split()
        return words[-1] if 0 < len(words) < 3 and all(word.isidentifier() for word in words) else None

    @property
    def record(self):
        """The class of the named tuples for this struct or union, or None for other types."""
        if self.cached_record is None and self.code in (TROUPE_TYPE_STRUCT, TROUPE_TYPE_UNION):
            self.cached_record = record_class(self.tag or "record", tuple([name for name, _ in self.fields()]))
        return self.cached_record

    @property
    def enumeration(self):
        """The `enum.IntEnum` of this enumeration, or None for other types."""
        if self.cached_enumeration is None and self.code == TROUPE_TYPE_ENUM:
            members = tuple(zip(identifiers(self.enumerators), self.enumerators.values()))
            self.cached_enumeration = enumeration_class(self.tag or "enumeration", members)
        return self.cached_enumeration

    @property
    def dtype(self):
        """The `numpy.dtype` with the same layout, or None if there is none."""
        if self.cached_dtype is None:
            self.cached_dtype = self.make_dtype() or False
        return self.cached_dtype or None

    cdef object make_dtype(self):
        if self.code <= TROUPE_TYPE_LONG_DOUBLE:
            name = dtype_names[self.code]
            return None if name is None else numpy.dtype(name)
        if self.code == TROUPE_TYPE_COMPLEX:
            return numpy.dtype(complex_names[self.element.code])
        if self.code == TROUPE_TYPE_ENUM:
            return self.element.dtype
        if self.code == TROUPE_TYPE_ARRAY:
            if self.element.is_char():
                return numpy.dtype(("S", self.count))
            return None if self.element.dtype is None else numpy.dtype((self.element.dtype, (self.count,)))
        if self.code == TROUPE_TYPE_STRUCT and self.members:
            if not all(name and member.dtype is not None for name, member, _ in self.members):
                return None
            return numpy.dtype({
                "names": [name for name, _, _ in self.members], "formats": [member.dtype for _, member, _ in self.members],
                "offsets": [offset for _, _, offset in self.members], "itemsize": self.size})
        return None

    cdef bint is_char(self):
        return self.code in (TROUPE_TYPE_INT8, TROUPE_TYPE_UINT8) and self.name == "char"

    cdef bint is_text(self):
        """True if the type is an array of characters, such as `char name[8]`."""
        return self.code == TROUPE_TYPE_ARRAY and self.element.is_char()

    cdef bint is_number(self):
        """True if the type is a number, a boolean or an enumeration, which a call passes as itself."""
        return TROUPE_TYPE_BOOL <= self.code <= TROUPE_TYPE_COMPLEX or self.code == TROUPE_TYPE_ENUM

    cdef bint is_raw(self):
        """True if a buffer of these elements is any memory, as `void` and `unsigned char` in C."""
        return self.code == TROUPE_TYPE_VOID or self.code == TROUPE_TYPE_UINT8 and self.name == "unsigned char"

    cdef bint is_byte(self):
        return self.code in (TROUPE_TYPE_VOID, TROUPE_TYPE_INT8, TROUPE_TYPE_UINT8)

    cdef bint is_pointer(self):
        """True if the type is a pointer for which a call takes what it leads to."""
        return self.code in (TROUPE_TYPE_POINTER, TROUPE_TYPE_REFERENCE, TROUPE_TYPE_HANDLE)

    cdef Type at(self, str path):
        """The type of the member or element at a path, also through references; None if it is unknown."""
        cdef Type found = self
        for step in path.replace("[", ".[").split("."):
            if found is None or not step:
                continue
            if step[0] == "[":
                found = found.element
            else:
                found = (found.element if found.code == TROUPE_TYPE_REFERENCE else found).member(step)
        return found

    cdef list fields(self):
        """The members with their types, those of anonymous members among them."""
        result = []
        for name, member, _ in self.members:
            if name:
                result.append((name, member))
            else:
                result += (<Type>member).fields()
        return result

    cdef dict member_types(self):
        if self.types_by_name is None:
            self.types_by_name = dict(self.fields())
        return self.types_by_name

    cdef Type member(self, object name):
        return self.member_types().get(name)


@cython.final
cdef class Parameter:
    """A parameter of a function."""

    cdef readonly str name
    cdef readonly Type type
    cdef readonly str passing
    cdef readonly str direction
    cdef readonly bint takes_argument
    cdef readonly object length_parameter
    cdef troupe_passing passing_code
    cdef troupe_direction direction_code

    def __repr__(self):
        return f"<troupe.Parameter {self.name or ''!r}: {self.type.name}>"

    def __reduce__(self):
        raise not_picklable(self, "belongs to a function", "pickle the function")


@cython.final
cdef class Signature:
    """The type of a function as data: `parameters`, `result` and `text`."""

    cdef readonly str text
    cdef readonly tuple parameters
    cdef readonly Type result
    cdef readonly bint can_fail
    cdef readonly bint is_variadic

    def __repr__(self):
        return f"<troupe.Signature {self.text!r}>"

    def __reduce__(self):
        raise not_picklable(self, "belongs to a function", "pickle the function, or the text of the signature")

    def __str__(self):
        return self.text

    def __eq__(self, other):
        return isinstance(other, Signature) and self.text == (<Signature>other).text

    def __hash__(self):
        return hash(self.text)

    @property
    def outputs(self):
        """The names and types of the results: the result as `return`, unless it is void, and each output of the call."""
        outputs = {}
        if self.result.code != TROUPE_TYPE_VOID:
            outputs["return"] = self.result
        for parameter in self.parameters:
            if (<Parameter>parameter).direction_code != TROUPE_DIRECTION_IN:
                outputs[parameter.name] = parameter.type
        return outputs


cdef Type make_type(const troupe_type *c, dict known):
    """Copies a type; `known` has the types that were copied before, since a struct may point to itself."""
    if c == NULL:
        return None
    key = <uintptr_t>c
    if key in known:
        return known[key]
    cdef Type self = Type.__new__(Type)
    known[key] = self
    self.code = c.kind
    self.kind = kind_names[c.kind]
    self.name = text_or_none(c.name)
    self.size = c.size
    self.alignment = c.alignment
    self.count = c.count
    self.is_constant = c.is_constant != 0
    self.element = make_type(c.element, known)
    self.signature = make_signature(c.signature, known) if c.signature != NULL else None
    members = []
    if c.kind in (TROUPE_TYPE_STRUCT, TROUPE_TYPE_UNION):
        for index in range(c.count):
            members.append((text_or_none(c.members[index].name) or "", make_type(c.members[index].type, known),
                            c.members[index].offset))
    self.members = tuple(members)
    self.enumerators = {}
    if c.kind == TROUPE_TYPE_ENUM:
        for index in range(c.count):
            self.enumerators[text_or_none(c.enumerators[index].name)] = c.enumerators[index].value
    return self


cdef Signature make_signature(const troupe_signature *c, dict known):
    cdef Signature self = Signature.__new__(Signature)
    cdef Parameter parameter
    cdef const troupe_parameter *p
    self.text = text_or_none(c.text)
    self.can_fail = c.can_fail != 0
    self.is_variadic = c.is_variadic != 0
    self.result = make_type(c.result, known)
    parameters = []
    for index in range(c.parameter_count):
        p = c.parameters[index]
        parameter = Parameter.__new__(Parameter)
        parameter.name = text_or_none(p.name)
        parameter.type = make_type(p.type, known)
        parameter.passing_code = p.passing
        parameter.passing = ("value", "reference", "buffer")[p.passing]
        parameter.direction_code = p.direction
        parameter.direction = ("in", "out", "inout")[p.direction]
        parameter.takes_argument = p.takes_argument != 0
        parameter.length_parameter = None if p.length_parameter < 0 else p.length_parameter
        parameters.append(parameter)
    self.parameters = tuple(parameters)
    return self
