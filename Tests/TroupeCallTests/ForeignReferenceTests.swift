import Foundation
import Testing
import TroupeCall

// One at a time, since the library counts what is released.
@Suite("References", .serialized)
struct ForeignReferenceTests {
  private static let library = Result {
    try CLibrary(fixture: "stores.c")
  }

  private func prepare(_ signature: String, _ name: String) throws -> PreparedCall {
    let library = try Self.library.get()
    return try PreparedCall(
      signature: Signature(parsing: signature), function: library.function(name),
      symbols: { try? library.function($0) })
  }

  private func open(_ rows: Int = 3) throws -> ForeignReference {
    let call = try prepare("struct store; owned(store_close) struct store *(int rows)", "store_open")
    return try #require(try call.call([.integer(Int128(rows))]).reference)
  }

  private func cursor(_ store: ForeignReference) throws -> ForeignReference {
    let call = try prepare(
      "struct store; struct cursor; owned(cursor_close) borrows(s) struct cursor *(struct store *s)", "cursor_open")
    return try #require(try call.call([.reference(store)]).reference)
  }

  @Test("References are released once, in order, and are not interchangeable")
  func references() throws {
    let released = try prepare("int (void)", "take_released")
    let rows = try prepare("struct store; int (const struct store *_Nullable s)", "store_rows")

    // Released when nothing refers to it.
    do {
      let store = try open()
      #expect(store.type == "struct store")
      #expect(try rows.call([.reference(store)]) == .integer(3))
      #expect(try rows.call([.null]) == .integer(-1))
    }
    #expect(try released.call([]) == .integer(1))

    // A cursor keeps its store.
    do {
      var store: ForeignReference? = try open()
      let cursor = try cursor(store!)
      let address = store!.address
      let error = #expect(throws: CallError.self) { try store?.close() }
      #expect(error?.code == .handle)
      store = nil
      #expect(try released.call([]) == .integer(0))
      let back = try prepare("struct store; struct cursor; borrows(c) struct store *(struct cursor *c)", "cursor_store")
      let same = try #require(try back.call([.reference(cursor)]).reference)
      #expect(same.address == address)
      let busy = #expect(throws: CallError.self) { try cursor.close() }
      #expect(busy?.code == .handle)
    }
    #expect(try released.call([]) == .integer(21))

    // close() releases at once, and nobody can use it afterwards.
    let store = try open()
    try store.close()
    #expect(store.isReleased)
    #expect(try released.call([]) == .integer(1))
    let again = #expect(throws: CallError.self) { try store.close() }
    #expect(again?.code == .handle)
    let used = #expect(throws: CallError.self) { try rows.call([.reference(store)]) }
    #expect(used?.code == .handle && used?.argument?.index == 0)
    let read = #expect(throws: CallError.self) { try Value.reference(store).member(at: "rows") }
    #expect(read?.description == "the reference to struct store has been released; use it before that, or get another one")

    // A consumed argument is released by the function; not if that fails.
    let close = try prepare("struct store; int (consumed struct store *s) error(nonzero)", "store_close")
    let second = try open()
    let held = try cursor(second)
    let refused = #expect(throws: CallError.self) { try close.call([.reference(second)]) }
    #expect(refused?.code == .handle)
    try held.close()
    #expect(try close.call([.reference(second)]) == .integer(0))
    #expect(second.isReleased)
    #expect(try released.call([]) == .integer(21))

    // Another struct and a number are refused. An address and NULL are C's business.
    let third = try open()
    let strict = try prepare("struct store; int (struct store *s)", "store_rows")
    let other = ForeignReference(type: "struct cursor", address: try #require(third.address.rawPointer))
    #expect(try strict.call([.pointer(third.address)]) == .integer(3))
    for value in [Value.reference(other), .integer(1), .string("third")] {
      let error = #expect(throws: CallError.self) { try strict.call([value]) }
      #expect(error?.code == .argumentType)
    }
    try third.close()
    _ = try released.call([])
  }

  @Test("A failed call releases its output, with the text of the library")
  func failure() throws {
    let released = try prepare("int (void)", "take_released")
    let call = try prepare(
      "struct store; int (int rows, out owned(store_close) struct store **s) error(nonzero: store_text(s))", "store_try")
    #expect(try call.call([.integer(2)])["s"]?.reference != nil)
    _ = try released.call([])
    let error = #expect(throws: CallError.self) { try call.call([.integer(-7)]) }
    #expect(error?.code == .failure(5))
    #expect(error?.problem.hasSuffix(": seven") == true)
    #expect(try released.call([]) == .integer(1))
  }

  @Test("Each reference that a call returns has one owner, also if the rest of the outcome is unreadable")
  func owners() throws {
    let released = try prepare("int (void)", "take_released")
    do {
      let store = try open()
      let keep = try prepare("struct store; int (inout owned(store_close) struct store **s)", "store_keep")
      #expect(try keep.call([.reference(store)])["s"]?.reference === store)
    }
    #expect(try released.call([]) == .integer(1))

    let several = try prepare("struct store; void (out owned(store_close) struct store *stores[2])", "stores_open")
    guard case .array(let stores)? = try several.call([])["stores"] else {
      Issue.record("no array")
      return
    }
    #expect(stores.count == 2)
    for store in stores { try store.reference?.close() }
    #expect(try released.call([]) == .integer(11))

    let unreadable = try prepare("struct store; string (out owned(store_close) struct store **s)", "store_unreadable")
    let error = #expect(throws: CallError.self) { try unreadable.call([]) }
    #expect(error?.code == .resultText)
    #expect(try released.call([]) == .integer(1))
  }

  @Test("References and callbacks are passed behind \"...\", and in structs")
  func variadic() throws {
    let stores = [try open(3), try open(4)]
    let sum = try prepare("int (int count, ...)", "store_sum")
    #expect(try sum.call([.integer(2), .reference(stores[0]), .reference(stores[1])]) == .integer(7))
    let twice = try Callback(signature: Signature(parsing: "int (int)")) { (x: Int32) in 2 * x }
    #expect(try prepare("int (int count, ...)", "store_call").call([.integer(4), .callback(twice)]) == .integer(8))
    let pair = try prepare("struct store; int (struct pair { struct store *first, *second; } pair)", "pair_rows")
    let both = Value.array(stores.map { .reference($0) })
    #expect(try pair.call([both]) == .integer(7))

    for store in stores { try store.close() }
    for (call, arguments) in [(sum, [.integer(1), .reference(stores[0])]), (pair, [both])] {
      let error = #expect(throws: CallError.self) { try call.call(arguments) }
      #expect(error?.code == .handle)
    }
    _ = try prepare("int (void)", "take_released").call([])
  }

  @Test("A reference can be used by several threads, and is taken over by one")
  func threads() async throws {
    let store = try open()
    let rows = try prepare("struct store; int (const struct store *s)", "store_rows")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<2000 { _ = try? rows.call([.reference(store)]) } }
      }
    }
    let closed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? store.close()) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(closed == 1)
    _ = try prepare("int (void)", "take_released").call([])
  }

  @Test("A call refuses a released reference in an array")
  func releasedElement() throws {
    let store = try open()
    let rows = try prepare("struct store; int (const struct store *const stores[1])", "store_rows")
    try store.close()
    #expect(throws: CallError.self) { try rows.call([.array([.reference(store)])]) }
    _ = try prepare("int (void)", "take_released").call([])
  }

  @Test("A chain of 100,000 references that borrow from each other ends on a small stack")
  func longChain() throws {
    let next = try prepare("struct store; borrows(s) struct store *(struct store *s)", "store_same")
    let first = Value.reference(try open())
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      var last = first
      for _ in 0..<100_000 { last = (try? next.call([last])) ?? last }
      last = .null
      done.signal()
    }
    thread.stackSize = 256 << 10
    thread.start()
    done.wait()
    #expect(first.reference?.isReleased == false)
  }
}
