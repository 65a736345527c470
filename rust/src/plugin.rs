use std::ffi::{CStr, OsStr};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::{sys, text, Error};

/// A plugin as it was when it was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plugin {
    /// The path of the file, as it was found.
    pub path: PathBuf,
    /// The id of the manifest, such as `org.example.geometry`. Nothing if the manifest could not be read, as in the next three.
    pub id: Option<String>,
    /// The display name.
    pub name: Option<String>,
    /// The semantic version.
    pub version: Option<String>,
    /// The language that the plugin is written in.
    pub language: Option<String>,
    /// The state.
    pub state: State,
    /// The number of registrations, if it is known.
    pub registration_count: Option<usize>,
    /// The reason why the plugin is rejected or quarantined.
    pub fault: Option<Error>,
    /// For a file that adopts a library, the path of the library without links, if it was found.
    pub library: Option<PathBuf>,
}

impl Plugin {
    /// Copies a plugin of the library.
    ///
    /// # Safety
    ///
    /// `plugin` is valid.
    pub(crate) unsafe fn copy(plugin: *const sys::troupe_plugin) -> Plugin {
        // SAFETY: the plugin is valid, and with it its strings and its fault.
        unsafe {
            let plugin = &*plugin;
            let path = |text| PathBuf::from(OsStr::from_bytes(CStr::from_ptr(text).to_bytes()));
            Plugin {
                path: path(plugin.path),
                id: text::optional_string(plugin.id),
                name: text::optional_string(plugin.name),
                version: text::optional_string(plugin.version),
                language: text::optional_string(plugin.language),
                state: State::named(&text::string(plugin.state)),
                registration_count: usize::try_from(plugin.registration_count).ok(),
                fault: (!plugin.fault.is_null()).then(|| Error::copy(plugin.fault)),
                library: (!plugin.library.is_null()).then(|| path(plugin.library)),
            }
        }
    }
}

/// The state of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Its file is valid; its code does not run yet.
    Admitted,
    /// Its library is open.
    Loaded,
    /// Its registrations can be used.
    Active,
    /// It is retired, but instances or functions of it are in use.
    Draining,
    /// Its registrations are removed.
    Retired,
    /// It cannot be used; the fault has the reason.
    Rejected,
    /// It crashed or hung, and is not loaded again until its file changes.
    Quarantined,
    /// A state of a later version of the library.
    Other,
}

impl State {
    pub(crate) fn named(name: &str) -> State {
        match name {
            "admitted" => State::Admitted,
            "loaded" => State::Loaded,
            "active" => State::Active,
            "draining" => State::Draining,
            "retired" => State::Retired,
            "rejected" => State::Rejected,
            "quarantined" => State::Quarantined,
            _ => State::Other,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            State::Admitted => "admitted",
            State::Loaded => "loaded",
            State::Active => "active",
            State::Draining => "draining",
            State::Retired => "retired",
            State::Rejected => "rejected",
            State::Quarantined => "quarantined",
            State::Other => "other",
        })
    }
}

/// A factory or function that a plugin registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registration {
    /// The id of its plugin.
    pub plugin: String,
    /// The UUID in text; `None` for a Swift registration without one.
    pub uuid: Option<String>,
    /// The name.
    pub name: String,
    /// True if it is a plain C function, which [`Host::function`](crate::Host::function) finds.
    pub is_function: bool,
    /// The contract of its instances.
    pub contract: Option<String>,
    /// A C function type, or the Swift types in the form `(A) -> B`.
    pub signature: String,
    /// The lifetime of its instances.
    pub lifetime: Lifetime,
    /// The tags, sorted.
    pub tags: Vec<String>,
    /// The metadata, sorted by key.
    pub metadata: Vec<(String, String)>,
}

impl Registration {
    /// Copies a registration of the library.
    ///
    /// # Safety
    ///
    /// `registration` is valid.
    pub(crate) unsafe fn copy(registration: *const sys::troupe_registration) -> Registration {
        // SAFETY: the registration is valid, and with it its strings and its arrays of the given lengths.
        unsafe {
            let registration = &*registration;
            let tags = text::slice(registration.tags, registration.tag_count as usize);
            let metadata = text::slice(registration.metadata, registration.metadata_count);
            Registration {
                plugin: text::string(registration.plugin),
                uuid: text::optional_string(registration.uuid),
                name: text::string(registration.name),
                is_function: registration.is_function != 0,
                contract: text::optional_string(registration.contract),
                signature: text::string(registration.signature),
                lifetime: Lifetime::of(registration.lifetime),
                tags: tags.iter().map(|&tag| text::string(tag)).collect(),
                metadata: metadata.iter().map(|entry| (text::string(entry.key), text::string(entry.value))).collect(),
            }
        }
    }
}

/// The lifetime of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// A new instance for each resolve.
    Transient,
    /// One instance for all.
    Singleton,
    /// One instance for each [`Scope`](crate::Scope).
    Scoped,
}

impl Lifetime {
    fn of(lifetime: sys::troupe_lifetime) -> Lifetime {
        match lifetime {
            sys::TROUPE_SINGLETON => Lifetime::Singleton,
            sys::TROUPE_SCOPED => Lifetime::Scoped,
            _ => Lifetime::Transient,
        }
    }
}
