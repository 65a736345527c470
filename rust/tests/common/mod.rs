//! What the tests share: plugins that they compile, and hosts of these.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use troupe::{Builder, Host};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the directory of the example plugins, which `make examples` builds.
pub fn examples() -> PathBuf {
    repository().join(".build/plugins")
}

/// Returns a new directory.
pub fn new_directory() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Compiles a plugin, from a path in the repository, into a directory.
pub fn compile(source: &str, directory: &Path, options: &[&str]) -> PathBuf {
    let source = repository().join(source);
    let library = directory.join(source.file_stem().unwrap()).with_extension("so");
    // Built beside and moved, since a host must not see half of a file.
    let unfinished = library.with_extension("unfinished");
    let mut command = compiler();
    command.args(["-fPIC", "-shared", "-fvisibility=hidden", "-pthread"]).args(options);
    run(command.arg("-o").arg(&unfinished).arg(source));
    fs::rename(unfinished, &library).unwrap();
    library
}

/// Compiles a program and returns its path.
pub fn compile_source(program: &str, name: &str) -> PathBuf {
    let directory = new_directory();
    let (source, executable) = (directory.join(name).with_extension("c"), directory.join(name));
    fs::write(&source, program).unwrap();
    run(compiler().arg("-o").arg(&executable).arg(source));
    executable
}

fn compiler() -> Command {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(repository().join("include"));
    command
}

fn run(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// Returns a builder that leaves no trace of the user's cache and quarantine.
pub fn builder() -> Builder {
    let state = new_directory();
    Host::builder().cache_directory(state.join("cache")).quarantine_directory(state.join("quarantine"))
}

/// Starts a host of plugins that the tests trust.
pub fn start(builder: Builder) -> Host {
    // SAFETY: the example plugins and the fixtures have the types that their signatures say.
    unsafe { builder.start() }.unwrap()
}

/// Starts a host of one plugin of the repository.
pub fn host_of(source: &str) -> Host {
    let directory = new_directory();
    compile(source, &directory, &[]);
    start(builder().directory(directory))
}

/// Starts a host of the plugin with each kind of parameter and result.
pub fn calls() -> Host {
    host_of("rust/tests/plugins/calls.c")
}
