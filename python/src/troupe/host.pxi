# Hosts, plugins and registrations.

cdef str no_fork = "start the process with multiprocessing.get_context(\"spawn\")"

# The number of forks that led to the process with the first host, or -1 without a host.
cdef int first_host_fork = -1

# The hosts that are open, by their addresses, to be closed before the interpreter ends.
open_hosts = weakref.WeakValueDictionary()

cdef tuple lifetimes = ("transient", "singleton", "scoped")
cdef tuple log_levels = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


cdef object make_plugin(const troupe_plugin *plugin):
    return data.Plugin(
        path=text_or_none(plugin.path), id=text_or_none(plugin.id), name=text_or_none(plugin.name),
        version=text_or_none(plugin.version), language=text_or_none(plugin.language), state=text_or_none(plugin.state),
        registration_count=None if plugin.registration_count < 0 else plugin.registration_count,
        fault=None if plugin.fault == NULL else make_exception(plugin.fault), library=text_or_none(plugin.library))


cdef object make_registration(const troupe_registration *registration):
    metadata = {
        text_or_none(registration.metadata[index].key): text_or_none(registration.metadata[index].value)
        for index in range(registration.metadata_count)}
    return data.Registration(
        plugin=text_or_none(registration.plugin), name=text_or_none(registration.name),
        signature=text_or_none(registration.signature),
        uuid=None if registration.uuid == NULL else uuid.UUID(text_or_none(registration.uuid)),
        contract=text_or_none(registration.contract), lifetime=lifetimes[registration.lifetime],
        is_function=registration.is_function != 0,
        tags=tuple([text_or_none(registration.tags[index]) for index in range(registration.tag_count)]),
        metadata=MappingProxyType(metadata))


cdef object make_worker(const troupe_worker *worker):
    return data.Worker(
        name=text_or_none(worker.name),
        plugins=tuple([text_or_none(worker.plugins[index]) for index in range(worker.plugin_count)]),
        process=worker.process or None, calls=worker.calls, failures=worker.failures, restarts=worker.restarts,
        median_ns=worker.median_ns or None, p99_ns=worker.p99_ns or None, memory=worker.memory or None,
        circuit=text_or_none(worker.circuit), enforced=tuple(text_or_none(worker.enforced).split()))


cdef struct LogContext:
    # Borrowed from the host; NULL after its end.
    PyObject *callable


cdef object number_option(object value, str name, object least=1):
    """Returns an option that is a number, or 0, the default of C, for None."""
    if value is None:
        return 0
    # A comparison with NaN is false.
    is_number = isinstance(value, int if least == 1 else (int, float)) and not isinstance(value, bool)
    if is_number and least <= value and (value <= sys.maxsize if least == 1 else value < numpy.inf):
        return value
    range = f"from 1 to {sys.maxsize}" if least == 1 else f"from {least}, not infinite"
    raise invalid_option(value, name, f"give a number {range}, or None for the default")


cdef object invalid_option(object value, str name, str remedy):
    return errors.InvalidArgument(f"{name}: is {value!r}; {remedy}", subject=name, remedy=remedy)


cdef void write_log(void *context, troupe_log_level level, const char *plugin, const char *text) noexcept nogil:
    if not troupe_callback_begin():
        return
    with gil:
        call_log((<LogContext *>context).callable, level, plugin, text)
    troupe_callback_end()


cdef void call_log(PyObject *callable, troupe_log_level level, const char *plugin, const char *text) noexcept:
    if callable == NULL:
        return
    function = <object>callable
    try:
        function(log_levels[level], text_or_none(plugin), text_or_none(text))
    except BaseException:
        PyErr_WriteUnraisable(function)


cdef int free_later(void *host) noexcept:
    with nogil:
        troupe_host_free(<troupe_host_t *>host)
    return 0


def logging_callback(logger):
    """Returns a function that writes lines of the log to a logger of `logging`."""
    def write(level, plugin, text):
        logger.log(level, "%s: %s", plugin, text)
    return write


