//! Instances, scopes, and transforms as readers and writers.

mod common;

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};

use troupe::{Host, Lifetime, Memory, Pointer, Request, Transform, Value};

fn examples() -> Host {
    common::start(common::builder().directory(common::examples()))
}

fn transform(host: &Host, tag: &str) -> Transform {
    let request = Request::new().tag(tag).contract(Transform::CONTRACT);
    host.resolve(&request).unwrap().remove(0).into_transform().unwrap()
}

#[test]
fn a_reader_passes_its_input_through_transforms() {
    let host = examples();
    let text = "All the world's a stage.\n".repeat(10_000);
    let encoded = transform(&host, "base64-encode").reader(text.as_bytes());
    let mut decoded = String::new();
    transform(&host, "base64-decode").reader(encoded).read_to_string(&mut decoded).unwrap();
    assert_eq!(decoded, text);
}

#[test]
fn a_reader_delivers_bytes_one_by_one() {
    let host = examples();
    let mut reader = transform(&host, "base64-decode").reader(&b"dHJvdXBl"[..]);
    let mut byte = [0];
    let mut bytes = Vec::new();
    while reader.read(&mut byte).unwrap() > 0 {
        bytes.push(byte[0]);
    }
    assert_eq!(bytes, b"troupe");
    assert_eq!(reader.read(&mut byte).unwrap(), 0);
    assert_eq!(reader.into_inner(), b"");
}

#[test]
fn a_writer_passes_its_output_on() {
    let host = examples();
    let mut writer = transform(&host, "base64-decode").writer(Vec::new());
    writer.write_all(b"dHJv").unwrap();
    assert_eq!(writer.get_ref(), b"tro");
    writer.write_all(b"dXBl").unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.finish().unwrap(), b"troupe");
}

#[test]
fn invalid_input_fails_a_reader_and_a_writer() {
    let host = examples();
    let mut output = Vec::new();
    let error = transform(&host, "base64-decode").reader(&b"!"[..]).read_to_end(&mut output).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    let error = error.into_inner().unwrap().downcast::<troupe::Error>().unwrap();
    assert_eq!(error.code(), "reportedFailure");
    let mut writer = transform(&host, "base64-decode").writer(Vec::new());
    assert_eq!(writer.write_all(b"!").unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(writer.write_all(b"dHJv").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    // The input ends within a group.
    let mut writer = transform(&host, "base64-decode").writer(Vec::new());
    writer.write_all(b"dHJ").unwrap();
    assert_eq!(writer.finish().unwrap_err().kind(), io::ErrorKind::InvalidData);
}

/// A writer that fails or panics.
struct Broken {
    panics: bool,
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        if self.panics {
            panic::resume_unwind(Box::new("broken"));
        }
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failure_of_the_output_is_that_of_the_writer() {
    let host = examples();
    let mut writer = transform(&host, "base64-decode").writer(Broken { panics: false });
    assert_eq!(writer.write_all(b"dHJv").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    let mut writer = transform(&host, "base64-decode").writer(Broken { panics: true });
    let payload = panic::catch_unwind(AssertUnwindSafe(|| writer.write_all(b"dHJv"))).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"broken"));
}

#[test]
fn a_transform_takes_pieces_until_it_finishes() {
    let host = examples();
    let mut lines = transform(&host, "number-lines");
    assert_eq!(lines.registration().name, "number-lines");
    let mut output = Vec::new();
    lines.feed(b"a\nb", &mut output).unwrap();
    lines.feed(b"\n", &mut output).unwrap();
    lines.finish(&mut output).unwrap();
    assert_eq!(output, b"     1\ta\n     2\tb\n");
    assert_eq!(lines.finish(&mut output).unwrap_err().code(), "invalidArgument");
    // A transform in Swift.
    assert_eq!(transform(&host, "grep").registration().plugin, "org.example.grep");
}

#[test]
fn a_transform_moves_to_another_thread() {
    let host = examples();
    let encoder = transform(&host, "base64-encode");
    drop(host);
    let encoded = std::thread::spawn(move || encoder.process(b"troupe").unwrap()).join().unwrap();
    assert_eq!(encoded, b"dHJvdXBl\n");
}

#[test]
fn instances_get_arguments() {
    let host = examples();
    let counters = host.resolve(&Request::new().tag("counter").argument(5).argument(2)).unwrap();
    assert_eq!(counters.len(), 1);
    let counter = &counters[0];
    let registration = counter.registration();
    assert_eq!((registration.name.as_str(), registration.plugin.as_str()), ("counter", "org.example.counter"));
    assert!(!counter.is_transform());
    let (object, table) = counter.object();
    assert!(!object.is_null() && !table.is_null());
    /// counter_interface of counter.h.
    #[repr(C)]
    struct Table {
        struct_size: u32,
        reserved: u32,
        next: unsafe extern "C" fn(*mut std::ffi::c_void) -> i64,
    }
    // SAFETY: the contract's table begins with these members, and both pointers live as long as the instance.
    let next = || unsafe { ((*table.cast::<Table>()).next)(object) };
    assert_eq!((next(), next()), (5, 7));
    assert!(counters.into_iter().next().unwrap().into_transform().is_err());
    assert_eq!(
        host.resolve(&Request::new().tag("counter").argument("x").argument(1)).unwrap_err().code(),
        "invalidData"
    );
    assert_eq!(host.resolve(&Request::new().tag("counter")).unwrap_err().code(), "usage");
    assert_eq!(host.resolve(&Request::new().tag("counter").argument(1).argument(0)).unwrap_err().code(), "unavailable");
    assert!(host.resolve(&Request::new().tag("no such tag")).unwrap().is_empty());
}

#[test]
fn a_scope_has_instances_of_its_own() {
    let host = common::host_of("Tests/Fixtures/healthy/scoped.c");
    let session = || Request::new().contract("org.example.session/1");
    let number = |request: &Request| {
        let instances = host.resolve(request).unwrap();
        assert_eq!(instances[0].registration().lifetime, Lifetime::Scoped);
        // SAFETY: a session is an int.
        unsafe { *instances[0].object().0.cast::<i32>() }
    };
    let (first, second) = (host.scope(), host.scope());
    let numbers = [&first, &second, &first].map(|scope| number(&session().scope(scope)));
    assert_eq!(numbers, [1, 2, 1]);
    let ended = host.function::<(), i32>("ended").unwrap();
    assert_eq!(ended.call(), 0);
    drop(first);
    assert_eq!(ended.call(), 1);
}

#[test]
fn values_of_pointers_reach_functions() {
    let host = common::host_of("Tests/Fixtures/healthy/scoped.c");
    let scope = host.scope();
    let task = host.resolve(&Request::new().tag("5c09ed00-0000-4000-8000-000000000002").scope(&scope)).unwrap();
    // SAFETY: session-of takes a task, which lives as long as its instance.
    let pointer = unsafe { Pointer::new(task[0].object().0) };
    let session = host.dyn_function("session-of").unwrap().call(&[Value::from(pointer)]).unwrap();
    assert_eq!(session.as_i64(), Some(1));
    assert!(Memory::new(&[1u8]).as_bytes() == Some(&[1]));
}
