# The end of the interpreter, forks, errors and texts.

cdef extern from "threads.h" nogil:
    int troupe_callback_depth
    int is_finalizing "troupe_is_finalizing"
    int troupe_callback_begin()
    void troupe_callback_end()
    void troupe_callbacks_finalize()
    ctypedef int troupe_cancellation
    void troupe_cancel(troupe_cancellation *cancellation)
    void troupe_set_cancellation(troupe_cancellation *cancellation)
    bint troupe_is_cancelled()

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        void *tp_new
        void *tp_vectorcall
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
    void PyType_Modified(PyTypeObject *type)
    int PyErr_CheckSignals() except -1
    unsigned long PyThread_get_thread_ident() nogil
    int Py_AddPendingCall(int (*call)(void *) noexcept, void *argument)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef object refuse_new(object made, PyObject *arguments, PyObject *keywords):
    raise TypeError(f"cannot create {made.__name__} instances")


cdef int refuse_construction(object made) except -1:
    """Makes a call of a type raise a TypeError. `Type.__new__` in this module calls the constructor itself."""
    (<PyTypeObject *>made).tp_vectorcall = NULL
    (<PyTypeObject *>made).tp_new = <void *>refuse_new
    PyType_Modified(<PyTypeObject *>made)
    return 0

cdef object not_picklable(object value, str reason, str remedy):
    """Returns the exception for pickling an object of one process."""
    name = builtin_type(value).__name__
    return errors.Usage(f"troupe.{name}: cannot be pickled, since it {reason}; {remedy}", subject=f"troupe.{name}", remedy=remedy)


# The number of forks that led to this process. Handles of an older process are neither used nor released: their locks may belong to
# threads that this process does not have.
cdef int fork_count = 0

# The thread that runs the handlers of signals.
cdef unsigned long main_thread = threading.main_thread().ident

# The exception of a handler of a signal, such as KeyboardInterrupt, for which a call on the main thread was cancelled.
cdef object interruption = None


def _count_fork():
    global fork_count, main_thread
    fork_count += 1
    main_thread = threading.get_ident()


def _finalize():
    for host in list(open_hosts.values()):
        host.close()
    with nogil:
        troupe_callbacks_finalize()


os.register_at_fork(after_in_child=_count_fork)
atexit.register(_finalize)


cdef str text_or_none(const char *text):
    return None if text == NULL else PyUnicode_DecodeUTF8(text, strlen(text), "surrogateescape")


cdef object make_exception(const troupe_error *error):
    return make_error(
        text_or_none(troupe_error_message(error)), text_or_none(troupe_error_code(error)),
        text_or_none(troupe_error_subject(error)), text_or_none(troupe_error_remedy(error)))


cdef int32_t is_interrupted(void *context) noexcept nogil:
    """True if a call that waits for a worker ends: if its coroutine was cancelled, or the handler of a signal raises an exception."""
    cdef int32_t result
    if troupe_is_cancelled():
        return 1
    if PyThread_get_thread_ident() != main_thread or not troupe_callback_begin():
        return 0
    with gil:
        result = handle_signals()
    troupe_callback_end()
    return result


cdef bint handle_signals() noexcept:
    global interruption
    try:
        PyErr_CheckSignals()
        return False
    except BaseException as exception:
        interruption = exception
        return True


cdef object take_exception(troupe_error *error):
    """Returns the exception of an error, which it releases, or that of the signal that interrupted the call."""
    global interruption
    if interruption is not None and PyThread_get_thread_ident() == main_thread:
        interrupting, interruption = interruption, None
        troupe_error_free(error)
        return interrupting
    if error == NULL:
        return make_error("the library reports a failure without a reason", "internalError", "", "")
    try:
        return make_exception(error)
    finally:
        troupe_error_free(error)


cdef bytes path_bytes(object path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise errors.InvalidArgument(f"{path!r}: the path contains a NUL; remove it", subject=repr(path), remedy="remove it")
    return encoded


cdef bytes text_bytes(object text):
    try:
        encoded = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        remedy = "replace the lone surrogate"
        raise errors.InvalidData(f"{text!r}: the text cannot be encoded as UTF-8; {remedy}", subject=repr(text), remedy=remedy) from None
    if b"\0" in encoded:
        raise errors.InvalidData(f"{text!r}: the text contains a NUL; remove it", subject=repr(text), remedy="remove it")
    return encoded


cdef class Block:
    """Zeroed memory of this module that lives as long as this object."""

    cdef void *start

    @staticmethod
    cdef Block allocate(size_t count, size_t size):
        cdef Block memory = Block.__new__(Block)
        memory.start = PyMem_Calloc(count if count > 0 else 1, size)
        if memory.start == NULL:
            raise MemoryError
        return memory

    def __dealloc__(self):
        PyMem_Free(self.start)


cdef const char **texts(list encoded, list kept) except NULL:
    """Returns an array of C strings that lives as long as `kept`."""
    cdef Block memory = Block.allocate(len(encoded), sizeof(char *))
    cdef const char **items = <const char **>memory.start
    for index, text in enumerate(encoded):
        items[index] = PyBytes_AS_STRING(text)
    kept.append(encoded)
    kept.append(memory)
    return items
