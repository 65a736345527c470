import Testing
import TroupeCall

@Suite("Memory at one address")
struct ForeignMemoryTests {
  private static let library = Result {
    try CLibrary(fixture: "memory.c")
  }

  private func prepare(_ signature: String, _ name: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name))
  }

  private static let counter = "struct counter { int steps; double total; const char *label; double (*scale)(double); }"

  @Test("Several calls use one struct, with texts and callbacks in its members")
  func structure() throws {
    let counter = try ForeignMemory(Self.counter)
    let add = try prepare("\(Self.counter); int (struct counter *c, double x)", "counter_add")
    #expect(try add.call([.memory(counter), .double(1.5)]) == .integer(1))
    let twice = try Callback(signature: Signature(parsing: "double (double)")) { (x: Double) in 2 * x }
    try counter.write(.callback(twice), to: "scale")
    #expect(try add.call([.memory(counter), .double(2)]) == .integer(2))
    #expect(try counter.read("total") == .double(5.5))
    try counter.write(.string("stage one"), to: "label")
    let label = try prepare("size_t (const void *c)", "counter_label")
    #expect(try label.call([.memory(counter)]) == .integer(9))
    #expect(try counter.read("label") == .string("stage one"))
    try counter.write(
      .structure([.init("steps", .integer(7)), .init("total", .integer(1)), .init("label", .null), .init("scale", .null)]))
    #expect(try counter.read("steps") == .integer(7))
    #expect(try counter.read()["label"] == .string(nil))
  }

  @Test("A member is a buffer whose length is another member, which is computed if it is missing")
  func siblings() throws {
    let type = "struct piece { void (*base)[size]; size_t size; }"
    let pieces = try ForeignMemory(type, count: 2)
    try pieces.write(.structure([.init("base", .bytes([1, 2, 3]))]), to: "[0]")
    try pieces.write(.string("!"), to: "[1].base")
    #expect(try pieces.read("[1].size") == .integer(1))
    let sum = try prepare("\(type); long (const struct piece p[n], int n)", "pieces_sum")
    #expect(try sum.call([.memory(pieces)]) == .integer(6 + 33))
    #expect(try sum.call([.array([.structure([.init("base", .bytes([9]))])])]) == .integer(9))
    let one = try ForeignMemory(type)
    try one.write(.structure([.init("base", .bytes([4, 5, 6]))]))
    // Memory is as long as it is; a longer length leads out of the buffer.
    let bytes = try ForeignMemory("unsigned char", count: 4)
    try bytes.write(.bytes([1, 2, 3, 4]))
    try pieces.write(.memory(bytes), to: "[0].base")
    #expect(try pieces.read("[0].size") == .integer(4))
    #expect(try sum.call([.array([.structure([.init("base", .memory(bytes))])])]) == .integer(10))
    #expect(try sum.call([.array([.array([.memory(bytes), .integer(2)])])]) == .integer(3))
    for base in [Value.memory(bytes), .bytes([1, 2, 3, 4]), .string("1234")] {
      let error = #expect(throws: CallError.self) { try sum.call([.array([.array([base, .integer(5)])])]) }
      #expect(error?.code == .argumentRange)
    }
    let advance = try prepare("\(type); void (struct piece *p)", "piece_advance")
    #expect(try advance.call([.memory(one)]) == .void)
    #expect(try one.read("base") == .bytes([5, 6]))
  }

  @Test("A flexible array member has the room that the memory was made with")
  func flexible() throws {
    let type = "struct message { int count; short values[count]; }"
    let message = try ForeignMemory(type, flexibleCount: 3)
    try message.write(.structure([.init("values", .array([1, 2, 3].map(Value.integer)))]))
    let sum = try prepare("\(type); int (struct message *m)", "message_sum")
    #expect(try sum.call([.memory(message)]) == .integer(6))
    try message.write(.integer(-4), to: "values[2]")
    #expect(try message.read("values") == .array([1, 2, -4].map(Value.integer)))
    for (path, value) in [("values[3]", Value.integer(1)), ("values", .array([1, 2, 3, 4].map(Value.integer)))] {
      #expect(throws: CallError.self) { try message.write(value, to: path) }
    }
    // A count that C made too large does not lead out of the memory.
    try message.write(.integer(1000), to: "count")
    guard case .packedArray(let values) = try message.read("values") else {
      Issue.record("no array")
      return
    }
    #expect(values.count == 3)
  }

  @Test("An array of single bytes is written from bytes and from text, as one within a struct is")
  func bytes() throws {
    let numbers = try ForeignMemory("signed char", count: 3)
    try numbers.write(.bytes([1, 0xff, 2]))
    #expect(try numbers.read("[1]") == .integer(-1))
    let text = try ForeignMemory("char", count: 8)
    try text.write(.string("longer"))
    try text.write(.string("text"))
    #expect(try text.read() == .string("text"))
    #expect(throws: CallError.self) { try text.write(.string("more than eight")) }
  }

  @Test("What a write of the whole has stored remains valid when a member is written")
  func partialWrite() throws {
    let memory = try ForeignMemory(
      "struct names { const char *first, *second; const wchar_t *third; const char *rest[]; }", flexibleCount: 3)
    let names = ["first", "second", "third"].map { Value.Field($0, .string("the \($0) name")) }
    try memory.write(.structure(names + [Value.Field("rest", .array([.string("a"), .string("b")]))]))
    try memory.write(.string("another first name"), to: "first")
    try memory.write(.string("another a"), to: "rest[0]")
    #expect(try memory.read("first") == .string("another first name"))
    #expect(try memory.read("second") == .string("the second name"))
    #expect(try memory.read("third") == .string("the third name"))
    #expect(try memory.read("rest") == .array([.string("another a"), .string("b")]))
    try memory.write(.array([.string("c")]), to: "rest")
    #expect(try memory.read("rest") == .array([.string("c")]))
  }

  @Test("A flexible array member behind a constant pointer has the room of its own struct")
  func flexibleCopy() throws {
    let message = "struct message { int count; short values[count]; }"
    let value = Value.structure([.init("values", .array([1, 2, 3].map(Value.integer)))])
    let sum = try prepare("\(message); int (const struct message *m)", "message_sum")
    #expect(try sum.call([value]) == .integer(6))
    let holder = try ForeignMemory(
      "\(message); struct holder { const struct message *one; int n; const struct message (*all)[n]; }")
    try holder.write(value, to: "one")
    #expect(try holder.read("one")["values"] == .array([1, 2, 3].map(Value.integer)))
    #expect(throws: CallError.self) { try holder.write(.array([value]), to: "all") }
  }

  @Test("An array is a buffer of its type, and bytes are for any character type")
  func array() throws {
    let numbers = try ForeignMemory("int", count: 5)
    let fill = try prepare("void (int xs[n], int n)", "fill")
    #expect(try fill.call([.memory(numbers)])["xs"] != nil)
    #expect(try numbers.read("[3]") == .integer(9))
    #expect(try numbers.read() == .array([0, 1, 4, 9, 16].map(Value.integer)))
    let pointer = try prepare("void (int *xs, int n)", "fill")
    let doubles = try ForeignMemory("double", count: 5)
    let error = #expect(throws: CallError.self) { try pointer.call([.memory(doubles), .integer(5)]) }
    #expect(error?.code == .argumentType)
  }

  @Test("A pointer in memory is passed by its address", arguments: ["char *", "string", "const char *"])
  func pointer(type: String) throws {
    let rest = try ForeignMemory(type)
    let read = try Fixture.systemCall("strtol", "long (const char digits[], char **rest, int base)")
    let digits = try ForeignMemory("char", count: 8)
    try digits.write(.array(Array("12 rest\0".utf8).map { .integer(Int128($0)) }))
    #expect(try read.call([.memory(digits), .memory(rest), .integer(10)]) == .integer(12))
    if type == "char *" {
      #expect(try rest.read() == .pointer(Value.Pointer(address: digits.address.address + 2)))
    } else {
      #expect(try rest.read() == .string(" rest"))
    }
  }

  @Test("Paths outside the memory are refused", arguments: ["y", "x[4]", "[0]", "x.y", "x[", "x[-1]", "x[1]]", ".", "x..y"])
  func paths(path: String) throws {
    let memory = try ForeignMemory("struct p { int x[4]; union { int a; double d; }; }")
    let error = #expect(throws: CallError.self) { try memory.read(path) }
    #expect(error?.code == .argumentType)
    try memory.write(.double(1), to: "d")
    #expect(try memory.read("a") == .integer(0))
  }

  @Test(
    "A path into several elements begins with an index, and a dot precedes each member behind it",
    arguments: ["n", ".n", "[2]", "[2].n", "[0]n", "[0].", "[0].marks[1]n"])
  func elementPaths(path: String) throws {
    let memory = try ForeignMemory("struct p { int n; short marks[2]; }", count: 2)
    let error = #expect(throws: CallError.self) { try memory.write(.integer(1), to: path) }
    #expect(error?.code == .argumentType)
    #expect("\(try #require(error))".contains("memory of 2 elements of type struct p has no member or element \"\(path)\""))
    let unknown = #expect(throws: CallError.self) { try memory.read("[0].x[1]") }
    #expect(unknown?.description == "struct p has no member \"x\"; its members are n, marks")
    let misspelled = #expect(throws: CallError.self) { try memory.read("[0].mark") }
    #expect(misspelled?.description == "struct p has no member \"mark\"; did you mean \"marks\"?")
    let fault = #expect(throws: CallError.self) { try memory.write(.integer(.max), to: "[1].n") }
    #expect(fault?.code == .argumentRange)
    #expect(try #require(fault).description.hasPrefix("element [1].n: int cannot hold "))
    try memory.write(.integer(1), to: "[1].marks[1]")
    #expect(try memory.read("[1].marks[1]") == .integer(1))
  }

  @Test("A data symbol is memory that is read and written where it is")
  func symbols() throws {
    let library = try Self.library.get()
    let table = try UnsafeMutableRawPointer(mutating: library.function("table"))
    let memory = ForeignMemory(try CType(parsing: "int"), at: table, count: 3, library: library)
    #expect(try memory.read("[2]") == .integer(7))
    try memory.write(.integer(-1), to: "[0]")
    #expect(table.load(as: Int32.self) == -1)
    let title = try UnsafeMutableRawPointer(mutating: library.function("title"))
    #expect(try ForeignMemory(CType(parsing: "const char *"), at: title).read() == .string("a title"))
    let output = try UnsafeMutableRawPointer(mutating: CLibrary.systemFunction("stdout"))
    #expect(try ForeignMemory(CType(parsing: "struct _IO_FILE; struct _IO_FILE *"), at: output).read().reference != nil)
  }

  @Test("A type that is none has an error with a column")
  func types() throws {
    for (text, column) in [("int x", 4), ("void", 0), ("struct a", 0), ("", 0)] {
      let error = #expect(throws: SignatureError.self) { try ForeignMemory(text) }
      #expect(error?.position == column)
    }
  }

  @Test("A write that fails keeps the text to which the memory still points")
  func failedWrite() throws {
    let memory = try ForeignMemory("struct note { int n; const char *text; }")
    let text = Value.string(String(repeating: "text ", count: 500))
    try memory.write(text, to: "text")
    #expect(throws: CallError.self) { try memory.write(.integer(5), to: "text") }
    #expect(throws: CallError.self) { try memory.write(.array([.string("no number"), .null])) }
    #expect(try memory.read("text") == text)
  }

  @Test("A flexible array member has elements within its memory only, and ends where the last text ends")
  func flexibleBounds() throws {
    let list = try ForeignMemory("struct list { int n; int xs[n]; }", flexibleCount: 3)
    #expect(throws: CallError.self) { try list.read("xs[\(Int.max)]") }
    let note = try ForeignMemory("struct note { int n; char text[]; }", flexibleCount: 10)
    try note.write(.string("hello"), to: "text")
    try note.write(.string("hi"), to: "text")
    #expect(try note.read("text") == .string("hi"))
    let lists = try ForeignMemory("struct list { int n; int xs[n]; }", count: 2)
    try lists.write(.integer(1000), to: "[1].n")
    #expect(try lists.read().elementsOfArray?.last?["xs"] == .array([]))
  }
}

extension Value {
  fileprivate var elementsOfArray: [Value]? { if case .array(let elements) = self { elements } else { nil } }
}
