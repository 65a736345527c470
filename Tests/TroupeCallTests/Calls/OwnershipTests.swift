import Testing

@testable import TroupeCall

/// The tests count allocations, so they run one after the other.
@Suite("Memory that C passes to the caller is freed exactly once", .serialized)
struct OwnershipTests {
  private static let library = Result { try CLibrary(fixture: "ownership.c") }

  private func call(_ name: String, _ signature: String) throws -> PreparedCall {
    let library = try Self.library.get()
    return try PreparedCall(
      signature: Signature(parsing: signature), function: library.function(name), symbols: { try? library.function($0) })
  }

  private func count(_ name: String) throws -> Value { try call(name, "int (void)").call() }

  /// Runs a body and expects that it frees exactly the memory that C passed to it.
  private func expecting(released: Int, _ body: () throws -> Void) throws {
    try body()
    #expect(try count("take_released") == .integer(Int128(released)))
    #expect(try count("take_mistakes") == .integer(0))
    #expect(try count("remaining") == .integer(0))
  }

  @Test("A string result is copied and freed, and NULL is ignored")
  func result() throws {
    let text = try call("text", "owned(release) char *(string text)")
    try expecting(released: 2) { () throws in
      for given in ["text", "", nil] { #expect(try text.call([.string(given)]) == .string(given)) }
    }
  }

  @Test("A string that is not UTF-8 is freed, too")
  func invalidText() throws {
    let text = try call("not_utf8", "owned(release) char *(void)")
    try expecting(released: 1) { () throws in
      #expect(throws: CallError.self) { try text.call() }
    }
  }

  @Test("String outputs are freed once each")
  func outputs() throws {
    let texts = try call("texts", "void (out owned(release) char **first, out owned(release) char **second)")
    try expecting(released: 2) { () throws in
      let outcome = try texts.call()
      #expect(outcome["first"] == .string("first") && outcome["second"] == .string("second"))
    }
  }

  @Test("The strings in a buffer are freed, up to its length")
  func buffers() throws {
    let names = try call("names", "int (size_t count, out owned(release) char *names[count], out size_t *found)")
    for count in 0...3 {
      try expecting(released: min(2, count)) { () throws in
        let outcome = try names.call([.integer(Int128(count))])
        let expected = Array([.string("a"), .string("b"), .string(nil)].prefix(count)) as [Value]
        #expect(outcome["names"] == .array(expected))
      }
    }
  }

  @Test("A buffer result is freed, and NULL is ignored")
  func resultBuffer() throws {
    let squares = try call("squares", "owned(release) uint16_t[length] (size_t count, out size_t *length)")
    try expecting(released: 1) { () throws in
      let four: [Value] = [0, 1, 4, 9].map { .integer($0) }
      #expect(try squares.call([.integer(4)])["return"] == .array(four))
      #expect(try squares.call([.integer(0)])["return"] == .null)
    }
    let wrong = try call("wrong_length", "owned(release) int[length] (out int *length)")
    try expecting(released: 1) { () throws in
      #expect(throws: CallError.self) { try wrong.call() }
    }
  }

  @Test("An inout string is freed only if the function replaced it")
  func inputOutput() throws {
    let change = try call("change", "void (int change, inout owned(release) char **text)")
    let long = String(repeating: "x", count: 10_000)
    for given in ["text", long, nil] {
      try expecting(released: 0) { () throws in
        #expect(try change.call([.integer(0), .string(given)])["text"] == .string(given))
      }
      try expecting(released: 1) { () throws in
        #expect(try change.call([.integer(1), .string(given)])["text"] == .string("changed"))
      }
    }
  }

  @Test("A string inside which the function moved the pointer is not freed", arguments: [4, 10_000])
  func movedOn(length: Int) throws {
    let skip = try call("skip", "void (int count, inout owned(release) char **text)")
    let text = String(repeating: "x", count: length)
    try expecting(released: 0) { () throws in
      #expect(try skip.call([.integer(3), .string(text)])["text"] == .string(String(text.dropFirst(3))))
      #expect(try skip.call([.integer(Int128(length)), .string(text)])["text"] == .string(""))
    }
  }

  @Test("Nothing is freed for a buffer that is NULL")
  func nullBuffer() throws {
    let ignore = try call("ignore", "void (int number, owned(release) char *texts[count], size_t count)")
    try expecting(released: 0) { () throws in
      #expect(try ignore.call([.integer(5), .null])["texts"] == .null)
    }
  }

  @Test("The outputs of a failed function are freed")
  func failures() throws {
    let text = try call("text_and_error", "owned(release) char *(int code) errno(any)")
    try expecting(released: 1) { () throws in
      #expect(throws: CallError.self) { try text.call([.integer(2)]) }
    }
  }

  @Test("The outputs of a function whose callback failed are freed")
  func failedCallback() throws {
    let text = try call("text_after", "owned(release) char *(int (*callback)(int))")
    let callback = try Callback(signature: Signature(parsing: "int (int)")) { (_: [Value]) in
      throw CLibrary.TestError("no answer")
    }
    try expecting(released: 1) { () throws in
      #expect(throws: CallError.self) { try text.call([.callback(callback)]) }
    }
  }

  @Test("A freeing function that cannot be found is named")
  func missing() throws {
    let error = #expect(throws: CallError.self) {
      try call("not_utf8", "owned(nowhere) char *(void)")
    }
    #expect(error?.code == .missingFunction)
    #expect(error.map { "\($0)" }?.contains("nowhere") == true)
  }
}
