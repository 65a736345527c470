import Glibc
import TestSupport
import Testing
import TroupeSignature

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
}
