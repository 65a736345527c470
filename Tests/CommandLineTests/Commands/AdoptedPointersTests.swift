import Foundation
import TestSupport
import Testing

@Suite("Pointers of an adopted library")
struct AdoptedPointersTests {
  /// The library of `pointers.h`, adopted without an option.
  private static let plugins = Result {
    let directory = try TemporaryDirectory()
    let adopted = try shell(
      #"cc -w -fPIC -shared -o "$directory/libpointers.so" "$fixtures/pointers.c" && "$troupe" adopt "$fixtures/pointers.h" "#
        + #"--library "$directory/libpointers.so" -o "$directory/pointers.troupe.json""#,
      environment: ["fixtures": Repo.fixture("adopt"), "directory": directory.path])
    try #require(adopted.status == 0, "\(adopted.errors)")
    return directory
  }

  private func call(_ operands: String) throws -> Run {
    try shell(#""$troupe" call --plugins "$directory" "# + operands, environment: ["directory": Self.plugins.get().path])
  }

  @Test(
    "A chain of calls gives the results of C",
    arguments: [
      // By value, through anonymous members.
      (#"mixed_number '{"kind": 0, "low": 2, "high": 1}'"#, "2001"), (#"overlaid_number '{"x": 4, "y": 2}'"#, "42"),
      (#"nested_number '{"x": 1, "y": 2, "z": 3}'"#, "123"),
      // An object behind a public base, and null members.
      ("base_integer 42 --then base_value '$1'", "42"),
      ("base_integer 42 --then base_retain '$1' --then base_value '$2'", "42"),
      ("base_integer 42 --then base_retain '$1' --then numbers_sum '[1]' '$1.type'", "1"),
      ("document_parse abcde --then document_version '$1'", "5"),
      ("method_default --then generator_new '$1' --then generator_name '$2'", "default"),
      // Tables that the library keeps, and arrays of structs.
      (#"context_new '{"get": null, "bias": 40, "reserved": [0,0,0,0,0,0]}' --then context_run '$1' 2"#, "42"),
      (#"context_new '{"get": "twice", "bias": 2, "reserved": [0,0,0,0,0,0]}' --then context_run '$1' 20"#, "42"),
      (#"pairs_sum '[{"x": 1, "y": 2}, {"x": 3, "y": 4}]' 2"#, "10"),
      (#"pairs_sum_to_zero '[{"x": 1, "y": 2}, {"x": 0, "y": 0}]'"#, "3"),
      ("link_push null 1 --then link_push '$1' 2 --then link_count '$2'", "2"),
      ("link_push null 1 --then link_push '$1' 2 --then link_count '$2.next'", "1"),
      (#"link_push null 1 --then link_push '$1' 2 --then link_count '{"next": "$2"}'"#, "3"),
      // Memory without a length.
      ("numbers_fill '[0, 0]' 2 7", "[7, 7]"), ("numbers_sum '[1, 2]' 2", "3"), ("reals_sum '[0.5, 2]' 2", "2.5"),
      ("reals_double '[0.5, 2]' 2", "[1.0, 4.0]"), ("text_change hallo", "Qallo"),
      (#"bytes_set '{"bytes": 3}' 3"#, #"{"base64": "Wlpa"}"#),
      (#"numbers_fill '{"bytes": 8}' 2 5 --then numbers_sum '$1.numbers' 2"#, "10"),
      (#"numbers_fill '{"bytes": 8}' 2 5 --then numbers_sum '$1.1' 2"#, "10"),
      (#"numbers_fill '[0, 0]' 2 5 --then numbers_fill '$1' 1 7 --then numbers_sum '$1' 2"#, "12"),
      (#"measure_sum '{"a": 1, "b": 0.5}'"#, #"{"result": 1.5, "m": {"a": 1, "b": 0.5}}"#),
      (#"measure_constant_sum '{"a": 1, "b": 0.5}'"#, "1.5"),
      (#"measure_constant_sum '{"a": 1, "b": 0.5}' --then measure_sum '$1.m'"#, "1.5"),
      (#"measure_constant_sum '{"a": 1, "b": 0.5}' --then numbers_sum '["$1.m.a"]' 1"#, "1"),
      // What the library keeps between calls.
      ("text_keep 'a text that is kept' --then numbers_sum '[1]' 1 --then text_kept", "a text that is kept"),
      ("data_keep hallo 5 --then numbers_sum '[1]' 1 --then data_first", "104"),
      ("handler_register handler_triple null --then handler_fire 14", "42"),
      ("handler_register handler_triple null --then handler_fire_elsewhere 14", "42"),
      ("handler_is_null null", "1"),
    ])
  func chain(_ operands: String, _ result: String) throws {
    let run = try call(operands)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.split(separator: "\n").last.map(String.init) == result)
  }

  @Test(
    "A chain of calls in a worker gives the results of C",
    arguments: [
      ("base_integer 42 --then base_value '$1'", "42"),
      ("link_push null 1 --then link_push '$1' 2 --then link_count '$2'", "2"),
      (#"pairs_sum '[{"x": 1, "y": 2}, {"x": 3, "y": 4}]' 2"#, "10"),
      ("numbers_fill '[0, 0]' 2 7", "[7, 7]"), ("numbers_sum '[1, 2]' 2", "3"), ("reals_double '[0.5, 2]' 2", "[1.0, 4.0]"),
      ("text_change hallo", "Qallo"), (#"measure_sum '{"a": 1, "b": 0.5}'"#, #"{"result": 1.5, "m": {"a": 1, "b": 0.5}}"#),
      ("text_keep 'a text that is kept' --then numbers_sum '[1]' 1 --then text_kept", "a text that is kept"),
      ("data_keep hallo 5 --then numbers_sum '[1]' 1 --then data_first", "104"),
    ])
  func isolatedChain(_ operands: String, _ result: String) throws {
    let run = try call(operands + " --isolate all")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.split(separator: "\n").last.map(String.init) == result)
  }

  @Test("The functions that no worker can run are one warning for each plugin")
  func isolatedWarning() throws {
    let workers = try shell(
      #""$troupe" workers --isolate all --plugins "$directory""#, environment: ["directory": Self.plugins.get().path])
    let warnings = workers.errors.split(separator: "\n")
    #expect(workers.status == 0 && warnings.count == 1, "\(workers.errors)")
    #expect(warnings.first?.contains("4 of 39 registrations cannot be used in a worker") == true)
  }

  @Test("A reference prints the members of its struct, and references in them as addresses")
  func members() throws {
    #expect(try call("method_default").text == "{\"name\": \"default\", \"size\": 4}\n")
    let list = try call("link_push null 1 --then link_push '$1' 2").text.split(separator: "\n").map(String.init)
    #expect(list.first == "{\"value\": 1, \"next\": null}")
    #expect(list.last?.hasPrefix("{\"value\": 2, \"next\": \"0x") == true)
  }

  @Test(
    "A member that cannot be read says why",
    arguments: [
      ("method_default --then numbers_sum '[1]' '$1.sise'", "struct method has no member \"sise\"; did you mean \"size\"?"),
      ("method_default --then numbers_sum '[1]' '$1.x'", "struct method has no member \"x\"; its members are name, size"),
      (
        "method_latin --then text_keep '$1.name'",
        "member name: the text is not UTF-8; declare it as a pointer such as const void *"
      ),
      ("link_push null 1 --then link_count '$1.next.next'", "next is null and has no member \"next\"; read next first"),
      ("text_kept --then numbers_sum '[1]' '$1.x'", "null has no member \"x\"; find out why the function returned null"),
      (
        "numbers_sum '[1]' 1 --then numbers_sum '[1]' '$1.x'",
        "1 has no member or element \"x\"; use the value without a member"
      ),
      (
        "numbers_fill '[0, 0]' 2 7 --then numbers_sum '[1]' '$1[2]'",
        "has no member or element \"[2]\"; name an element from [0] to [1]"
      ),
    ])
  func wrongMembers(_ operands: String, _ message: String) throws {
    let run = try call(operands)
    #expect(run.status == 64)
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test("A worker that crashes while it reads a result is a crash that names the function", arguments: ["", " --isolate all"])
  func unreadable(_ options: String) throws {
    let run = try call("link_invalid" + options)
    #expect((options.isEmpty ? run.status != 0 : run.status == 69) && run.text.isEmpty, "\(run.status) \(run.text)")
    #expect(
      run.errors.contains(options.isEmpty ? "the reading of the result of link_invalid" : "link_invalid of "), "\(run.errors)")
    #expect(
      options.isEmpty || run.errors.contains("its result cannot be read: struct link cannot be read: its worker"),
      "\(run.errors)")
  }

  @Test("A function that writes behind its memory crashes, and the report names the argument")
  func overrun() throws {
    let run = try call("numbers_fill '[0, 0]' 5000 1")
    #expect(run.status != 0)
    #expect(
      run.errors.contains("which wrote behind the memory of argument 1 \"numbers\" of numbers_fill (8 bytes)"), "\(run.errors)")
  }

  @Test("A function that writes behind its memory, and not far, fails")
  func shortOverrun() throws {
    let run = try call(#"bytes_set '{"bytes": 3}' 4"#)
    #expect(run.status != 0 && run.text.isEmpty)
    #expect(run.errors.contains("argument 1 \"bytes\": bytes_set wrote behind this memory of 3 bytes"), "\(run.errors)")
  }

  @Test(
    "An argument that fits no pointer says what does",
    arguments: [
      ("numbers_fill 7 1 1", "expected int *, got \"7\"; give an array such as [0]"),
      ("bytes_set 0 1", "expected void *, got \"0\"; give text"),
      (#"numbers_fill '{"bytes": 2}' 1 1"#, "2 bytes are too few for int, which has 4"),
      ("document_version 5", "expected const struct document *, got"),
      (#"context_run '{"x": 1}' 1"#, "expected struct context *, got"),
    ])
  func wrongArguments(_ operands: String, _ message: String) throws {
    let run = try call(operands)
    #expect(run.status != 0)
    #expect(run.errors.contains(message), "\(run.errors)")
  }
}
