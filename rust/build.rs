//! Finds libTroupe.so, links it, and adds its directory to the run path of this package's tests and examples.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

fn main() {
    println!("cargo:rerun-if-env-changed=TROUPE_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    // docs.rs has no libTroupe.so, and documentation needs none.
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    match library_directory() {
        Ok(directory) => {
            let directory = directory.display();
            println!("cargo:rustc-link-search=native={directory}");
            println!("cargo:rustc-link-lib=dylib=Troupe");
            println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
            println!("cargo:lib_dir={directory}");
        }
        Err(message) => {
            eprintln!("{message}");
            process::exit(1);
        }
    }
}

/// Returns the directory of libTroupe.so: TROUPE_LIB_DIR, else that of pkg-config, else the build of the repository around this crate.
fn library_directory() -> Result<PathBuf, String> {
    if let Some(value) = env::var_os("TROUPE_LIB_DIR") {
        let directory = PathBuf::from(value);
        return match with_library(&directory) {
            Some(directory) => Ok(directory),
            None => Err(format!(
                "{}: there is no libTroupe.so; set TROUPE_LIB_DIR to the directory that has it",
                directory.display()
            )),
        };
    }
    // Cargo always sets the variable for build scripts.
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("CARGO_MANIFEST_DIR"));
    let build = package.join("../.build/release");
    pkg_config()
        .or_else(|| with_library(&build))
        .ok_or_else(|| {
            format!(
            "libTroupe.so: not known to pkg-config as troupe-host, and not in {}; install Troupe, run `make` in its repository, or set \
             TROUPE_LIB_DIR to the directory of libTroupe.so",
            build.display()
        )
        })
}

/// Returns the library's directory as pkg-config knows it, if the command and the file troupe-host.pc exist.
fn pkg_config() -> Option<PathBuf> {
    let output = Command::new("pkg-config").args(["--variable=libdir", "troupe-host"]).output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?;
    if output.status.success() {
        with_library(Path::new(directory.trim()))
    } else {
        None
    }
}

/// Returns the absolute path of a directory with libTroupe.so, and has Cargo run this script again if the library changes its place.
fn with_library(directory: &Path) -> Option<PathBuf> {
    let library = directory.join("libTroupe.so");
    if !library.is_file() {
        return None;
    }
    println!("cargo:rerun-if-changed={}", library.display());
    directory.canonicalize().ok()
}
