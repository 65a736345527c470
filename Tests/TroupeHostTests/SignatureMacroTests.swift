import TestSupport
import Testing
import TroupeHost

@Suite("Signatures that the header's macros make") struct SignatureMacroTests {
  static func host() async throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("healthy/signatures.c", options: ["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
    let host = directory.host()
    await host.start()
    try #require(host.states == ["signatures.so active"])
    return host
  }

  @Test("They are what the functions' declarations say")
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

  @Test("Functions are called through them")
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

  @Test("A factory has the tags that it is given, or none")
  func tags() async throws {
    let host = try await Self.host()
    #expect(host.functions("area").map(\.tags) == [["macro", "signature"]])
    #expect(host.functions("resolver_size").map(\.tags) == [[]])
  }
}
