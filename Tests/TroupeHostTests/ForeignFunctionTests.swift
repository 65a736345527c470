import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Plain C functions") struct ForeignFunctionTests {
  static func host() async throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("healthy/scalars.c")
    let host = directory.host()
    await host.start()
    try #require(host.states == ["scalars.so active"])
    return host
  }

  @Test("Integers of every C type are returned unchanged, also at their limits")
  func integers() async throws {
    let host = try await Self.host()
    let integers = CType.Integer.all
    #expect(integers.count >= 25)
    for type in integers {
      let function = try #require(host.functions(type.name).first, "no function for \(type.name)")
      let (least, greatest) = Self.limits(of: type)
      for number in [least, least + 1, 0, 1, greatest - 1, greatest] {
        #expect(try host.function(function).call([.integer(number)]) == .integer(number), "\(type.name) \(number)")
      }
      for number in [least - 1, greatest + 1] {
        #expect(throws: CallError.self, "\(type.name) \(number)") { try host.function(function).call([.integer(number)]) }
      }
    }
  }

  /// The least and the greatest number of a type, from its width.
  private static func limits(of type: CType.Integer) -> (Int128, Int128) {
    let values = Int128(1) << Int128(type.width)
    return type.isSigned ? (-values / 2, values / 2 - 1) : (0, values - 1)
  }

  @Test("Booleans, floating-point numbers, strings and pointers are returned unchanged", .inProcess)
  func others() async throws {
    let host = try await Self.host()
    for bool in [true, false] { #expect(try host.call("bool", .bool(bool)) == .bool(bool)) }
    for number in [0.1, -0.0, Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity] {
      #expect(try host.call("double", .double(number)) == .double(number))
    }
    #expect(try host.call("float", .float(0.1)) == .float(0.1))
    for text in ["", "ä ☃ 🎭", String(repeating: "x", count: 100_000)] {
      #expect(try host.call("const char *", .string(text)) == .string(text))
    }
    #expect(try host.call("const char *", .string(nil)) == .string(nil))
    #expect(try host.call("void *", .null) == .null)
    let pointer = Value.pointer(Value.Pointer(UnsafeMutableRawPointer(bitPattern: 0xDEAD_BEEF)))
    #expect(try host.call("void *", pointer) == pointer)
    #expect(try host.call("nothing") == .string(nil))
    #expect(try host.call("forget", .integer(1)) == .void)
    #expect(try host.call("length", .string("ä")) == .integer(2))
  }

  @Test("A result that is not UTF-8 is an error")
  func notUTF8() async throws {
    let host = try await Self.host()
    #expect { try host.call("not-utf8") } throws: { ($0 as? CallError)?.code == .resultText }
  }

  @Test("A UUID and tags resolve a function, or, with arguments, its result")
  func resolve() async throws {
    let host = try await Self.host()
    let id = uuid("5ca1a500-0000-4000-8000-000000000100")
    let area: ForeignFunction = try await host.container.resolve(tags: id, "scalar")
    #expect(area.name == "area" && area.uuid == id)
    #expect(area.description == "area: double (double width, double height)")
    #expect(try area(3.0, 4) == .double(12))
    #expect(try area.call([.double(3), .integer(5)]) == .double(15))
    #expect(try area.call(.text(["0.5", "6"])) == .double(3))
    let result: Value = try await host.container.resolve(tags: "scalar", id, args: 3.0, 7.0)
    #expect(result == .double(21))
    let all: [ForeignFunction] = try await host.container.resolve(tags: "scalar")
    #expect(all.count == host.registrations.count)
    #expect(all.map(\.name) == host.registrations.map(\.name))
  }

  @Test("Wrong arguments are an error, and the function is not called")
  func wrongArguments() async throws {
    let host = try await Self.host()
    let area = try host.function(try #require(host.functions("area").first))
    func code(_ call: () throws -> Value) -> CallError.Code? {
      do {
        _ = try call()
        return nil
      } catch {
        return (error as? CallError)?.code
      }
    }
    #expect(code { try area() } == .argumentCount)
    #expect(code { try area(1.0) } == .argumentCount)
    #expect(code { try area(1.0, 2.0, 3.0) } == .argumentCount)
    #expect(code { try area(1.0, "2") } == .argumentType)
    #expect(code { try area.call(.text(["1", "two"])) } == .argumentType)
    #expect(code { try host.call("int8_t", .integer(128)) } == .argumentRange)
    #expect(code { try area(1.0, [2.0]) } == .argumentType)
    #expect { try area(1.0, Character("2")) } throws: {
      ($0 as? Diagnosis)?.code == .invalidData && ($0 as? Diagnosis)?.subject == "argument 2"
    }
    #expect(throws: CallError.self) {
      let _: Value = try host.container.resolve(tags: area.uuid, "scalar", args: 1.0)
    }
  }

  @Test("Registrations have a description and are found by name and by UUID")
  func registrations() async throws {
    let host = try await Self.host()
    let area = try #require(host.functions("5CA1A500-0000-4000-8000-000000000100").first)
    #expect(area.name == "area" && area.plugin == "org.example.scalars" && area.isFunction && area.contract == nil)
    #expect(area.tags == ["scalar"] && area.signature == "double (double width, double height)" && area.lifetime == .transient)
    #expect(host.functions("area").map(\.uuid) == [area.uuid])
    #expect(host.functions("AREA").isEmpty)
  }

  @Test("A held function works after shutdown; a function that is resolved later is an error")
  func afterShutdown() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/scalars.c")
    let host = directory.host()
    await host.start()
    let registration = try #require(host.functions("area").first)
    let area = try host.function(registration)
    host.shutdown()
    #expect(try area(2.0, 2.0) == .double(4))
    #expect(throws: RegistrationError.self) { try host.function(registration) }
    #expect(host.functions("area").isEmpty)
  }
}