@cython.no_gc_clear
cdef class Host:
    """The plugins of some directories, and their registrations.

    ::

        with troupe.Host(["plugins"]) as host:
            host.functions["area"](3, 4.5)  # 13.5

    The host finds the plugins, and probes new ones in a process of their own. A plugin that cannot be used is no error; `plugins`
    has its fault. The end of the ``with`` block closes the host. Functions and instances work until their own end.

    :param directories: the directories of plugins, or one directory.
    :param files: further plugin files.
    :param settings: the configuration: for each id of a plugin, values by their keys.
    :param pins: a file of pins, as ``troupe pin`` writes it. The host then loads only plugins with these hashes.
    :param eager: whether the host loads all plugins now, instead of each at the first use.
    :param probe: the executable that probes plugins and runs workers, or None for the one of this package; False to load plugins without
        a probe.
    :param cache: the directory of probe results, None for the user's, False for none.
    :param quarantine: the directory of the quarantine, None for the user's, False to quarantine in this process only.
    :param log: a `logging.Logger`, or a function that takes the level of `logging`, the id of the plugin and a line of text, on any
        thread; None writes warnings and errors to standard error.
    :param log_level: the least level for `log`, from 0 to 50, as in `logging`.
    :param opens_copies: whether plugins are loaded from copies in memory; set it if files are overwritten while the host runs.
    :param reports_crashes: whether a fatal signal in the code of a plugin is reported before it ends the process: one line on standard
        error names the plugin and the location, and the next host puts the plugin into quarantine. It installs handlers of these signals;
        `faulthandler` works beside it.
    :param maximum_file_size: the greatest number of bytes of a plugin's file; None for 1 GiB.
    :param maximum_buffer_size: the greatest number of bytes of a buffer that a call copies; None for 1 GiB.
    :param probe_deadline: the processor time of a probe in seconds, at least 0.001; None for the default.
    :param isolate: True to run each plugin in a process of its own, a worker, which may compute and read its own libraries; a policy
        such as ``"read:/srv/models,memory:512M"`` for workers that may do more or less; or a dictionary with True, False or a policy for
        ids of plugins, and for all others with the key ``"all"``. None runs all plugins in the process of Python.

    Any thread may use a host. A child of `os.fork` can call the functions of plugins that are not isolated, and cannot use or start a
    host if its parent has started one: start processes with ``multiprocessing.get_context("spawn")``. Functions can be pickled for them.
    """

    cdef troupe_host_t *c
    cdef int fork_count
    cdef readonly bint closed
    """True after `close`."""
    cdef object log
    # Never released: a plugin that outlives the host may still write to the log.
    cdef LogContext *log_context
    # For `troupe.pickling`: this host, its options, and the directory for their paths; and when the host last began to read the files
    # of a plugin, in nanoseconds. The key None is that of all plugins without an own entry. Each change is a new dictionary.
    cdef tuple origin
    cdef dict scan_times
    cdef object __weakref__

    def __init__(
        self, directories=(), *, files=(), settings=None, pins=None, eager=False, probe=None, cache=None, quarantine=None,
        log=None, log_level=logging.WARNING, opens_copies=False, reports_crashes=False, maximum_file_size=None,
        maximum_buffer_size=None, probe_deadline=None, isolate=None,
    ):
        cdef troupe_host_options options
        cdef troupe_error *error = NULL
        cdef troupe_host_t *host
        cdef list kept = []
        global first_host_fork
        if self.c != NULL:
            raise RuntimeError("the host is started already")
        if first_host_fork not in (-1, fork_count):
            raise errors.Unavailable(f"the host cannot start in a fork of a process with a host; {no_fork}", remedy=no_fork)
        directories, files = single_path(directories), single_path(files)
        self.origin = weakref.ref(self), {
            "directories": directories, "files": files, "settings": settings, "probe": probe, "cache": cache, "quarantine": quarantine,
            "opens_copies": opens_copies, "reports_crashes": reports_crashes, "maximum_file_size": maximum_file_size,
            "maximum_buffer_size": maximum_buffer_size, "probe_deadline": probe_deadline, "isolate": isolate}, current_directory()
        memset(&options, 0, sizeof(options))
        options.struct_size = sizeof(options)
        options.loading = TROUPE_LOADING_EAGER if eager else TROUPE_LOADING_LAZY
        options.probing = TROUPE_PROBING_NEVER if probe is False else TROUPE_PROBING_NEW_CONTENT
        directories = [path_bytes(path) for path in directories]
        files = [path_bytes(path) for path in files]
        options.directories = texts(directories, kept)
        options.directory_count = len(directories)
        options.files = texts(files, kept)
        options.file_count = len(files)
        self.set_settings(&options, settings or {}, kept)
        self.set_isolations(&options, isolate, kept)
        options.pins = optional_path(pins, kept)
        options.probe = optional_path(None if probe is True or probe is False else probe, kept)
        options.cache_directory = optional_path("" if cache is False else cache, kept)
        options.quarantine_directory = optional_path("" if quarantine is False else quarantine, kept)
        options.maximum_file_size = number_option(maximum_file_size, "maximum_file_size")
        options.maximum_buffer_size = number_option(maximum_buffer_size, "maximum_buffer_size")
        # A day is as good as no limit, and C counts milliseconds.
        options.probe_deadline = round(1000 * min(number_option(probe_deadline, "probe_deadline", 0.001), 86400))
        if isinstance(log_level, bool) or not isinstance(log_level, int) or not 0 <= log_level <= logging.CRITICAL:
            raise invalid_option(log_level, "log_level", f"give a level of logging from 0 to {logging.CRITICAL}")
        options.opens_copies = 1 if opens_copies else 0
        options.reports_crashes = 1 if reports_crashes else 0
        options.is_interrupted = is_interrupted
        options.has_references = 1
        if log is not None:
            self.log = logging_callback(log) if isinstance(log, (logging.Logger, logging.LoggerAdapter)) else log
            options.log = write_log
            self.log_context = <LogContext *>PyMem_Calloc(1, sizeof(LogContext))
            if self.log_context == NULL:
                raise MemoryError
            self.log_context.callable = <PyObject *>self.log
            options.log_context = self.log_context
            options.log_level = sum([log_level > level for level in log_levels[:3]])
        self.scan_times = {None: time.time_ns()}
        with nogil:
            host = troupe_host_start(&options, &error)
        if host == NULL:
            raise take_exception(error)
        self.c = host
        self.fork_count = first_host_fork = fork_count
        open_hosts[id(self)] = self

    cdef int set_settings(self, troupe_host_options *options, object settings, list kept) except -1:
        values = [
            [text_bytes(part) for part in (plugin, key, str(value).lower() if isinstance(value, bool) else str(value))]
            for plugin, keys in settings.items() for key, value in keys.items()]
        cdef Block memory = Block.allocate(len(values), sizeof(troupe_host_setting))
        cdef troupe_host_setting *items = <troupe_host_setting *>memory.start
        for index, (plugin, key, value) in enumerate(values):
            items[index].plugin = PyBytes_AS_STRING(plugin)
            items[index].key = PyBytes_AS_STRING(key)
            items[index].value = PyBytes_AS_STRING(value)
        kept.append(values)
        kept.append(memory)
        options.settings = items
        options.setting_count = len(values)
        return 0

    cdef int set_isolations(self, troupe_host_options *options, object isolate, list kept) except -1:
        if isolate is None:
            return 0
        rules = isolate if isinstance(isolate, Mapping) else {"all": isolate}
        cdef Block memory = Block.allocate(len(rules), sizeof(troupe_host_isolation))
        cdef troupe_host_isolation *items = <troupe_host_isolation *>memory.start
        for index, (plugin, policy) in enumerate(rules.items()):
            if not isinstance(plugin, str) or not isinstance(policy, (bool, str)):
                remedy = "give True, False, a policy, or a dictionary with one of them for ids of plugins"
                raise invalid_option(isolate, "isolate", remedy)
            if plugin != "all":
                encoded = text_bytes(plugin)
                kept.append(encoded)
                items[index].plugin = PyBytes_AS_STRING(encoded)
            if policy is not False:
                encoded = text_bytes("" if policy is True else policy)
                kept.append(encoded)
                items[index].policy = PyBytes_AS_STRING(encoded)
        kept.append(memory)
        options.isolations = items
        options.isolation_count = len(rules)
        return 0

    cdef troupe_host_t *handle(self) except NULL:
        if self.closed:
            raise errors.InvalidArgument("the host is closed; start another one", remedy="start another one")
        return self.process_handle()

    cdef object failure(self, troupe_error *error):
        """Returns the exception of a failed call, which names the cause if another thread has closed the host during the call."""
        failure = take_exception(error)
        if self.closed:
            return errors.Unavailable("the host is closed; start another one", remedy="start another one")
        return failure

    cdef troupe_host_t *process_handle(self) except NULL:
        if self.c == NULL:
            raise errors.InvalidArgument("the host is not started; call Host(…)", remedy="call Host(…)")
        if self.fork_count != fork_count:
            raise errors.InvalidArgument(
                f"the host belongs to the process that forked; {no_fork}", remedy=no_fork)
        return self.c

    @property
    def plugins(self):
        """All plugins in the order in which they were found, usable or not."""
        cdef const troupe_host_t *host = self.process_handle()
        cdef troupe_plugin_list *items
        with nogil:
            items = troupe_host_plugins(host)
        try:
            return [make_plugin(items.items[index]) for index in range(items.count)]
        finally:
            with nogil:
                troupe_plugin_list_free(items)

    @property
    def registrations(self):
        """All registrations in their order."""
        cdef const troupe_host_t *host = self.process_handle()
        cdef troupe_registration_list *items
        with nogil:
            items = troupe_host_registrations(host)
        try:
            return [make_registration(items.items[index]) for index in range(items.count)]
        finally:
            with nogil:
                troupe_registration_list_free(items)

    def workers(self):
        """Returns the workers of the loaded plugins, a list of `Worker`. A worker starts when its first plugin is loaded."""
        cdef const troupe_host_t *host = self.process_handle()
        cdef troupe_error *error = NULL
        cdef troupe_worker_list *items
        with nogil:
            items = troupe_host_workers(host, &error)
        if items == NULL:
            raise take_exception(error)
        try:
            return [make_worker(items.items[index]) for index in range(items.count)]
        finally:
            with nogil:
                troupe_worker_list_free(items)

    @property
    def functions(self):
        """The plain C functions by name and by UUID, a mapping; see `Functions`."""
        from troupe.functions import Functions
        return Functions(self)

    def function(self, key):
        """Returns the function with a name or a UUID, and loads its plugin. Raises `NotRegistered`, `Ambiguous` for a name that
        several functions have, or the reason why the plugin cannot be loaded."""
        cdef const troupe_host_t *host = self.handle()
        cdef troupe_error *error = NULL
        cdef troupe_function_t *function
        encoded = text_bytes(str(key) if isinstance(key, uuid.UUID) else key)
        cdef const char *name = encoded
        # That of a scan that begins meanwhile concerns another content.
        scan_times = self.scan_times
        with nogil:
            function = troupe_host_function(host, name, &error)
        if function == NULL:
            raise self.failure(error)
        cdef FunctionPointer pointer = FunctionPointer.__new__(FunctionPointer)
        pointer.c = function
        pointer.fork_count = fork_count
        pointer.key = str(key)
        pointer.origin = self.origin
        pointer.scan_times = scan_times
        return pointer.function()

    def reload(self, plugin):
        """Replaces the plugin with an id by its present file, without a moment in which its registrations are missing. Returns
        whether the file has changed. Code that the host runs while it loads plugins, such as the log, gets the error ``busy``."""
        cdef troupe_host_t *host = self.handle()
        cdef int32_t is_replaced = 0
        cdef troupe_error *error = NULL
        cdef troupe_status status
        encoded = text_bytes(plugin)
        cdef const char *id = encoded
        began = time.time_ns()
        with nogil:
            status = troupe_host_reload(host, id, &is_replaced, &error)
        if status != TROUPE_OK:
            raise self.failure(error)
        self.scan_times = {**self.scan_times, plugin: began}
        return is_replaced != 0

    def refresh(self):
        """Scans the directories again: loads new plugins, replaces changed ones, retires missing ones. Returns whether anything
        changed."""
        cdef troupe_host_t *host = self.handle()
        cdef int32_t changed
        began = time.time_ns()
        with nogil:
            changed = troupe_host_refresh(host)
        self.scan_times = {None: began}
        return changed != 0

    def retire(self, plugin):
        """Unregisters the factories and functions of the plugin with an id. Code that the host runs while it loads plugins, such
        as the log, gets the error ``busy``."""
        cdef troupe_host_t *host = self.handle()
        cdef troupe_error *error = NULL
        cdef troupe_status status
        encoded = text_bytes(plugin)
        cdef const char *id = encoded
        with nogil:
            status = troupe_host_retire(host, id, &error)
        if status != TROUPE_OK:
            raise self.failure(error)

    def scope(self):
        """Returns a scope for a ``with`` block: instances with the lifetime ``scoped`` exist once in it."""
        return Scope.make(self)

    def resolve(self, *, tags=(), contract=None, args=(), scope=None):
        """Makes an instance of each registration that has all tags and the contract, in the order of the registrations.

        :param tags: the tags, or one tag; a tag in the form of a UUID is the UUID of a factory.
        :param args: the arguments for the factories.
        :param scope: the scope of the instances; None for the host's own.
        """
        return resolve(self, [tags] if isinstance(tags, (str, uuid.UUID)) else list(tags), contract, list(args), scope)

    def events(self):
        """Returns the changes of plugins from now on: an iterator, and an asynchronous iterator, that ends when the host is
        closed."""
        return EventStream.make(self)

    def on_event(self, callback):
        """Calls a function with each `Event` from now on, one at a time, on a thread of the library. Returns a `Listener`, whose
        end or `close` ends the calls. The function may call all methods of the host but `close`."""
        return Listener.make(self, callback)

    def __reduce__(self):
        raise not_picklable(self, "is open in one process alone", "start a host in each process, or pickle its functions")

    def close(self):
        """Retires all plugins and ends all events. Functions and instances that the program still has work until their own end."""
        cdef troupe_host_t *host = self.c
        if host == NULL or self.closed:
            return
        self.closed = True
        if self.fork_count == fork_count:
            with nogil:
                troupe_host_shutdown(host)

    def __enter__(self):
        self.handle()
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        return f"<troupe.Host {'closed' if self.closed else 'open'}>"

    def __dealloc__(self):
        cdef troupe_host_t *host = self.c
        self.c = NULL
        if host == NULL or self.fork_count != fork_count or is_finalizing:
            return
        if troupe_callback_depth > 0:
            # Its callbacks must not wait for themselves.
            Py_AddPendingCall(free_later, host)
        else:
            with nogil:
                troupe_host_free(host)
        if self.log_context != NULL:
            self.log_context.callable = NULL


cdef object single_path(object paths):
    return [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)


cdef object current_directory():
    try:
        return os.getcwd()
    except FileNotFoundError:
        # It was removed, and no path can be relative to it.
        return ""


cdef const char *optional_path(object path, list kept) except? NULL:
    if path is None:
        return NULL
    encoded = path_bytes(path)
    kept.append(encoded)
    return PyBytes_AS_STRING(encoded)


def version():
    """Returns the version of Troupe, such as ``0.1.0``."""
    return text_or_none(troupe_host_version())
