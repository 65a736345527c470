//! The declarations of `troupe-host.h`, with its names.
//!
//! The header documents each of them. The other modules of this crate are the safe interface; this one has also the functions that they
//! do not use, such as those for Arrow arrays. A test compares all of it with the header.

#![allow(non_camel_case_types, missing_docs)]

use std::ffi::{c_char, c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            private: [u8; 0],
            marker: PhantomData<(*mut u8, PhantomPinned)>,
        }
    )*};
}

opaque! {
    troupe_host_t troupe_function_t troupe_instance_t troupe_scope troupe_event_queue troupe_event_listener troupe_object
    troupe_error
}

/// Former names, as in the header.
pub type troupe_plugin_host = troupe_host_t;
pub type troupe_plugin_function = troupe_function_t;
pub type troupe_plugin_instance = troupe_instance_t;

pub type troupe_status = i32;
pub const TROUPE_OK: troupe_status = 0;
pub const TROUPE_FAILED: troupe_status = 1;
pub const TROUPE_INVALID_ARGUMENT: troupe_status = 2;
pub const TROUPE_INVALID_SIGNATURE: troupe_status = 3;
pub const TROUPE_DUPLICATE: troupe_status = 4;
pub const TROUPE_INVALID_CONTRACT: troupe_status = 5;
pub const TROUPE_TOO_LATE: troupe_status = 6;
pub const TROUPE_WRONG_THREAD: troupe_status = 7;
pub const TROUPE_NOT_FOUND: troupe_status = 8;
pub const TROUPE_AMBIGUOUS: troupe_status = 9;
pub const TROUPE_OUT_OF_MEMORY: troupe_status = 10;

pub type troupe_lifetime = i32;
pub const TROUPE_TRANSIENT: troupe_lifetime = 0;
pub const TROUPE_SINGLETON: troupe_lifetime = 1;
pub const TROUPE_SCOPED: troupe_lifetime = 2;

pub type troupe_log_level = i32;
pub const TROUPE_LOG_DEBUG: troupe_log_level = 0;
pub const TROUPE_LOG_INFO: troupe_log_level = 1;
pub const TROUPE_LOG_WARNING: troupe_log_level = 2;
pub const TROUPE_LOG_ERROR: troupe_log_level = 3;

pub type troupe_function = Option<unsafe extern "C" fn()>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_metadata {
    pub key: *const c_char,
    pub value: *const c_char,
}

pub type troupe_value_kind = i32;
pub const TROUPE_VALUE_BOOL: troupe_value_kind = 0;
pub const TROUPE_VALUE_INT64: troupe_value_kind = 1;
pub const TROUPE_VALUE_UINT64: troupe_value_kind = 2;
pub const TROUPE_VALUE_DOUBLE: troupe_value_kind = 3;
pub const TROUPE_VALUE_STRING: troupe_value_kind = 4;
pub const TROUPE_VALUE_POINTER: troupe_value_kind = 5;
pub const TROUPE_VALUE_VOID: troupe_value_kind = 6;
pub const TROUPE_VALUE_MEMORY: troupe_value_kind = 7;
pub const TROUPE_VALUE_ARRAY: troupe_value_kind = 8;
pub const TROUPE_VALUE_STRUCT: troupe_value_kind = 9;
pub const TROUPE_VALUE_CALLBACK: troupe_value_kind = 10;
pub const TROUPE_VALUE_OBJECT: troupe_value_kind = 11;
pub const TROUPE_VALUE_REFERENCE: troupe_value_kind = 12;

pub type troupe_loading = i32;
pub const TROUPE_LOADING_LAZY: troupe_loading = 0;
pub const TROUPE_LOADING_EAGER: troupe_loading = 1;

