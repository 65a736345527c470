import CLinux
import Glibc
import Testing

@testable import TroupeCall

// One test takes all slots.
@Suite("Memory in front of an inaccessible page", .serialized)
struct GuardedPagesTests {
  private static let library = Result { try CLibrary(fixture: "references.c") }

  private func setBytes() throws -> PreparedCall {
    try PreparedCall(
      signature: Signature(parsing: "void (void *p, size_t n)"), function: Self.library.get().function("set_bytes"))
  }

  private func bytes(_ count: Int) -> Value { .structure([.init("bytes", .integer(Int128(count)))]) }

  /// The memory in front of the guard that contains an address.
  private func find(_ address: UnsafeMutableRawPointer) -> linux_guarded_argument? {
    var argument = linux_guarded_argument()
    return linux_guarded_find(UInt64(UInt(bitPattern: address)), &argument) ? argument : nil
  }

  @Test("A write behind the memory, in front of the page, is an error that names function, argument and size")
  func overrun() throws {
    let set = try setBytes()
    for written in 4...16 {
      let error = #expect(throws: CallError.self) { try set.call([bytes(3), .integer(Int128(written))]) }
      #expect(error?.code == .resultLength)
      #expect(error?.argument == CallError.Argument(index: 0, name: "p"))
      #expect(error?.problem == "set_bytes wrote behind this memory of 3 bytes")
      #expect(error?.remedy.contains("{\"bytes\": 6}") == true)
    }
    #expect(try set.call([bytes(3), .integer(3)]) == .bytes([90, 90, 90]))
  }

  @Test("A later call that writes behind the memory of an earlier one fails")
  func laterOverrun() throws {
    let (set, lifetime) = (try setBytes(), ForeignLifetime())
    let outcome = try set.outcome(of: [bytes(3), .integer(3)], resolver: nil, keeping: lifetime)
    let memory = Value.memory(try #require(outcome.memory.first?.memory))
    #expect(try set.call([memory, .integer(2)]) == .void)
    let error = #expect(throws: CallError.self) { try set.call([memory, .integer(5)]) }
    #expect(error?.code == .resultLength)
  }

  @Test("An address in the page leads to the function, the argument and the size for as long as the memory exists")
  func note() throws {
    let function = try #require(UnsafeRawPointer(bitPattern: 0x1000))
    let page = Int(getpagesize())
    for size in [1, 5, page, page + 1, 100_000] {
      let pages = try #require(GuardedPages(size, alignment: 1))
      let end = pages.start + size
      #expect(find(end) == nil)
      pages.note(CallError.Argument(index: 1, name: "exp"), of: function)
      for address in [end, end + page - 1] {
        let argument = try #require(find(address))
        #expect(argument.function == 0x1000 && argument.position == 2 && argument.size == size)
        #expect(withUnsafeBytes(of: argument.name) { $0.prefix(4).elementsEqual("exp\0".utf8) })
      }
      #expect(find(end - 1) == nil && find(end + page) == nil)
      pages.free()
      // Another test may have the pages by now.
      #expect(find(end)?.function != 0x1000)
    }
  }

  @Test("A parameter's name is cut to the room for it")
  func longName() throws {
    let pages = try #require(GuardedPages(1, alignment: 1))
    defer { pages.free() }
    pages.note(CallError.Argument(index: 0, name: String(repeating: "x", count: 100)), of: UnsafeRawPointer(pages.start))
    let argument = try #require(find(pages.start + 1))
    #expect(withUnsafeBytes(of: argument.name) { $0.prefix { $0 != 0 }.count } == MemoryLayout.size(ofValue: argument.name) - 1)
  }

  @Test("Memory is zero and aligned, also where other memory was, and more than there are slots exist at once")
  func reuse() throws {
    for _ in 0..<3 {
      let all = try (0..<300).map { index in try #require(GuardedPages(index % 40 + 1, alignment: 16)) }
      for (index, pages) in all.enumerated() {
        let memory = UnsafeMutableRawBufferPointer(start: pages.start, count: index % 40 + 1)
        #expect(memory.allSatisfy { $0 == 0 } && UInt(bitPattern: pages.start).isMultiple(of: 16))
        #expect(throws: Never.self) { try pages.checkEnd(after: nil) }
        memory.copyBytes(from: repeatElement(0xFF, count: memory.count))
      }
      for pages in all { pages.free() }
    }
  }

  @Test("Memory larger than all addresses is refused")
  func tooLarge() {
    #expect(GuardedPages(.max, alignment: 16) == nil)
    let error = #expect(throws: CallError.self) { try setBytes().call([bytes(.max), .integer(0)]) }
    #expect(error?.code == .bufferSize)
  }
}
