import Glibc
import TestSupport
import Testing
import TroupeCall

@Suite("Types of functions")
struct FunctionTypeTests {
  @Test("The same text gives the same type, which has the signature's canonical text")
  func same() throws {
    let text = "double(double width,int32_t number)"
    let type = try FunctionType.parsing(text)
    #expect(try FunctionType.parsing(text) === type)
    #expect(try type.signature == Signature(parsing: text))
    #expect(type.text == "double (double width, int32_t number)")
  }

  @Test("An invalid signature is invalid each time")
  func fault() {
    for _ in 0..<2 {
      #expect(throws: SignatureError.self) { try FunctionType.parsing("double (nothing of the kind)") }
    }
  }

  @Test("Functions of a shared type are called like functions whose signatures are parsed one by one")
  func calls() throws {
    let type = try FunctionType.parsing("double (double x, double y)")
    for (name, result) in [("hypot", 5.0), ("fmax", 4.0)] {
      let function = try #require(PreparedCall.global(name))
      let call = try PreparedCall(type: type, function: function)
      #expect(call.signature == type.signature)
      #expect(try call.call([.double(3), .double(4)]) == .double(result))
    }
  }

  @Test("The function that frees a result is looked up for each function")
  func owners() throws {
    let type = try FunctionType.parsing("owned(free) char *(const char *text)")
    let function = try #require(PreparedCall.global("strdup"))
    #expect(try PreparedCall(type: type, function: function).call([.string("a")]) == .string("a"))
    let error = #expect(throws: CallError.self) {
      try PreparedCall(type: type, function: function, symbols: { _ in nil })
    }
    #expect(error?.code == .missingFunction)
  }
}
