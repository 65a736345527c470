//! Plugins that crash or hang. The program survives, and the host quarantines them.

mod common;

use std::time::Duration;

use troupe::{Loading, State};

/// Starts a host of a healthy and a faulty plugin, and returns the state and the code of the faulty one.
fn state_of(source: &str, id: &str) -> (State, String) {
    let directory = common::new_directory();
    common::compile(source, &directory, &[]);
    common::compile("Tests/Fixtures/healthy/scalars.c", &directory, &[]);
    let builder = common::builder().directory(directory).loading(Loading::Eager);
    let host = common::start(builder.probe_deadline(Duration::from_millis(200)));
    let area = host.function::<(f64, f64), f64>("area").unwrap();
    assert_eq!(area.call(3.0, 4.5), 13.5);
    let plugin = host.plugins().into_iter().find(|plugin| plugin.id.as_deref() == Some(id)).unwrap();
    let fault = plugin.fault.unwrap();
    assert!(fault.subject().contains(plugin.path.to_str().unwrap()) && !fault.remedy().is_empty(), "{fault}");
    (plugin.state, fault.code().to_owned())
}

#[test]
fn a_crashing_plugin_is_quarantined() {
    let expected = (State::Quarantined, "crashed".to_owned());
    assert_eq!(state_of("Tests/Fixtures/faulty/crash-in-entry.c", "org.example.crash-in-entry"), expected);
    assert_eq!(state_of("Tests/Fixtures/faulty/abort.c", "org.example.abort"), expected);
}

#[test]
fn a_hanging_plugin_is_quarantined() {
    let expected = (State::Quarantined, "timedOut".to_owned());
    assert_eq!(state_of("Tests/Fixtures/faulty/hang-in-entry.c", "org.example.hang-in-entry"), expected);
}
