//! Loads the plugin that Cargo has built through `troupe`, as its users do.

use std::{env, fs, path::Path, process::Command};

#[test]
fn plugin() {
    let executable = env::current_exe().expect("the path of the test");
    let deps = executable.parent().expect("the directory of the test");
    let directory = deps.join(format!("plugin-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory for the plugin");
    // Cargo builds the library for its tests into this directory.
    fs::copy(deps.join("lib@IDENTIFIER@.so"), directory.join("@NAME@.so")).expect("the plugin");
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("test.sh");
    let status = Command::new("sh").arg(test).arg(&directory).status().expect("sh");
    fs::remove_dir_all(&directory).expect("the directory");
    assert!(status.success());
}
