use std::ffi::{c_char, c_void, CStr, CString};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::time::Duration;

use crate::error::checked;
use crate::text::{self, CStrings};
use crate::{sys, Arguments, DynFunction, Error, Events, Function, Instance, Listener, Plugin, Registration, Request};
use crate::{Event, Result, Return, Scope};

/// The plugins of some directories, and their registrations.
///
/// Functions, instances, scopes and event queues do not borrow the host: each keeps alive all that it needs. The host is shut down
/// when it is dropped. Several threads may use it at once.
///
/// Functions that start, reload or refresh a host block their thread. On the main thread they run the jobs of Swift's main actor
/// meanwhile, which the activation of a plugin in Swift may need; on another thread, such an activation waits until the main thread
/// does so.
pub struct Host(NonNull<sys::troupe_host_t>);

// SAFETY: the header tags all functions of a host with [any thread] but troupe_host_free, which only `drop` calls.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

impl Host {
    /// Returns a builder without directories and with the defaults of all options.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the version of libTroupe.so, such as `0.1.0`.
    pub fn version() -> &'static str {
        // SAFETY: the string is static.
        unsafe { CStr::from_ptr(sys::troupe_host_version()) }.to_str().unwrap_or_default()
    }

    /// Returns all plugins, usable or not, in the order in which they were found.
    pub fn plugins(&self) -> Vec<Plugin> {
        // SAFETY: the list and its plugins are valid until the release.
        unsafe {
            let list = sys::troupe_host_plugins(self.as_ptr());
            let plugins = text::slice((*list).items, (*list).count).iter().map(|&item| Plugin::copy(item)).collect();
            sys::troupe_plugin_list_free(list);
            plugins
        }
    }

    /// Returns all registrations in their order.
    pub fn registrations(&self) -> Vec<Registration> {
        // SAFETY: the list and its registrations are valid until the release.
        unsafe {
            let list = sys::troupe_host_registrations(self.as_ptr());
            let items = text::slice((*list).items, (*list).count);
            let registrations = items.iter().map(|&item| Registration::copy(item)).collect();
            sys::troupe_registration_list_free(list);
            registrations
        }
    }

    /// Returns the plain C function with a name or a UUID, for calls with values, and loads its plugin.
    ///
    /// Fails with `notRegistered`, `ambiguous` if several functions have the name, and the reason why the plugin cannot be loaded.
    pub fn dyn_function(&self, name: &str) -> Result<DynFunction> {
        let name = text::c_string(name)?;
        // SAFETY: the name lives for the call.
        let function = unsafe { checked(|error| sys::troupe_host_function(self.as_ptr(), name.as_ptr(), error)) }?;
        // SAFETY: without an error the function is a new handle.
        Ok(unsafe { DynFunction::new(function) })
    }

    /// Returns the plain C function with a name or a UUID, for direct calls, and loads its plugin.
    ///
    /// Fails as [`dyn_function`](Host::dyn_function) does, and with `invalidSignature` if the function has another type than `Args` and
    /// `Ret` say, see [`Function`].
    pub fn function<Args: Arguments, Ret: Return>(&self, name: &str) -> Result<Function<Args, Ret>> {
        self.dyn_function(name)?.typed()
    }

    /// Makes an instance of each registration that fits the request, in their order; none if none fits.
    ///
    /// Functions have no instances. Fails with `invalidArgument`, with `usage` and `invalidData` for the arguments, with the reason why a
    /// plugin cannot be loaded, and with `unavailable` if a factory fails, or is one in Swift that is asynchronous or runs on the main
    /// actor. One failure fails the call.
    ///
    /// ```
    /// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
    /// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
    /// for instance in host.resolve(&troupe::Request::new().tag("base64-encode"))? {
    ///     let transform = instance.into_transform().unwrap();
    ///     assert_eq!(transform.process(b"one, two")?, b"b25lLCB0d28=\n");
    /// }
    /// # Ok::<(), troupe::Error>(())
    /// ```
    pub fn resolve(&self, request: &Request<'_>) -> Result<Vec<Instance>> {
        request.resolve(self.as_ptr())
    }

    /// Returns a new scope: instances of factories with the lifetime [`Scoped`](crate::Lifetime::Scoped) exist once in it.
    pub fn scope(&self) -> Scope {
        // SAFETY: the function returns a new handle.
        unsafe { Scope::new(sys::troupe_scope_new(self.as_ptr())) }
    }

    /// Returns the events from now on.
    pub fn events(&self) -> Result<Events> {
        Events::new(self.as_ptr())
    }

    /// Calls a closure with each event from now on, one at a time, on a thread of the library. The closure may use the host, but not
    /// drop it or its own listener.
    pub fn listen(&self, closure: impl FnMut(Event) + Send + 'static) -> Result<Listener> {
        Listener::new(self.as_ptr(), closure)
    }

    /// Replaces a plugin by its present file, without a moment in which its registrations are missing. Returns false if the file is
    /// unchanged.
    ///
    /// Fails with `unknown`, `inUse`, `busy` in code that the host runs while it loads plugins, such as the closure of [`Builder::log`],
    /// and with the reason why the new file cannot be used; the old plugin then stays.
    pub fn reload(&self, id: &str) -> Result<bool> {
        let id = text::c_string(id)?;
        let mut is_replaced = 0;
        // SAFETY: the arguments live for the call.
        unsafe {
            checked(|error| sys::troupe_host_reload(self.as_ptr(), id.as_ptr(), &mut is_replaced, error))?;
        }
        Ok(is_replaced != 0)
    }

    /// Scans the directories again: loads new plugins, replaces changed ones, retires missing ones. Returns whether anything changed;
    /// false, without a scan, in code that the host runs while it loads plugins.
    pub fn refresh(&self) -> bool {
        // SAFETY: the host is valid.
        unsafe { sys::troupe_host_refresh(self.as_ptr()) != 0 }
    }

    /// Unregisters a plugin's factories. Functions and instances that the program has work until they are dropped.
    ///
    /// Fails with `unknown`, `inUse` if another plugin needs it, and `busy`.
    pub fn retire(&self, id: &str) -> Result<()> {
        let id = text::c_string(id)?;
        // SAFETY: the arguments live for the call.
        unsafe { checked(|error| sys::troupe_host_retire(self.as_ptr(), id.as_ptr(), error)) }.map(drop)
    }

    /// Unregisters all factories, and ends all event queues and listeners. Functions of the host then find nothing.
    pub fn shutdown(&self) {
        // SAFETY: the host is valid.
        unsafe { sys::troupe_host_shutdown(self.as_ptr()) }
    }

    /// Returns the handle, for functions of [`sys`]. The host keeps it.
    pub fn as_ptr(&self) -> *mut sys::troupe_host_t {
        self.0.as_ptr()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: this is the only release, and no other thread can use the host any more.
        unsafe { sys::troupe_host_free(self.as_ptr()) }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Host").field("plugins", &self.plugins()).finish()
    }
}

