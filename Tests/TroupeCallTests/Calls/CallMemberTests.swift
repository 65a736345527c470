import Testing
import TroupeCall

/// A struct with function pointers, like zlib's `z_stream`, expat's memory suite and sqlite's method tables.
@Suite("Members that are function pointers")
struct CallMemberTests {
  private static let library = Result {
    try CLibrary(fixture: "members.c")
  }

  private func call(_ name: String) throws -> PreparedCall {
    let stream = """
      struct stream {
        string next_in; unsigned avail_in; void *state;
        void *(*zalloc)(void *opaque, unsigned items, unsigned size); void (*zfree)(void *opaque, void *address);
        void *opaque;
      };
      """
    return try PreparedCall(
      signature: Signature(parsing: stream + "int (inout struct stream *stream)"), function: Self.library.get().function(name))
  }

  @Test("NULL is passed, and returned function addresses can be passed again")
  func pointers() throws {
    let begin = try call("begin")
    let arguments = try begin.signature.arguments(
      parsing: [#"{"next_in": "text", "avail_in": 4, "state": null, "zalloc": null, "zfree": null, "opaque": null}"#])
    let outcome = try begin.call(arguments)
    let stream = try #require(outcome["stream"])
    #expect(outcome["return"] == .integer(0))
    #expect(stream["next_in"] == .string("text"))
    for member in ["state", "zalloc", "zfree"] {
      guard case .pointer(let pointer) = stream[member] else { throw CLibrary.TestError("\(member) is no pointer") }
      #expect(pointer != .null)
    }
    let end = try call("end").call([stream])
    #expect(end["return"] == .integer(4))
    #expect(end["stream"]?["state"] == .null)
  }

  @Test("A callback in a struct is called")
  func callbacks() throws {
    let begin = try call("begin")
    guard case .record(let record) = begin.signature.parameters[0].type,
      case .function(let zalloc) = record.members[3].type, case .function(let zfree) = record.members[4].type
    else { throw CLibrary.TestError("the signature has other types") }
    let block = Value.Pointer(address: 0x1000)
    let allocate = try Callback(signature: zalloc) { (arguments: [Value]) in
      arguments == [.pointer(.null), .integer(3), .integer(40)] ? .pointer(block) : .null
    }
    let release = try Callback(signature: zfree) { (arguments: [Value]) in
      guard arguments == [.null, .pointer(block)] else { throw CLibrary.TestError("zfree got \(arguments)") }
      return .void
    }
    let outcome = try begin.call([
      .array([.string(nil), .integer(1), .null, .callback(allocate), .callback(release), .null])
    ])
    let stream = try #require(outcome["stream"])
    #expect(stream["state"] == .pointer(block))
    #expect(stream["zfree"] == .pointer(Value.Pointer(release.address)))
    #expect(try call("end").call([stream])["return"] == .integer(1))
    withExtendedLifetime((allocate, release)) {}
  }
}
