import TestSupport
import Testing
import TroupeCall
import TroupeHost

@Suite("Signatures that the header's macros make") struct SignatureMacroTests {
  static func host(_ name: String = "signatures") async throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("healthy/\(name).c", options: ["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
    let host = directory.host()
    await host.start()
    try #require(host.states == ["\(name).so active"])
    return host
  }

  @Test("The signatures match the functions' declarations", .inProcess)
  func texts() async throws {
    let host = try await Self.host()
    #expect(
      host.registrations.map { "\($0.name): \($0.signature)" } == [
        "area: double (double width, double height)",
        "nothing: const char *(void)",
        "forget: void (int32_t)",
        "both: bool (bool a, bool b)",
        "sum: int64_t (int8_t a, uint8_t b, short c, unsigned short d, int e, unsigned int f, long g, unsigned long h, "
          + "long long i, float j, double k, char l)",
        "length: size_t (const char *text)",
        "same: const void *(void *file)",
        "resolver_size: uint32_t (resolver, uint32_t more)",
      ])
  }

  @Test("Functions are called with these signatures", .inProcess)
  func calls() async throws {
    let host = try await Self.host()
    #expect(try host.call("area", .double(3), .double(4.5)) == .double(13.5))
    #expect(try host.call("nothing") == .string(nil))
    #expect(try host.call("forget", .integer(1)) == .void)
    #expect(try host.call("both", .bool(true), .bool(true)) == .bool(true))
    #expect(try host.call("both", .bool(true), .bool(false)) == .bool(false))
    let numbers = (0..<9).map { Value.integer(1 << $0) } + [.float(512), .double(1024), .integer(1)]
    let sum = try #require(host.functions("sum").first)
    #expect(try host.function(sum).call(numbers) == .integer(2048))
    #expect(try host.call("length", .string("ä")) == .integer(2))
    let pointer = Value.pointer(Value.Pointer(UnsafeMutableRawPointer(bitPattern: 0xDEAD_BEEF)))
    #expect(try host.call("same", pointer) == pointer)
    guard case .integer(let size) = try host.call("resolver_size", .integer(1)) else {
      Issue.record("resolver_size gives no integer")
      return
    }
    #expect(size > 1)
  }

  @Test("A factory has its given tags, or none")
  func tags() async throws {
    let host = try await Self.host()
    #expect(host.functions("area").map(\.tags) == [["macro", "signature"]])
    #expect(host.functions("resolver_size").map(\.tags) == [[]])
  }

  @Test("Every mark and definition of the header's comment gives a callable function", .inProcess)
  func marks() async throws {
    let host = try await Self.host("signature-marks")
    let calls = [
      ("norm", "[[3, 4]]", "25.0"),
      ("grow", #"[{"kind": 1, "size": 2, "weight": 1.5}, 3]"#, "{kind: 1, size: 5, weight: 3.0}"),
      ("negate", #"[{"real": 2}]"#, "{integer: -4611686018427387904, real: -2.0}"), ("next", #"["RED"]"#, "4"),
      ("halve", "[5]", "{return: 1, result: 2.5}"), ("lengthen", "[5]", "{length: 15}"), ("last", "[[1, 2.5]]", "2.5"),
      ("spell", "[7]", #"{text: "number 7"}"#), ("duplicate", #"["copied"]"#, "copied"),
      ("duplicate_to", #"["copied"]"#, #"{copy: "copied"}"#), ("is_null", "[null]", "1"),
      ("print", #"["%d%s", 10, "x"]"#, "3"), ("print_two", #"["%d %.1f", 1, 2.5]"#, "5"),
      ("bytes", "[]", "{return: <01 02 03>, count: 3}"), ("fail", "[0]", "0"), ("fail_any", "[0]", "0"),
      ("sort", #"[[1, 3, 2], "descending"]"#, "{return: 3, numbers: [3, 2, 1]}"),
    ]
    for (name, arguments, outcome) in calls {
      let registration = try #require(host.functions(name).first, "\(name)")
      #expect(try "\(host.call(registration, .json(arguments)))" == outcome, "\(registration.signature)")
    }
    for name in ["fail", "fail_any"] {
      let error = #expect(throws: CallError.self) { try host.call(name, .integer(2)) }
      #expect(error?.code == .system(2))
    }
  }
}
