import Testing
import TroupeCall

@Suite("Pointers as values")
struct ValuePointerTests {
  @Test("A pointer is returned unchanged")
  func roundTrip() {
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
      let pointer = Value.Pointer(memory.baseAddress)
      #expect(pointer.rawPointer == memory.baseAddress)
      #expect(pointer == Value.Pointer(address: pointer.address))
    }
  }

  @Test("Null is zero, nil and null")
  func null() {
    #expect(Value.Pointer(nil) == .null)
    #expect(Value.Pointer.null.address == 0)
    #expect(Value.Pointer.null.rawPointer == nil)
    #expect(Value.Pointer.null.description == "null")
  }
}