/// The time at which a plugin's library is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loading {
    /// At the first use of one of its registrations.
    #[default]
    Lazy,
    /// At the start of the host.
    Eager,
}

/// The plugins that a child process loads first, to detect faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Probing {
    /// Those with new content.
    #[default]
    NewContent,
    /// None.
    Never,
}

/// The level of a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Details for the author of a plugin.
    Debug,
    /// Progress.
    Info,
    /// Faults of plugins.
    Warning,
    /// Failures.
    Error,
}

impl LogLevel {
    fn of(level: sys::troupe_log_level) -> LogLevel {
        match level {
            sys::TROUPE_LOG_DEBUG => LogLevel::Debug,
            sys::TROUPE_LOG_INFO => LogLevel::Info,
            sys::TROUPE_LOG_WARNING => LogLevel::Warning,
            _ => LogLevel::Error,
        }
    }
}

type Log = Box<dyn Fn(LogLevel, &str, &str) + Send + Sync>;

/// The options of a host.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// use troupe::{Host, LogLevel};
///
/// let builder = Host::builder()
///     .directory(plugins)
///     .setting("org.example.grep", "ignore-case", "true")
///     .log(LogLevel::Warning, |level, plugin, text| eprintln!("{level:?} {plugin}: {text}"));
/// // SAFETY: the plugins of this directory keep their promises.
/// let host = unsafe { builder.start()? };
/// # Ok::<(), troupe::Error>(())
/// ```
#[derive(Default)]
#[must_use = "a builder does nothing without start"]
pub struct Builder {
    directories: Vec<PathBuf>,
    files: Vec<PathBuf>,
    settings: Vec<[String; 3]>,
    loading: Loading,
    probing: Probing,
    pins: Option<PathBuf>,
    cache_directory: Option<PathBuf>,
    quarantine_directory: Option<PathBuf>,
    probe: Option<PathBuf>,
    maximum_file_size: u64,
    maximum_buffer_size: u64,
    probe_deadline: Duration,
    opens_copies: bool,
    reports_crashes: bool,
    log: Option<(LogLevel, Log)>,
}

