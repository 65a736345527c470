use std::ffi::{c_void, CString};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::error::checked;
use crate::text::{self, CStrings};
use crate::value::Lowering;
use crate::{sys, Registration, Result, Transform, Value};

/// A lifetime of instances: those of factories with the lifetime [`Scoped`](crate::Lifetime::Scoped) exist once in it. It keeps them
/// until it is dropped.
#[derive(Debug)]
pub struct Scope(NonNull<sys::troupe_scope>);

// SAFETY: the header tags the functions of a scope with [any thread]; only `drop` releases it.
unsafe impl Send for Scope {}
// SAFETY: as above.
unsafe impl Sync for Scope {}

impl Scope {
    /// Owns a scope of the library.
    ///
    /// # Safety
    ///
    /// `scope` is a new handle.
    pub(crate) unsafe fn new(scope: *mut sys::troupe_scope) -> Scope {
        Scope(NonNull::new(scope).expect("troupe_scope_new returned no scope"))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        // SAFETY: this is the only release.
        unsafe { sys::troupe_scope_free(self.0.as_ptr()) }
    }
}

/// The registrations that [`Host::resolve`](crate::Host::resolve) makes instances of, all by default.
#[derive(Debug, Default)]
pub struct Request<'a> {
    tags: Vec<String>,
    contract: Option<String>,
    arguments: Vec<Value<'a>>,
    scope: Option<&'a Scope>,
}

impl<'a> Request<'a> {
    /// Returns a request for all registrations.
    pub fn new() -> Request<'a> {
        Request::default()
    }

    /// Adds a tag that a registration must have. A tag in the form of a UUID is the factory's UUID.
    pub fn tag(mut self, tag: &str) -> Request<'a> {
        self.tags.push(tag.to_owned());
        self
    }

    /// Sets the contract of the instances, such as [`Transform::CONTRACT`]; any by default.
    pub fn contract(mut self, contract: &str) -> Request<'a> {
        self.contract = Some(contract.to_owned());
        self
    }

    /// Adds an argument for the factories.
    pub fn argument(mut self, argument: impl Into<Value<'a>>) -> Request<'a> {
        self.arguments.push(argument.into());
        self
    }

    /// Sets the scope of the instances; the host's own by default.
    pub fn scope(mut self, scope: &'a Scope) -> Request<'a> {
        self.scope = Some(scope);
        self
    }

    pub(crate) fn resolve(&self, host: *const sys::troupe_host_t) -> Result<Vec<Instance>> {
        let mut tags = CStrings::default();
        for tag in &self.tags {
            tags.push(text::c_string(tag)?);
        }
        let contract: Option<CString> = self.contract.as_ref().map(text::c_string).transpose()?;
        let mut lowering = Lowering::default();
        let arguments = self.arguments.iter().map(|argument| lowering.lower(argument, None, None));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        let request = sys::troupe_request {
            struct_size: std::mem::size_of::<sys::troupe_request>() as u32,
            reserved: 0,
            tags: tags.as_ptr(),
            tag_count: tags.len(),
            contract: text::pointer(&contract),
            arguments: arguments.as_ptr(),
            argument_count: arguments.len(),
            scope: self.scope.map_or(std::ptr::null(), |scope| scope.0.as_ptr()),
        };
        // SAFETY: the request and all that it points to live for the call.
        let list = unsafe { checked(|error| sys::troupe_host_resolve(host, &request, error)) };
        let list = list.map(|list| {
            Arc::new(List(NonNull::new(list).expect("troupe_host_resolve returned neither a list nor an error")))
        });
        for callback in lowering.callbacks {
            callback.finish()?;
        }
        let list = list?;
        // SAFETY: the list and its instances are valid until its release.
        let items = unsafe { text::slice(list.0.as_ref().items, list.0.as_ref().count) };
        let instances = items.iter().map(|&instance| Instance {
            instance: NonNull::new(instance).expect("troupe_host_resolve returned no instance"),
            _list: Arc::clone(&list),
        });
        Ok(instances.collect())
    }
}

/// The instances of one resolve, which are released together.
struct List(NonNull<sys::troupe_instance_list>);

// SAFETY: the list is constant, and its release may be on any thread.
unsafe impl Send for List {}
// SAFETY: as above.
unsafe impl Sync for List {}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: this is the only release, after that of the last instance.
        unsafe { sys::troupe_instance_list_free(self.0.as_ptr()) }
    }
}

/// An instance that a factory of a plugin made. It keeps its plugin loaded.
///
/// It is released when all instances of its resolve are dropped.
pub struct Instance {
    instance: NonNull<sys::troupe_instance_t>,
    /// Owns `instance`.
    _list: Arc<List>,
}

// SAFETY: the header tags the functions of an instance with [any thread], but [one caller] for those of a transform, which need a
// mutable reference here.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Instance {
    /// Returns the registration of the instance's factory.
    pub fn registration(&self) -> Registration {
        // SAFETY: the registration belongs to the instance.
        unsafe { Registration::copy(sys::troupe_instance_registration(self.as_ptr())) }
    }

    /// Returns `true` if the instance is a transform, made in C or in Swift.
    pub fn is_transform(&self) -> bool {
        // SAFETY: the instance is valid.
        unsafe { sys::troupe_instance_is_transform(self.as_ptr()) != 0 }
    }

    /// Returns the transform; the instance again if it is none.
    pub fn into_transform(self) -> std::result::Result<Transform, Instance> {
        if self.is_transform() {
            Ok(Transform::new(self))
        } else {
            Err(self)
        }
    }

    /// Returns the object and the contract's table of functions, for a program that knows the contract in C. Both are valid until the
    /// instance is dropped. The object is NULL for a Swift instance of a contract that has no form in C.
    pub fn object(&self) -> (*mut c_void, *const c_void) {
        let mut table = std::ptr::null();
        // SAFETY: the instance is valid.
        let object = unsafe { sys::troupe_instance_object(self.as_ptr(), &mut table) };
        (object, table)
    }

    /// Returns the handle, for functions of [`sys`]. The instance keeps it.
    pub fn as_ptr(&self) -> *mut sys::troupe_instance_t {
        self.instance.as_ptr()
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Instance").field(&self.registration().name).finish()
    }
}
