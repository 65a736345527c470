//! Plugins, registrations, options, and the lifecycle of plugins.

mod common;

use std::fs;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use troupe::{Event, Host, Lifetime, Loading, LogLevel, State};

const CHANGING: &str = "Tests/Fixtures/healthy/changing.c";

#[test]
fn plugins_and_registrations_are_listed() {
    let host = common::start(common::builder().directory(common::examples()));
    let plugins = host.plugins();
    let geometry = plugins.iter().find(|plugin| plugin.id.as_deref() == Some("org.example.geometry")).unwrap();
    assert_eq!(geometry.path, common::examples().join("geometry.so"));
    assert_eq!((geometry.name.as_deref(), geometry.version.as_deref()), (Some("Geometry"), Some("1.0.0")));
    assert_eq!(geometry.language.as_deref(), Some("c"));
    assert!(geometry.fault.is_none() && geometry.library.is_none());
    let registrations = host.registrations();
    let area = registrations.iter().find(|registration| registration.name == "area").unwrap();
    assert_eq!((area.plugin.as_str(), area.is_function), ("org.example.geometry", true));
    assert_eq!(area.uuid.as_deref(), Some("f5e07a66-2458-483c-8415-8bead275f039"));
    assert_eq!((area.signature.as_str(), area.lifetime), ("double (double width, double height)", Lifetime::Transient));
    assert_eq!((area.tags.as_slice(), area.contract.as_deref()), (&["geometry".to_owned()][..], None));
    assert!(host.dyn_function("f5e07a66-2458-483c-8415-8bead275f039").is_ok());
    assert!(!Host::version().is_empty());
}

#[test]
fn a_function_that_is_not_there_is_an_error() {
    let host = common::start(common::builder());
    let error = host.dyn_function("no such function").unwrap_err();
    assert_eq!((error.code(), error.status()), ("notRegistered", troupe::sys::TROUPE_NOT_FOUND));
    assert!(!error.message().is_empty() && !error.remedy().is_empty());
    assert_eq!(host.dyn_function("a\0b").unwrap_err().code(), "invalidArgument");
    assert_eq!(host.retire("org.example.none").unwrap_err().code(), "unknown");
}

#[test]
fn invalid_options_are_errors() {
    // SAFETY: there are no plugins.
    let start = |builder: troupe::Builder| unsafe { builder.start() }.map(drop).unwrap_err().code().to_owned();
    assert_eq!(start(common::builder().pins("/no/such/pins")), "unreadable");
    assert_eq!(start(common::builder().directory("a\0b")), "invalidArgument");
    assert_eq!(start(common::builder().probe_deadline(Duration::from_micros(1))), "invalidArgument");
}

#[test]
fn settings_reach_their_plugin() {
    let directory = common::new_directory();
    let file = common::compile("Tests/Fixtures/healthy/settings.c", &directory, &[]);
    let builder = common::builder().file(file).loading(Loading::Eager);
    let host = common::start(builder.setting("org.example.settings", "width", "40"));
    assert_eq!(host.dyn_function("integer").unwrap().call(&["width".into()]).unwrap().as_i64(), Some(40));
    assert_eq!(host.plugins()[0].state, State::Active);
    assert_eq!(host.plugins()[0].registration_count, Some(6));
}

#[test]
fn lines_of_the_log_reach_the_closure() {
    let directory = common::new_directory();
    common::compile("Tests/Fixtures/healthy/stage.c", &directory, &[]);
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = {
        let lines = Arc::clone(&lines);
        move |level: LogLevel, plugin: &str, text: &str| {
            lines.lock().unwrap().push((level, plugin.to_owned(), text.to_owned()));
            panic!("a panic in a log closure ends the closure alone");
        }
    };
    let host = common::start(common::builder().directory(directory).log(LogLevel::Info, log));
    drop(host.resolve(&troupe::Request::new().tag("text")).unwrap());
    let lines = lines.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert!(lines.contains(&(LogLevel::Info, "org.example.stage".to_owned(), "a stage ends".to_owned())));
}

#[test]
fn a_plugin_is_replaced_retired_and_found_again() {
    let directory = common::new_directory();
    common::compile(CHANGING, &directory, &["-DCHANGE=\"/no/such/file\""]);
    let host = common::start(common::builder().directory(&directory));
    assert!(!host.reload("org.example.changing").unwrap());
    let old = host.function::<(), i32>("c4a60000-0000-4000-8000-000000000001").unwrap();
    common::compile(CHANGING, &directory, &["-DCHANGE=\"/\""]);
    assert!(host.reload("org.example.changing").unwrap());
    assert_eq!(host.function::<(), i32>("c4a60000-0000-4000-8000-000000000002").unwrap().call(), 7);
    assert_eq!(old.call(), 7);
    assert_eq!(host.dyn_function("c4a60000-0000-4000-8000-000000000001").unwrap_err().code(), "notRegistered");
    host.retire("org.example.changing").unwrap();
    assert!(host.registrations().is_empty());

    common::compile("Tests/Fixtures/healthy/scalars.c", &directory, &[]);
    assert!(host.refresh());
    assert!(!host.refresh());
    assert!(host.function::<(f64, f64), f64>("area").is_ok());
    fs::remove_file(directory.join("scalars.so")).unwrap();
    assert!(host.refresh());
    assert_eq!(host.dyn_function("area").unwrap_err().code(), "notRegistered");
}

#[test]
fn events_are_read_in_their_order() {
    let directory = common::new_directory();
    common::compile("Tests/Fixtures/healthy/scalars.c", &directory, &[]);
    let host = common::start(common::builder().directory(directory));
    let mut events = host.events().unwrap();
    assert!(events.try_next().is_none());
    assert!(events.as_raw_fd() >= 0 && events.as_fd().as_raw_fd() == events.as_raw_fd());
    let area = host.function::<(f64, f64), f64>("area").unwrap();
    let loaded = events.next().unwrap();
    assert_eq!(loaded.plugin.id.as_deref(), Some("org.example.scalars"));
    assert_eq!((loaded.previous, loaded.plugin.state), (Some(State::Admitted), State::Loaded));
    drop(area);
    assert!(!events.has_ended());
    let reader = std::thread::spawn(move || events.map(|event| event.plugin.state).collect::<Vec<_>>());
    host.shutdown();
    assert_eq!(reader.join().unwrap().first(), Some(&State::Active));
    assert_eq!(host.dyn_function("area").unwrap_err().code(), "notRegistered");
}

#[test]
fn a_listener_gets_events_until_it_is_dropped() {
    let directory = common::new_directory();
    common::compile("Tests/Fixtures/healthy/scalars.c", &directory, &[]);
    let host = common::start(common::builder().directory(directory));
    let (sender, receiver) = mpsc::channel();
    let listener = host.listen(move |event: Event| sender.send(event.plugin.state).unwrap()).unwrap();
    host.dyn_function("area").unwrap();
    assert_eq!(receiver.recv().unwrap(), State::Loaded);
    assert_eq!(receiver.recv().unwrap(), State::Active);
    drop(listener);
    host.retire("org.example.scalars").unwrap();
    assert!(receiver.recv().is_err());
}
