//! Compares `sys.rs` with `troupe-host.h`, through C files that the test generates.

#[path = "common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::mem::{size_of, MaybeUninit};
use std::process::Command;
use std::ptr::addr_of;

use troupe::sys::*;

const SOURCE: &str = include_str!("../src/sys.rs");

/// The size of each struct, and the name and offset of each member, as C prints them.
macro_rules! layouts {
    ($($name:ident { $($member:ident),* $(,)? })*) => {
        [$((stringify!($name), {
            let value = MaybeUninit::<$name>::uninit();
            let mut text = size_of::<$name>().to_string();
            $(
                // SAFETY: the address is computed without a reference to the member, which has no value.
                let member = unsafe { addr_of!((*value.as_ptr()).$member) } as usize;
                write!(text, " {} {}", stringify!($member).trim_start_matches("r#"), member - value.as_ptr() as usize).unwrap();
            )*
            text
        })),*]
    };
}

#[test]
fn structs_have_the_layout_of_the_header() {
    let layouts = layouts! {
        troupe_metadata { key, value }
        troupe_host_setting { plugin, key, value }
        troupe_host_isolation { plugin, policy }
        troupe_host_options {
            struct_size, loading, probing, log_level, directories, directory_count, files, file_count, settings, setting_count, pins,
            cache_directory, quarantine_directory, probe, maximum_file_size, maximum_buffer_size, probe_deadline, opens_copies,
            reports_crashes, log, log_context, isolations, isolation_count, is_interrupted, interruption_context, has_references, reserved2,
        }
        troupe_plugin { struct_size, registration_count, path, id, name, version, language, state, fault, library }
        troupe_plugin_list { count, items }
        troupe_registration {
            struct_size, lifetime, is_function, tag_count, plugin, uuid, name, contract, signature, tags, metadata, metadata_count,
        }
        troupe_registration_list { count, items }
        troupe_worker {
            struct_size, process, name, plugins, plugin_count, circuit, enforced, calls, failures, restarts, median_ns, p99_ns, memory,
        }
        troupe_worker_list { count, items }
        troupe_event { struct_size, reserved, plugin, previous }
        troupe_member { name, r#type, offset }
        troupe_enumerator { name, value }
        troupe_type { struct_size, kind, name, size, alignment, element, count, members, enumerators, signature, is_constant, reserved }
        troupe_parameter { struct_size, passing, direction, takes_argument, name, r#type, length_parameter }
        troupe_signature { struct_size, can_fail, is_variadic, reserved, text, result, parameter_count, parameters }
        troupe_callback { invoke, context }
        troupe_call_value { kind, reserved, r#as, count, name }
        troupe_column { struct_size, kind, data, stride, count, validity, validity_offset, element_size }
        troupe_output_column { struct_size, kind, data, stride, validity, validity_offset, element_size, null_count }
        troupe_map_options { struct_size, row_failure, threads, reserved, report_row, context }
        ArrowSchema { format, name, metadata, flags, n_children, children, dictionary, release, private_data }
        ArrowArray { length, null_count, offset, n_buffers, n_children, buffers, children, dictionary, release, private_data }
        troupe_request { struct_size, reserved, tags, tag_count, contract, arguments, argument_count, scope }
        troupe_instance_list { count, items }
    };
    let listed: BTreeSet<_> = layouts.iter().map(|(name, _)| *name).collect();
    let declared: BTreeSet<_> = between("pub struct ", " {").into_iter().filter(|name| *name != "$name").collect();
    assert_eq!(listed, declared);

    let mut program = String::from("#include <stdio.h>\n#include <troupe-host.h>\nint main(void) {\n");
    for (name, layout) in &layouts {
        let c_name = c_type(name);
        writeln!(program, "printf(\"{name}: %zu\", sizeof({c_name}));").unwrap();
        for member in layout.split(' ').skip(1).step_by(2) {
            writeln!(program, "printf(\" {member} %zu\", offsetof({c_name}, {member}));").unwrap();
        }
        program += "puts(\"\");\n";
    }
    let expected: String = layouts.iter().map(|(name, layout)| format!("{name}: {layout}\n")).collect();
    assert_eq!(expected, run(&(program + "}\n"), "layouts"));
}

#[test]
fn constants_have_the_values_of_the_header() {
    let mut program = String::from("#include <stdio.h>\n#include <troupe-host.h>\nint main(void) {\n");
    let mut expected = String::new();
    for declaration in between("pub const ", ";") {
        let (name, value) = declaration.split_once(" = ").unwrap();
        let name = name.split_once(':').unwrap().0;
        writeln!(program, "printf(\"{name} %d\\n\", (int){name});").unwrap();
        writeln!(expected, "{name} {value}").unwrap();
    }
    assert_eq!(expected, run(&(program + "}\n"), "constants"));

    let include = common::repository().join("include");
    let headers = ["troupe-host.h", "troupe/types.h"].map(|name| std::fs::read_to_string(include.join(name)).unwrap());
    let words = headers.iter().flat_map(|text| text.split(" = ").filter_map(|text| text.split_whitespace().last()));
    let in_headers: BTreeSet<_> = words.filter(|word| word.starts_with("TROUPE_")).collect();
    assert_eq!(in_headers, expected.lines().map(|line| line.split_once(' ').unwrap().0).collect());
}

/// C refuses a second declaration of a function with another type.
#[test]
fn functions_have_the_types_of_the_header() {
    let mut program = String::from("#include <troupe-host.h>\n");
    program += "typedef void (*troupe_destroy)(void *);\n";
    program += "typedef void (*troupe_event_callback)(void *, const troupe_event *);\n";
    let mut declared = BTreeSet::new();
    for declaration in between("    pub fn ", ";") {
        let (name, rest) = declaration.split_once('(').unwrap();
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        let (parameters, result) = match rest.split_once(") -> ") {
            Some((parameters, result)) => (parameters, c_type(result)),
            None => (rest.trim_end_matches(')'), "void".to_owned()),
        };
        let parameters: Vec<_> = parameters
            .split(',')
            .filter(|parameter| !parameter.trim().is_empty())
            .map(|parameter| c_type(parameter.split_once(':').unwrap().1.trim()))
            .collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        writeln!(program, "{result} {name}({parameters});").unwrap();
        declared.insert(name);
    }
    run(&(program + "int main(void) {}\n"), "functions");

    let header = std::fs::read_to_string(common::repository().join("include/troupe-host.h")).unwrap();
    let words = header.split('(').map(|text| {
        text.rsplit(|character: char| !character.is_alphanumeric() && character != '_').next().unwrap_or_default()
    });
    let in_header: BTreeSet<_> = words.filter(|word| word.starts_with("troupe_")).collect();
    assert_eq!(in_header, declared);
}

/// Returns the texts between two marks in `sys.rs`, on one line or several.
fn between(start: &str, end: &str) -> Vec<&'static str> {
    let parts = SOURCE.split(start).skip(1);
    parts.map(|part| part.split_once(end).unwrap().0).collect()
}

/// Returns a Rust type of `sys.rs` in C.
fn c_type(name: &str) -> String {
    if let Some(target) = name.strip_prefix("*const ") {
        return match target.starts_with('*') {
            true => format!("{} const *", c_type(target)),
            false => format!("const {} *", c_type(target)),
        };
    }
    if let Some(target) = name.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    if let Some(target) = name.strip_prefix("Option<") {
        return c_type(target.trim_end_matches('>'));
    }
    match name {
        "c_char" => "char",
        "c_int" => "int",
        "c_void" => "void",
        "i32" => "int32_t",
        "usize" => "size_t",
        "ArrowSchema" | "ArrowArray" => return format!("struct {name}"),
        other => other,
    }
    .to_owned()
}

/// Compiles and runs a program, and returns its output.
fn run(program: &str, name: &str) -> String {
    let executable = common::compile_source(program, name);
    let output = Command::new(executable).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}