pub type troupe_probing = i32;
pub const TROUPE_PROBING_NEW_CONTENT: troupe_probing = 0;
pub const TROUPE_PROBING_NEVER: troupe_probing = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_host_setting {
    pub plugin: *const c_char,
    pub key: *const c_char,
    pub value: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_host_isolation {
    pub plugin: *const c_char,
    pub policy: *const c_char,
}

pub type troupe_log =
    unsafe extern "C" fn(context: *mut c_void, level: troupe_log_level, plugin: *const c_char, text: *const c_char);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_host_options {
    pub struct_size: u32,
    pub loading: troupe_loading,
    pub probing: troupe_probing,
    pub log_level: troupe_log_level,
    pub directories: *const *const c_char,
    pub directory_count: usize,
    pub files: *const *const c_char,
    pub file_count: usize,
    pub settings: *const troupe_host_setting,
    pub setting_count: usize,
    pub pins: *const c_char,
    pub cache_directory: *const c_char,
    pub quarantine_directory: *const c_char,
    pub probe: *const c_char,
    pub maximum_file_size: u64,
    pub maximum_buffer_size: u64,
    pub probe_deadline: u64,
    pub opens_copies: i32,
    pub reports_crashes: i32,
    pub log: Option<troupe_log>,
    pub log_context: *mut c_void,
    pub isolations: *const troupe_host_isolation,
    pub isolation_count: usize,
    pub is_interrupted: Option<unsafe extern "C" fn(context: *mut c_void) -> i32>,
    pub interruption_context: *mut c_void,
    pub has_references: i32,
    pub reserved2: i32,
}

#[repr(C)]
pub struct troupe_plugin {
    pub struct_size: u32,
    pub registration_count: i32,
    pub path: *const c_char,
    pub id: *const c_char,
    pub name: *const c_char,
    pub version: *const c_char,
    pub language: *const c_char,
    pub state: *const c_char,
    pub fault: *const troupe_error,
    pub library: *const c_char,
}

#[repr(C)]
pub struct troupe_plugin_list {
    pub count: usize,
    pub items: *const *const troupe_plugin,
}

#[repr(C)]
pub struct troupe_registration {
    pub struct_size: u32,
    pub lifetime: troupe_lifetime,
    pub is_function: i32,
    pub tag_count: u32,
    pub plugin: *const c_char,
    pub uuid: *const c_char,
    pub name: *const c_char,
    pub contract: *const c_char,
    pub signature: *const c_char,
    pub tags: *const *const c_char,
    pub metadata: *const troupe_metadata,
    pub metadata_count: usize,
}

#[repr(C)]
pub struct troupe_registration_list {
    pub count: usize,
    pub items: *const *const troupe_registration,
}

#[repr(C)]
pub struct troupe_worker {
    pub struct_size: u32,
    pub process: i32,
    pub name: *const c_char,
    pub plugins: *const *const c_char,
    pub plugin_count: usize,
    pub circuit: *const c_char,
    pub enforced: *const c_char,
    pub calls: u64,
    pub failures: u64,
    pub restarts: u64,
    pub median_ns: u64,
    pub p99_ns: u64,
    pub memory: u64,
}

#[repr(C)]
pub struct troupe_worker_list {
    pub count: usize,
    pub items: *const *const troupe_worker,
}

#[repr(C)]
pub struct troupe_event {
    pub struct_size: u32,
    pub reserved: u32,
    pub plugin: *const troupe_plugin,
    pub previous: *const c_char,
}

pub type troupe_destroy = unsafe extern "C" fn(context: *mut c_void);
pub type troupe_event_callback = unsafe extern "C" fn(context: *mut c_void, event: *const troupe_event);

pub type troupe_type_kind = i32;
pub const TROUPE_TYPE_VOID: troupe_type_kind = 0;
pub const TROUPE_TYPE_BOOL: troupe_type_kind = 1;
pub const TROUPE_TYPE_INT8: troupe_type_kind = 2;
pub const TROUPE_TYPE_INT16: troupe_type_kind = 3;
pub const TROUPE_TYPE_INT32: troupe_type_kind = 4;
pub const TROUPE_TYPE_INT64: troupe_type_kind = 5;
pub const TROUPE_TYPE_UINT8: troupe_type_kind = 6;
pub const TROUPE_TYPE_UINT16: troupe_type_kind = 7;
pub const TROUPE_TYPE_UINT32: troupe_type_kind = 8;
pub const TROUPE_TYPE_UINT64: troupe_type_kind = 9;
pub const TROUPE_TYPE_FLOAT: troupe_type_kind = 10;
pub const TROUPE_TYPE_DOUBLE: troupe_type_kind = 11;
pub const TROUPE_TYPE_LONG_DOUBLE: troupe_type_kind = 12;
pub const TROUPE_TYPE_COMPLEX: troupe_type_kind = 13;
pub const TROUPE_TYPE_STRING: troupe_type_kind = 14;
pub const TROUPE_TYPE_WIDE_STRING: troupe_type_kind = 15;
pub const TROUPE_TYPE_POINTER: troupe_type_kind = 16;
pub const TROUPE_TYPE_HANDLE: troupe_type_kind = 17;
pub const TROUPE_TYPE_STRUCT: troupe_type_kind = 18;
pub const TROUPE_TYPE_UNION: troupe_type_kind = 19;
pub const TROUPE_TYPE_ARRAY: troupe_type_kind = 20;
pub const TROUPE_TYPE_ENUM: troupe_type_kind = 21;
pub const TROUPE_TYPE_CALLBACK: troupe_type_kind = 22;
pub const TROUPE_TYPE_SEQUENCE: troupe_type_kind = 23;
pub const TROUPE_TYPE_RESOLVER: troupe_type_kind = 24;
pub const TROUPE_TYPE_REFERENCE: troupe_type_kind = 25;

#[repr(C)]
pub struct troupe_member {
    pub name: *const c_char,
    pub r#type: *const troupe_type,
    pub offset: usize,
}

#[repr(C)]
pub struct troupe_enumerator {
    pub name: *const c_char,
    pub value: i64,
}

#[repr(C)]
pub struct troupe_type {
    pub struct_size: u32,
    pub kind: troupe_type_kind,
    pub name: *const c_char,
    pub size: usize,
    pub alignment: usize,
    pub element: *const troupe_type,
    pub count: usize,
    pub members: *const troupe_member,
    pub enumerators: *const troupe_enumerator,
    pub signature: *const troupe_signature,
    pub is_constant: i32,
    pub reserved: i32,
}

pub type troupe_passing = i32;
pub const TROUPE_PASSING_VALUE: troupe_passing = 0;
pub const TROUPE_PASSING_REFERENCE: troupe_passing = 1;
pub const TROUPE_PASSING_BUFFER: troupe_passing = 2;

pub type troupe_direction = i32;
pub const TROUPE_DIRECTION_IN: troupe_direction = 0;
pub const TROUPE_DIRECTION_OUT: troupe_direction = 1;
pub const TROUPE_DIRECTION_INOUT: troupe_direction = 2;

#[repr(C)]
pub struct troupe_parameter {
    pub struct_size: u32,
    pub passing: troupe_passing,
    pub direction: troupe_direction,
    pub takes_argument: i32,
    pub name: *const c_char,
    pub r#type: *const troupe_type,
    pub length_parameter: isize,
}

#[repr(C)]
pub struct troupe_signature {
    pub struct_size: u32,
    pub can_fail: i32,
    pub is_variadic: i32,
    pub reserved: i32,
    pub text: *const c_char,
    pub result: *const troupe_type,
    pub parameter_count: usize,
    pub parameters: *const *const troupe_parameter,
}

#[repr(C)]
pub struct troupe_callback {
    pub invoke: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            arguments: *const troupe_call_value,
            count: usize,
            result: *mut troupe_call_value,
        ) -> troupe_status,
    >,
    pub context: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union troupe_call_value_as {
    pub int64: i64,
    pub uint64: u64,
    pub float64: f64,
    pub string: *const c_char,
    pub pointer: *mut c_void,
    pub memory: *mut c_void,
    pub values: *const troupe_call_value,
    pub callback: *const troupe_callback,
    pub object: *mut troupe_object,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_call_value {
    pub kind: troupe_value_kind,
    pub reserved: i32,
    pub r#as: troupe_call_value_as,
    pub count: usize,
    pub name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_column {
    pub struct_size: u32,
    pub kind: troupe_type_kind,
    pub data: *const c_void,
    pub stride: isize,
    pub count: usize,
    pub validity: *const u8,
    pub validity_offset: usize,
    pub element_size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_output_column {
    pub struct_size: u32,
    pub kind: troupe_type_kind,
    pub data: *mut c_void,
    pub stride: isize,
    pub validity: *mut u8,
    pub validity_offset: usize,
    pub element_size: usize,
    pub null_count: usize,
}

pub type troupe_row_failure = i32;
pub const TROUPE_ROW_FAILURE_ENDS: troupe_row_failure = 0;
pub const TROUPE_ROW_FAILURE_IS_NULL: troupe_row_failure = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_map_options {
    pub struct_size: u32,
    pub row_failure: troupe_row_failure,
    pub threads: u32,
    pub reserved: u32,
    pub report_row: Option<unsafe extern "C" fn(context: *mut c_void, row: usize, error: *const troupe_error)>,
    pub context: *mut c_void,
}

pub type troupe_loop = Option<
    unsafe extern "C" fn(args: *mut *mut c_char, dimensions: *const isize, steps: *const isize, data: *mut c_void),
>;

#[repr(C)]
pub struct ArrowSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub private_data: *mut c_void,
}

#[repr(C)]
pub struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub private_data: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct troupe_request {
    pub struct_size: u32,
    pub reserved: u32,
    pub tags: *const *const c_char,
    pub tag_count: usize,
    pub contract: *const c_char,
    pub arguments: *const troupe_call_value,
    pub argument_count: usize,
    pub scope: *const troupe_scope,
}

#[repr(C)]
pub struct troupe_instance_list {
    pub count: usize,
    pub items: *const *mut troupe_instance_t,
}

pub type troupe_write = unsafe extern "C" fn(context: *mut c_void, bytes: *const c_void, count: usize) -> troupe_status;

extern "C" {
    pub fn troupe_error_code(error: *const troupe_error) -> *const c_char;
    pub fn troupe_error_status(error: *const troupe_error) -> troupe_status;
    pub fn troupe_error_message(error: *const troupe_error) -> *const c_char;
    pub fn troupe_error_subject(error: *const troupe_error) -> *const c_char;
    pub fn troupe_error_remedy(error: *const troupe_error) -> *const c_char;
    pub fn troupe_error_free(error: *mut troupe_error);

    pub fn troupe_host_start(options: *const troupe_host_options, error: *mut *mut troupe_error) -> *mut troupe_host_t;
    pub fn troupe_host_free(host: *mut troupe_host_t);
    pub fn troupe_host_shutdown(host: *mut troupe_host_t);
    pub fn troupe_host_version() -> *const c_char;
    pub fn troupe_host_plugins(host: *const troupe_host_t) -> *mut troupe_plugin_list;
    pub fn troupe_plugin_list_free(list: *mut troupe_plugin_list);
    pub fn troupe_host_registrations(host: *const troupe_host_t) -> *mut troupe_registration_list;
    pub fn troupe_registration_list_free(list: *mut troupe_registration_list);
    pub fn troupe_host_workers(host: *const troupe_host_t, error: *mut *mut troupe_error) -> *mut troupe_worker_list;
    pub fn troupe_worker_list_free(list: *mut troupe_worker_list);
    pub fn troupe_host_reload(
        host: *mut troupe_host_t,
        id: *const c_char,
        is_replaced: *mut i32,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_host_refresh(host: *mut troupe_host_t) -> i32;
    pub fn troupe_host_retire(
        host: *mut troupe_host_t,
        id: *const c_char,
        error: *mut *mut troupe_error,
    ) -> troupe_status;

    pub fn troupe_event_queue_new(host: *const troupe_host_t, error: *mut *mut troupe_error)
        -> *mut troupe_event_queue;
    pub fn troupe_event_queue_descriptor(queue: *const troupe_event_queue) -> c_int;
    pub fn troupe_event_queue_next(queue: *mut troupe_event_queue) -> *const troupe_event;
    pub fn troupe_event_queue_has_ended(queue: *const troupe_event_queue) -> i32;
    pub fn troupe_event_queue_free(queue: *mut troupe_event_queue);
    pub fn troupe_event_listener_new(
        host: *const troupe_host_t,
        callback: Option<troupe_event_callback>,
        context: *mut c_void,
        error: *mut *mut troupe_error,
    ) -> *mut troupe_event_listener;
    pub fn troupe_event_listener_free(listener: *mut troupe_event_listener);

    pub fn troupe_call_value_clear(value: *mut troupe_call_value);
    pub fn troupe_object_free(object: *mut troupe_object);
    pub fn troupe_object_address(object: *const troupe_object) -> *mut c_void;
    pub fn troupe_object_type(object: *const troupe_object) -> *const troupe_type;
    pub fn troupe_object_read(
        object: *const troupe_object,
        path: *const c_char,
        result: *mut troupe_call_value,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_object_write(
        object: *mut troupe_object,
        path: *const c_char,
        value: *const troupe_call_value,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_memory_new(r#type: *const c_char, count: usize, error: *mut *mut troupe_error) -> *mut troupe_object;
    pub fn troupe_callback_new(
        signature: *const c_char,
        callback: *const troupe_callback,
        destroy: Option<troupe_destroy>,
        error: *mut *mut troupe_error,
    ) -> *mut troupe_object;
    pub fn troupe_host_function(
        host: *const troupe_host_t,
        name: *const c_char,
        error: *mut *mut troupe_error,
    ) -> *mut troupe_function_t;
    pub fn troupe_function_free(function: *mut troupe_function_t);
    pub fn troupe_function_name(function: *const troupe_function_t) -> *const c_char;
    pub fn troupe_function_signature(function: *const troupe_function_t) -> *const troupe_signature;
    pub fn troupe_function_is_thread_safe(function: *const troupe_function_t) -> i32;
    pub fn troupe_function_is_isolated(function: *const troupe_function_t) -> i32;
    pub fn troupe_function_call(
        function: *const troupe_function_t,
        arguments: *const troupe_call_value,
        count: usize,
        result: *mut troupe_call_value,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_function_address(
        function: *const troupe_function_t,
        signature: *const c_char,
        error: *mut *mut troupe_error,
    ) -> troupe_function;

    pub fn troupe_function_map(
        function: *const troupe_function_t,
        columns: *const *const troupe_column,
        column_count: usize,
        row_count: usize,
        outputs: *const *mut troupe_output_column,
        output_count: usize,
        options: *const troupe_map_options,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_function_loop(
        function: *const troupe_function_t,
        data: *mut *mut c_void,
        error: *mut *mut troupe_error,
    ) -> troupe_loop;
    pub fn troupe_function_map_arrow(
        function: *const troupe_function_t,
        schemas: *const *const ArrowSchema,
        arrays: *const *const ArrowArray,
        count: usize,
        options: *const troupe_map_options,
        result_schema: *mut ArrowSchema,
        result: *mut ArrowArray,
        error: *mut *mut troupe_error,
    ) -> troupe_status;

    pub fn troupe_scope_new(host: *const troupe_host_t) -> *mut troupe_scope;
    pub fn troupe_scope_free(scope: *mut troupe_scope);
    pub fn troupe_host_resolve(
        host: *const troupe_host_t,
        request: *const troupe_request,
        error: *mut *mut troupe_error,
    ) -> *mut troupe_instance_list;
    pub fn troupe_instance_list_free(list: *mut troupe_instance_list);
    pub fn troupe_instance_registration(instance: *const troupe_instance_t) -> *const troupe_registration;
    pub fn troupe_instance_object(instance: *const troupe_instance_t, table: *mut *const c_void) -> *mut c_void;
    pub fn troupe_instance_is_transform(instance: *const troupe_instance_t) -> i32;
    pub fn troupe_transform_feed(
        transform: *mut troupe_instance_t,
        bytes: *const c_void,
        count: usize,
        write: Option<troupe_write>,
        context: *mut c_void,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_transform_finish(
        transform: *mut troupe_instance_t,
        write: Option<troupe_write>,
        context: *mut c_void,
        error: *mut *mut troupe_error,
    ) -> troupe_status;
    pub fn troupe_transform_reset(transform: *mut troupe_instance_t) -> i32;
}
