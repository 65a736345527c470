//! Hosts of plugins: find the plugins of a directory, call their C functions, pass data through their transforms, and replace and
//! retire plugins while the program runs.
//!
//! ```
//! # fn main() -> troupe::Result<()> {
//! # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
//! // SAFETY: the plugins of this directory keep their promises, see `Builder::start`.
//! let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
//!
//! let area = host.function::<(f64, f64), f64>("area")?;
//! assert_eq!(area.call(3.0, 4.5), 13.5);
//!
//! let mut areas = [0.0; 3];
//! area.map().column(&[1.0, 2.0, 3.0]).column(&[10.0, 20.0, 30.0]).output(&mut areas).run()?;
//! assert_eq!(areas, [10.0, 40.0, 90.0]);
//! # Ok(())
//! # }
//! ```
//!
//! | type | purpose |
//! |---|---|
//! | [`Host`], [`Builder`] | the plugins of some directories, and their registrations |
//! | [`Function`] | a C function whose type is known to the compiler; a call costs as much as one through a pointer |
//! | [`DynFunction`] | a C function of any type, called with [`Value`]s |
//! | [`Map`] | one call for many rows: columns in, columns out, on several threads |
//! | [`Instance`], [`Transform`] | an instance of a factory; a streaming stage, as a reader or a writer |
//! | [`Events`], [`Listener`] | changes of the plugins' states |
//! | [`Error`] | a code for the program, and a message with a remedy for the user |
//!
//! # Safety
//!
//! Plugins are native code in the process of the program. No check can prove that a plugin keeps to its signatures. So one function of
//! this crate, [`Builder::start`], is unsafe, as `libloading::Library::new` is: there, the program declares that it trusts the plugins.
//! All else is safe under this condition: the crate compares types with signatures, bounds with lengths, and borrows for as long as
//! the C interface needs. Raw pointers are the exception; only unsafe functions pass them to a plugin: [`Pointer::new`] and
//! `Function::call_raw`.
//!
//! # Panics and threads
//!
//! A panic in a closure that C calls does not unwind into C. If the closure was called by a call, the call ends and the panic
//! goes on in the program. All handles are `Send`; those that several threads may use at once are `Sync`. Functions are `Sync`: calls of an
//! adopted library whose file lacks `"threads": "any"` take turns.
//!
//! # Linking
//!
//! The build script looks for `libTroupe.so` in `TROUPE_LIB_DIR`, through `pkg-config troupe-host`, and in the build of the repository
//! that has this crate. It sets the run path of this crate's own tests only. If the library is not in a directory of the system,
//! give your program a build script:
//!
//! ```no_run
//! let directory = std::env::var("DEP_TROUPE_LIB_DIR").unwrap();
//! println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
//! ```

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod callback;
mod column;
mod dynamic;
mod error;
mod event;
mod function;
mod host;
mod instance;
mod memory;
mod plugin;
mod signature;
pub mod sys;
mod text;
mod transform;
mod value;

pub use callback::Callback;
pub use column::{Column, Input, Map, Output, OutputColumn, TextPointer};
pub use dynamic::DynFunction;
pub use error::{Error, Result};
pub use event::{Event, Events, Listener};
pub use function::{Argument, Arguments, Counted, Function, In, Length, Out, Return, SafeArgument};
pub use host::{Builder, Host, Loading, LogLevel, Probing};
pub use instance::{Instance, Request, Scope};
pub use memory::{CStruct, Element, Memory};
pub use plugin::{Lifetime, Plugin, Registration, State};
pub use signature::{Direction, Parameter, Passing, Signature, Type, TypeKind};
pub use transform::{Reader, Transform, Writer};
pub use value::{Address, Object, Pointer, Reference, Value};

/// The example of the file is tested, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
