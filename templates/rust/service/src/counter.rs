//! The contract `@ID@.counter/1`: an object that counts.
//!
//! A contract is a name, a table of functions, and these rules: the resolver owns a counter; each function may be
//! called on any thread, also on several at once; functions are only appended to the table, whose first member is its
//! size. The unsafe code of the contract is in this file.

use crate::troupe::{Function, Instance, Lifetime, Registrar, Registration, Resolver, Result};
use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, Ordering};

const CONTRACT: &str = "@ID@.counter/1";

#[repr(C)]
struct Table {
    struct_size: u32,
    reserved: u32,
    /// Returns the counter's number and adds 1. Does not fail.
    next: unsafe extern "C" fn(counter: *mut c_void) -> i64,
}

/// A counter of this plugin.
pub struct Counter {
    number: AtomicI64,
}

impl Counter {
    pub fn new(start: i64) -> Self {
        Counter { number: AtomicI64::new(start) }
    }
}

/// The host passes a counter that `Counter::new` has made.
unsafe extern "C" fn next(counter: *mut c_void) -> i64 {
    (*counter.cast::<Counter>()).number.fetch_add(1, Ordering::Relaxed)
}

static TABLE: Table = Table { struct_size: std::mem::size_of::<Table>() as u32, reserved: 0, next };

/// Registers counters that a function makes.
pub fn register(
    registrar: &Registrar,
    registration: Registration,
    lifetime: Lifetime,
    make: Function<Result<Counter>>,
) -> Result<()> {
    // SAFETY: the contract has this table, whose functions take a `Counter`.
    unsafe { registrar.contract(registration, CONTRACT, lifetime, &TABLE, make) }
}

/// A counter of any plugin.
pub struct ResolvedCounter(Instance<Table>);

impl ResolvedCounter {
    /// Resolves the counter with these tags, for an instance whose factory has got the resolver.
    pub fn resolve(resolver: Resolver, tags: &[&str]) -> Result<Self> {
        // SAFETY: the contract has this table.
        unsafe { resolver.resolve(CONTRACT, tags) }.map(ResolvedCounter)
    }

    pub fn next(&self) -> i64 {
        // SAFETY: the object belongs to the table.
        unsafe { (self.0.table().next)(self.0.object()) }
    }
}
