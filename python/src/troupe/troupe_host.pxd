# The functions of include/troupe-host.h. Functions that may call back or wait are called without the GIL.
from libc.stdint cimport int32_t, int64_t, intptr_t, uint8_t, uint32_t, uint64_t

cdef extern from "troupe-host.h" nogil:
    ctypedef int32_t troupe_status
    ctypedef int32_t troupe_log_level
    ctypedef int32_t troupe_lifetime
    ctypedef int32_t troupe_value_kind
    ctypedef int32_t troupe_type_kind
    ctypedef int32_t troupe_passing
    ctypedef int32_t troupe_direction
    enum:
        TROUPE_OK, TROUPE_FAILED
        TROUPE_LOG_WARNING
        TROUPE_LOADING_LAZY, TROUPE_LOADING_EAGER
        TROUPE_PROBING_NEW_CONTENT, TROUPE_PROBING_NEVER
        TROUPE_VALUE_BOOL, TROUPE_VALUE_INT64, TROUPE_VALUE_UINT64, TROUPE_VALUE_DOUBLE, TROUPE_VALUE_STRING
        TROUPE_VALUE_POINTER, TROUPE_VALUE_VOID, TROUPE_VALUE_MEMORY, TROUPE_VALUE_ARRAY, TROUPE_VALUE_STRUCT
        TROUPE_VALUE_CALLBACK, TROUPE_VALUE_OBJECT, TROUPE_VALUE_REFERENCE
        TROUPE_TYPE_VOID, TROUPE_TYPE_BOOL, TROUPE_TYPE_INT8, TROUPE_TYPE_INT16, TROUPE_TYPE_INT32, TROUPE_TYPE_INT64
        TROUPE_TYPE_UINT8, TROUPE_TYPE_UINT16, TROUPE_TYPE_UINT32, TROUPE_TYPE_UINT64, TROUPE_TYPE_FLOAT, TROUPE_TYPE_DOUBLE
        TROUPE_TYPE_LONG_DOUBLE, TROUPE_TYPE_COMPLEX, TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING, TROUPE_TYPE_POINTER
        TROUPE_TYPE_HANDLE, TROUPE_TYPE_STRUCT, TROUPE_TYPE_UNION, TROUPE_TYPE_ARRAY, TROUPE_TYPE_ENUM, TROUPE_TYPE_CALLBACK
        TROUPE_TYPE_SEQUENCE, TROUPE_TYPE_RESOLVER, TROUPE_TYPE_REFERENCE
        TROUPE_PASSING_VALUE, TROUPE_PASSING_REFERENCE, TROUPE_PASSING_BUFFER
        TROUPE_DIRECTION_IN, TROUPE_DIRECTION_OUT, TROUPE_DIRECTION_INOUT
        TROUPE_ROW_FAILURE_ENDS, TROUPE_ROW_FAILURE_IS_NULL

    ctypedef struct troupe_host_t
    ctypedef struct troupe_function_t
    ctypedef struct troupe_instance_t
    ctypedef struct troupe_scope
    ctypedef struct troupe_event_queue
    ctypedef struct troupe_event_listener
    ctypedef struct troupe_object
    ctypedef struct troupe_error

    const char *troupe_error_code(const troupe_error *error)
    const char *troupe_error_message(const troupe_error *error)
    const char *troupe_error_subject(const troupe_error *error)
    const char *troupe_error_remedy(const troupe_error *error)
    void troupe_error_free(troupe_error *error)

    ctypedef struct troupe_host_setting:
        const char *plugin
        const char *key
        const char *value

    ctypedef struct troupe_host_isolation:
        const char *plugin
        const char *policy

    ctypedef void (*troupe_log)(void *context, troupe_log_level level, const char *plugin, const char *text) noexcept nogil

    ctypedef struct troupe_host_options:
        uint32_t struct_size
        int32_t loading
        int32_t probing
        troupe_log_level log_level
        const char **directories
        size_t directory_count
        const char **files
        size_t file_count
        const troupe_host_setting *settings
        size_t setting_count
        const char *pins
        const char *cache_directory
        const char *quarantine_directory
        const char *probe
        uint64_t maximum_file_size
        uint64_t maximum_buffer_size
        uint64_t probe_deadline
        int32_t opens_copies
        int32_t reports_crashes
        troupe_log log
        void *log_context
        const troupe_host_isolation *isolations
        size_t isolation_count
        int32_t (*is_interrupted)(void *context) noexcept nogil
        void *interruption_context
        int32_t has_references

    troupe_host_t *troupe_host_start(const troupe_host_options *options, troupe_error **error)
    void troupe_host_free(troupe_host_t *host)
    void troupe_host_shutdown(troupe_host_t *host)
    const char *troupe_host_version()

    ctypedef struct troupe_plugin:
        int32_t registration_count
        const char *path
        const char *id
        const char *name
        const char *version
        const char *language
        const char *state
        const troupe_error *fault
        const char *library

    ctypedef struct troupe_plugin_list:
        size_t count
        const troupe_plugin **items

    troupe_plugin_list *troupe_host_plugins(const troupe_host_t *host)
    void troupe_plugin_list_free(troupe_plugin_list *list)

    ctypedef struct troupe_metadata:
        const char *key
        const char *value

    ctypedef struct troupe_registration:
        troupe_lifetime lifetime
        int32_t is_function
        uint32_t tag_count
        const char *plugin
        const char *uuid
        const char *name
        const char *contract
        const char *signature
        const char **tags
        const troupe_metadata *metadata
        size_t metadata_count

    ctypedef struct troupe_registration_list:
        size_t count
        const troupe_registration **items

    troupe_registration_list *troupe_host_registrations(const troupe_host_t *host)
    void troupe_registration_list_free(troupe_registration_list *list)

    ctypedef struct troupe_worker:
        int32_t process
        const char *name
        const char **plugins
        size_t plugin_count
        const char *circuit
        const char *enforced
        uint64_t calls
        uint64_t failures
        uint64_t restarts
        uint64_t median_ns
        uint64_t p99_ns
        uint64_t memory

    ctypedef struct troupe_worker_list:
        size_t count
        const troupe_worker **items

    troupe_worker_list *troupe_host_workers(const troupe_host_t *host, troupe_error **error)
    void troupe_worker_list_free(troupe_worker_list *list)
    troupe_status troupe_host_reload(troupe_host_t *host, const char *id, int32_t *is_replaced, troupe_error **error)
    int32_t troupe_host_refresh(troupe_host_t *host)
    troupe_status troupe_host_retire(troupe_host_t *host, const char *id, troupe_error **error)

    ctypedef struct troupe_event:
        const troupe_plugin *plugin
        const char *previous

    ctypedef void (*troupe_event_callback)(void *context, const troupe_event *event) noexcept nogil

    troupe_event_queue *troupe_event_queue_new(const troupe_host_t *host, troupe_error **error)
    int troupe_event_queue_descriptor(const troupe_event_queue *queue)
    const troupe_event *troupe_event_queue_next(troupe_event_queue *queue)
    int32_t troupe_event_queue_has_ended(const troupe_event_queue *queue)
    void troupe_event_queue_free(troupe_event_queue *queue)
    troupe_event_listener *troupe_event_listener_new(
        const troupe_host_t *host, troupe_event_callback callback, void *context, troupe_error **error)
    void troupe_event_listener_free(troupe_event_listener *listener)

    ctypedef struct troupe_type
    ctypedef struct troupe_signature

    ctypedef struct troupe_member:
        const char *name
        const troupe_type *type
        size_t offset

    ctypedef struct troupe_enumerator:
        const char *name
        int64_t value

    ctypedef struct troupe_type:
        troupe_type_kind kind
        const char *name
        size_t size
        size_t alignment
        const troupe_type *element
        size_t count
        const troupe_member *members
        const troupe_enumerator *enumerators
        const troupe_signature *signature
        int32_t is_constant

    ctypedef struct troupe_parameter:
        troupe_passing passing
        troupe_direction direction
        int32_t takes_argument
        const char *name
        const troupe_type *type
        intptr_t length_parameter

    ctypedef struct troupe_signature:
        int32_t can_fail
        int32_t is_variadic
        const char *text
        const troupe_type *result
        size_t parameter_count
        const troupe_parameter **parameters

    ctypedef struct troupe_call_value
    ctypedef struct troupe_callback

    # The member `as` of troupe_call_value, whose name is a keyword here.
    ctypedef union troupe_call_content:
        int64_t int64
        uint64_t uint64
        double float64
        const char *string
        void *pointer
        void *memory
        const troupe_call_value *values
        const troupe_callback *callback
        troupe_object *object

    ctypedef struct troupe_call_value:
        troupe_value_kind kind
        troupe_call_content content "as"
        size_t count
        const char *name

    ctypedef troupe_status (*troupe_invoke)(
        void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) noexcept nogil

    ctypedef struct troupe_callback:
        troupe_invoke invoke
        void *context

    void troupe_call_value_clear(troupe_call_value *value)
    void troupe_object_free(troupe_object *object)
    void *troupe_object_address(const troupe_object *object)
    const troupe_type *troupe_object_type(const troupe_object *object)
    troupe_status troupe_object_read(const troupe_object *object, const char *path, troupe_call_value *result, troupe_error **error)
    troupe_status troupe_object_write(troupe_object *object, const char *path, const troupe_call_value *value, troupe_error **error)
    troupe_object *troupe_memory_new(const char *type, size_t count, troupe_error **error)
    ctypedef void (*troupe_destroy)(void *context) noexcept nogil
    troupe_object *troupe_callback_new(
        const char *signature, const troupe_callback *callback, troupe_destroy destroy, troupe_error **error)

    troupe_function_t *troupe_host_function(const troupe_host_t *host, const char *name, troupe_error **error)
    void troupe_function_free(troupe_function_t *function)
    const char *troupe_function_name(const troupe_function_t *function)
    const troupe_signature *troupe_function_signature(const troupe_function_t *function)
    int32_t troupe_function_is_thread_safe(const troupe_function_t *function)
    int32_t troupe_function_is_isolated(const troupe_function_t *function)
    troupe_status troupe_function_call(
        const troupe_function_t *function, const troupe_call_value *arguments, size_t count, troupe_call_value *result,
        troupe_error **error)
    ctypedef void (*troupe_function)()
    troupe_function troupe_function_address(const troupe_function_t *function, const char *signature, troupe_error **error)

    ctypedef struct troupe_column:
        uint32_t struct_size
        troupe_type_kind kind
        const void *data
        intptr_t stride
        size_t count
        const uint8_t *validity
        size_t validity_offset
        size_t element_size

    ctypedef struct troupe_output_column:
        uint32_t struct_size
        troupe_type_kind kind
        void *data
        intptr_t stride
        uint8_t *validity
        size_t validity_offset
        size_t element_size
        size_t null_count

    ctypedef struct troupe_map_options:
        uint32_t struct_size
        int32_t row_failure
        uint32_t threads

    troupe_status troupe_function_map(
        const troupe_function_t *function, const troupe_column **columns, size_t column_count, size_t row_count,
        troupe_output_column **outputs, size_t output_count, const troupe_map_options *options, troupe_error **error)

    ctypedef void (*troupe_loop)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) noexcept
    troupe_loop troupe_function_loop(const troupe_function_t *function, void **data, troupe_error **error)

    troupe_scope *troupe_scope_new(const troupe_host_t *host)
    void troupe_scope_free(troupe_scope *scope)

    ctypedef struct troupe_request:
        uint32_t struct_size
        const char **tags
        size_t tag_count
        const char *contract
        const troupe_call_value *arguments
        size_t argument_count
        const troupe_scope *scope

    ctypedef struct troupe_instance_list:
        size_t count
        troupe_instance_t **items

    troupe_instance_list *troupe_host_resolve(const troupe_host_t *host, const troupe_request *request, troupe_error **error)
    void troupe_instance_list_free(troupe_instance_list *list)
    const troupe_registration *troupe_instance_registration(const troupe_instance_t *instance)
    void *troupe_instance_object(const troupe_instance_t *instance, const void **table)

    ctypedef troupe_status (*troupe_write)(void *context, const void *bytes, size_t count) noexcept nogil
    int32_t troupe_instance_is_transform(const troupe_instance_t *instance)
    troupe_status troupe_transform_feed(
        troupe_instance_t *transform, const void *bytes, size_t count, troupe_write write, void *context, troupe_error **error)
    troupe_status troupe_transform_finish(
        troupe_instance_t *transform, troupe_write write, void *context, troupe_error **error)
    int32_t troupe_transform_reset(troupe_instance_t *transform)