impl Builder {
    /// Adds a directory of plugins.
    pub fn directory(mut self, path: impl AsRef<Path>) -> Builder {
        self.directories.push(path.as_ref().to_owned());
        self
    }

    /// Adds the file of one plugin.
    pub fn file(mut self, path: impl AsRef<Path>) -> Builder {
        self.files.push(path.as_ref().to_owned());
        self
    }

    /// Adds a value of a plugin's configuration.
    pub fn setting(mut self, plugin: &str, key: &str, value: &str) -> Builder {
        self.settings.push([plugin, key, value].map(str::to_owned));
        self
    }

    /// Sets the time at which a plugin's library is opened; [`Loading::Lazy`] by default.
    pub fn loading(mut self, loading: Loading) -> Builder {
        self.loading = loading;
        self
    }

    /// Sets the plugins that a child process loads first; [`Probing::NewContent`] by default.
    pub fn probing(mut self, probing: Probing) -> Builder {
        self.probing = probing;
        self
    }

    /// Sets a file of pins, as `troupe pin` writes it: the host loads only plugins with these hashes.
    pub fn pins(mut self, path: impl AsRef<Path>) -> Builder {
        self.pins = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the directory of probe results: `$XDG_CACHE_HOME/troupe` by default, none if the path is empty.
    pub fn cache_directory(mut self, path: impl AsRef<Path>) -> Builder {
        self.cache_directory = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the directory of the quarantine: the user's by default. If the path is empty, plugins are quarantined in this process only.
    pub fn quarantine_directory(mut self, path: impl AsRef<Path>) -> Builder {
        self.quarantine_directory = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the executable that probes plugins: `troupe-probe` beside libTroupe.so, or in `../libexec/troupe` from there, by default.
    pub fn probe(mut self, path: impl AsRef<Path>) -> Builder {
        self.probe = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the greatest number of bytes of a plugin's file; 1 GiB by default.
    pub fn maximum_file_size(mut self, bytes: u64) -> Builder {
        self.maximum_file_size = bytes;
        self
    }

    /// Sets the greatest number of bytes of a buffer that a call copies; 1 GiB by default.
    pub fn maximum_buffer_size(mut self, bytes: u64) -> Builder {
        self.maximum_buffer_size = bytes;
        self
    }

    /// Sets the processor time of a probe, in whole milliseconds.
    pub fn probe_deadline(mut self, deadline: Duration) -> Builder {
        self.probe_deadline = deadline;
        self
    }

    /// Sets whether plugins are loaded from copies of their files in memory: set it if files are overwritten while the host runs.
    pub fn opens_copies(mut self, opens_copies: bool) -> Builder {
        self.opens_copies = opens_copies;
        self
    }

    /// Sets whether a fatal signal in the code of a plugin is reported before it ends the process: one line on standard error names the plugin
    /// and the location, and the next host puts the plugin into quarantine. Installs handlers of these signals for the whole process. The
    /// handlers that the program had until then, such as that of Rust's standard library for overflows of the stack, run afterwards.
    pub fn reports_crashes(mut self, reports_crashes: bool) -> Builder {
        self.reports_crashes = reports_crashes;
        self
    }

    /// Sets a closure that takes each line of the log from a level on, with the id of the plugin that wrote it or that it is about, on
    /// the thread that wrote it. By default, the host writes warnings and errors to standard error.
    ///
    /// Functions that retire or replace plugins fail in the closure with `busy` while the host loads plugins. It is never dropped, since a plugin may write to
    /// the log as long as the process runs. A panic in it ends only the closure.
    pub fn log(mut self, level: LogLevel, closure: impl Fn(LogLevel, &str, &str) + Send + Sync + 'static) -> Builder {
        self.log = Some((level, Box::new(closure)));
        self
    }

    /// Finds the plugins, probes new ones, registers their factories and activates the loaded ones. Costs some milliseconds for each
    /// new plugin, microseconds for a known one.
    ///
    /// A plugin that cannot be used is no error; see [`Host::plugins`]. Fails for invalid options with `invalidArgument`, `invalidPins`,
    /// `unreadable` (the file of pins) and `missingResource` (`troupe-probe` is missing).
    ///
    /// # Safety
    ///
    /// The program trusts the plugins of the directories and files, those that come later included, and the libraries that
    /// they adopt. They are native code that runs in this process. So for each plugin:
    ///
    /// - The signature of each function is its type: `TROUPE_FACTORY` has the compiler check it, the author of an adoption file
    ///   has to.
    /// - Each function has defined behavior for all arguments that its signature allows, on any thread, also on several at once;
    ///   arguments that are raw pointers excepted.
    /// - Each table of functions belongs to its contract.
    ///
    /// Probing detects plugins that crash or hang when they are loaded. It does not make a plugin trustworthy.
    pub unsafe fn start(self) -> Result<Host> {
        let mut directories = CStrings::default();
        for path in &self.directories {
            directories.push(text::c_string(path)?);
        }
        let mut files = CStrings::default();
        for path in &self.files {
            files.push(text::c_string(path)?);
        }
        let settings = self.settings.iter().map(|setting| {
            let [plugin, key, value] = setting;
            Ok([text::c_string(plugin)?, text::c_string(key)?, text::c_string(value)?])
        });
        let settings = settings.collect::<Result<Vec<[CString; 3]>>>()?;
        let setting_pointers: Vec<_> = settings
            .iter()
            .map(|setting| {
                let [plugin, key, value] = setting;
                sys::troupe_host_setting { plugin: plugin.as_ptr(), key: key.as_ptr(), value: value.as_ptr() }
            })
            .collect();
        let [pins, cache, quarantine, probe] = [
            optional_path(&self.pins)?,
            optional_path(&self.cache_directory)?,
            optional_path(&self.quarantine_directory)?,
            optional_path(&self.probe)?,
        ];
        let deadline = u64::try_from(self.probe_deadline.as_millis()).unwrap_or(u64::MAX);
        if deadline == 0 && !self.probe_deadline.is_zero() {
            return Err(Error::invalid_argument(
                "probe_deadline",
                "it is less than a millisecond",
                "give at least one millisecond",
            ));
        }
        let (log_level, log, log_context) = match self.log {
            Some((level, closure)) => {
                let context: *mut Log = Box::into_raw(Box::new(closure));
                (level as sys::troupe_log_level, Some(write_log as sys::troupe_log), context.cast())
            }
            None => (0, None, ptr::null_mut()),
        };
        let options = sys::troupe_host_options {
            struct_size: std::mem::size_of::<sys::troupe_host_options>() as u32,
            loading: self.loading as sys::troupe_loading,
            probing: self.probing as sys::troupe_probing,
            log_level,
            directories: directories.as_ptr(),
            directory_count: directories.len(),
            files: files.as_ptr(),
            file_count: files.len(),
            settings: setting_pointers.as_ptr(),
            setting_count: setting_pointers.len(),
            pins: text::pointer(&pins),
            cache_directory: text::pointer(&cache),
            quarantine_directory: text::pointer(&quarantine),
            probe: text::pointer(&probe),
            maximum_file_size: self.maximum_file_size,
            maximum_buffer_size: self.maximum_buffer_size,
            probe_deadline: deadline,
            opens_copies: self.opens_copies.into(),
            reports_crashes: self.reports_crashes.into(),
            log,
            log_context,
            isolations: ptr::null(),
            isolation_count: 0,
            is_interrupted: None,
            interruption_context: ptr::null_mut(),
            has_references: 1,
            reserved2: 0,
        };
        // SAFETY: the options and all that they point to live for the call, in which the host copies them.
        let host = unsafe { checked(|error| sys::troupe_host_start(&options, error)) };
        host.map(|host| Host(NonNull::new(host).expect("troupe_host_start returned neither a host nor an error")))
    }
}

fn optional_path(path: &Option<PathBuf>) -> Result<Option<CString>> {
    path.as_ref().map(text::c_string).transpose()
}

/// Passes a line of the log to the closure.
unsafe extern "C" fn write_log(
    context: *mut c_void,
    level: sys::troupe_log_level,
    plugin: *const c_char,
    text: *const c_char,
) {
    // A panic in a closure for messages has no caller that could handle it; the panic hook has reported it.
    let _ = panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `context` is the leaked closure that `start` passed, and both texts are valid for the call.
        let (closure, plugin, text) = unsafe { (&*context.cast::<Log>(), text::string(plugin), text::string(text)) };
        closure(LogLevel::of(level), &plugin, &text);
    }))
    // The payload's destructor might panic as well.
    .map_err(std::mem::forget);
}
