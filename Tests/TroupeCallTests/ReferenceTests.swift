import Synchronization
import Testing

@testable import TroupeCall

@Suite("References to structs in C")
struct ReferenceTests {
  private static let library = Result { try CLibrary(fixture: "references.c") }

  private static let node = "struct node { int value; const char *name; struct node *next; struct file *file; }"
  private static let base = "struct base { int type; unsigned long count; }"

  private func prepare(_ signature: String, _ name: String) throws -> PreparedCall {
    let library = try Self.library.get()
    return try PreparedCall(
      signature: Signature(parsing: signature), function: library.function(name), symbols: { try? library.function($0) })
  }

  @Test("A reference keeps the address that C gave, so that C finds what lies behind the public members")
  func identity() throws {
    let make = try prepare("\(Self.base); struct base *(long value)", "object_new")
    let object = try make.call([.integer(42)])
    #expect(try object["type"] == .integer(1) && object.reference?.read("count") == .integer(1))
    let value = try prepare("\(Self.base); long (const struct base *object)", "object_value")
    #expect(try value.call([object]) == .integer(42))
    let retain = try prepare("\(Self.base); struct base *(struct base *object)", "object_retain")
    #expect(try retain.call([object]).reference === object.reference)
    #expect(object["count"] == .integer(2))
    // For an address without a type, too.
    let free = try prepare("void (void *object)", "object_free")
    #expect(try free.call([object]) == .void)
  }

  @Test("Members are read and written where they are, also through other references")
  func members() throws {
    let push = try prepare("\(Self.node); struct node *(struct node *next, int value, const char *name)", "node_push")
    let first = try push.call([.null, .integer(1), .string("first")])
    let list = try #require(try push.call([first, .integer(2), .string("second")]).reference)
    #expect(try list.read("next.value") == .integer(1))
    #expect(try list.read("next.name") == .string("first"))
    #expect(
      try list.read("next") == .reference(list.read("next").reference ?? list)
        || list.read("next").reference?.address == first.reference?.address)
    #expect(try list.read("next.next") == .null)
    #expect(try list.read("file") == .null)
    try list.write(.integer(7), to: "next.value")
    #expect(first["value"] == .integer(7))
    try list.write(.string("changed"), to: "name")
    let sum = try prepare("\(Self.node); size_t (const struct node *list)", "node_letters")
    #expect(try sum.call([.reference(list)]) == .integer(12))
    // The target exists for as long as a reference that was read from it.
    let error = #expect(throws: CallError.self) { try list.read("next.next.value") }
    #expect(error?.problem == "next is null and has no member \"value\"")
    let unknown = #expect(throws: CallError.self) { try list.read("previous") }
    #expect(unknown?.code == .argumentType)
  }

  @Test("A struct that is only declared has no members")
  func opaque() throws {
    let push = try prepare("struct node; struct node *(struct node *next, int value, const char *name)", "node_push")
    let node = try #require(try push.call([.null, .integer(1), .null]).reference)
    #expect(node.record == nil)
    #expect(Value.reference(node)["value"] == nil)
    let error = #expect(throws: CallError.self) { try node.read("value") }
    #expect(error?.code == .argumentType)
  }

  @Test("A definition may stand behind its use, and structs may refer to each other")
  func definitions() throws {
    let type = try CType(
      parsing: "struct b; struct a { struct b *b; int x; }; struct b { struct a *a; struct c { int y; } c; }; struct a *")
    guard case .reference(let a) = type, case .reference(let b)? = a.record?.members[0].type else {
      Issue.record("\(type) is no reference")
      return
    }
    #expect(b.record?.members.map(\.name) == ["a", "c"])
    #expect(try CType(parsing: type.description) == type)
    #expect(try CType(parsing: "struct a { int x; } *") != type)
    #expect(try CType(parsing: "struct a *") != type)
  }

  @Test("A literal is memory that the call allocates: a struct, or an array of structs")
  func literals() throws {
    let pair = "struct pair { int x, y; }"
    func value(_ x: Int128, _ y: Int128) -> Value { .structure([.init("x", .integer(x)), .init("y", .integer(y))]) }
    let sum = try prepare("\(pair); long (const struct pair *pairs, int count)", "pair_sum")
    #expect(try sum.call([value(1, 2), .integer(1)]) == .integer(3))
    #expect(try sum.call([.array([value(1, 2), value(3, 4)]), .integer(2)]) == .integer(10))
    #expect(try sum.call([.array([.integer(5), .integer(6)]), .integer(1)]) == .integer(11))
    let swap = try prepare("\(pair); int (struct pair *pair)", "pair_swap")
    let swapped = try swap.call([value(1, 2)])
    #expect(swapped["result"] == .integer(3))
    #expect(swapped["pair"] == value(2, 1))
    let arguments = try sum.signature.arguments(parsing: ["[{\"x\": 1, \"y\": 2}, {\"y\": 4, \"x\": 3}]", "2"])
    #expect(try sum.call(arguments) == .integer(10))
  }

  @Test("Members that a literal for a reference leaves out are zero, as in C; a struct by value needs all")
  func partialLiterals() throws {
    let pair = "struct pair { int x, y; }"
    let sum = try prepare("\(pair); long (const struct pair *pairs, int count)", "pair_sum")
    for (text, expected) in [("{\"x\": 3}", Int128(3)), ("{}", 0), ("[{\"y\": 5}, {\"x\": 1, \"y\": 2}]", 8)] {
      #expect(try sum.call(sum.signature.arguments(parsing: [text, text.first == "[" ? "2" : "1"])) == .integer(expected))
    }
    let swap = try prepare("\(pair); int (struct pair *pair)", "pair_swap")
    #expect(try swap.call(swap.signature.arguments(parsing: ["{\"x\": 3}"]))["pair"]?["y"] == .integer(3))
    #expect(throws: CallError.self) { try sum.signature.arguments(parsing: ["{\"z\": 3}", "1"]) }
    let letters = try prepare("\(Self.node); size_t (const struct node *list)", "node_letters")
    #expect(try letters.call([.structure([.init("name", .string("four"))])]) == .integer(4))
    let byValue = try prepare("\(pair); int (struct pair pair)", "pair_swap")
    let error = #expect(throws: CallError.self) { try byValue.call([.structure([.init("x", .integer(1))])]) }
    #expect(error?.code == .argumentType)
  }

  @Test("A literal with a member that does not exist, with too few elements, or for memory that C releases is refused")
  func badLiterals() throws {
    func refused(_ signature: String, _ text: String) throws -> CallError? {
      let call = try prepare(signature, "object_free")
      return #expect(throws: CallError.self, "\(signature) \(text)") {
        try call.call(call.signature.arguments(parsing: [text]))
      }
    }
    _ = try refused("void (const union u { int i; double d; } *u)", "{\"q\": 3}")
    _ = try refused("struct t { int k; union { int i; double d; } u; }; void (const struct t *t)", "{\"u\": {\"q\": 3}}")
    let flexible = "struct f { int count; short values[count]; }; void (const struct f *f)"
    #expect(try refused(flexible, "{\"count\": 100, \"values\": [1, 2]}")?.code == .argumentRange)
    #expect(try refused("struct store; void (consumed struct store *store)", "{\"bytes\": 64}")?.code == .argumentType)
    _ = try refused("void (const unsigned char *text)", "{\"base64\": \"!!\"}")
  }

  @Test("A literal fills several members without a name")
  func anonymousMembers() throws {
    let type = "struct two { int t; struct { int p, q; }; struct { int r, s; }; union { int a; double d; }; }"
    let call = try prepare("\(type); int (struct two *pair)", "pair_swap")
    let outcome = try call.call(call.signature.arguments(parsing: ["{\"t\": 1, \"p\": 2, \"s\": 5}"]))
    #expect(["t", "p", "q", "r", "s"].map { outcome["pair"]?[$0] } == [2, 1, 0, 0, 5].map { Value.integer($0) })
  }

  @Test("A member that C declares as text and that is none comes as its address")
  func otherText() throws {
    let table: [UInt8] = [0xFF, 0xFE, 0]
    try table.withUnsafeBytes { table in
      let address = Value.Pointer(table.baseAddress)
      var place = address
      try withUnsafeMutablePointer(to: &place) { place in
        let type = try CType(parsing: "struct t { const char *text; }")
        #expect(try ForeignMemory(type, at: place).read()["text"] == .pointer(address))
      }
    }
  }

  @Test("NULL is a value of every pointer unless the declaration rules it out")
  func null() throws {
    let letters = try prepare("\(Self.node); size_t (const struct node *list)", "node_letters")
    #expect(try letters.call([.null]) == .integer(0))
    let strict = try prepare("\(Self.node); size_t (const struct node *_Nonnull list)", "node_letters")
    let error = #expect(throws: CallError.self) { try strict.call([.null]) }
    #expect(error?.code == .argumentType && error?.argument?.index == 0)
    let text = try prepare("size_t (const char *_Nonnull text)", "text_length")
    #expect(throws: CallError.self) { try text.call([.string(nil)]) }
    #expect(try text.call([.string("abc")]) == .integer(3))
    let member = try prepare("size_t (const struct t { const char *_Nonnull text; } *t)", "text_of")
    #expect(throws: CallError.self) { try member.call([.structure([.init("text", .null)])]) }
    #expect(try member.call([.structure([.init("text", .string("ab"))])]) == .integer(2))
  }

  // MARK: Memory

  @Test("A plain pointer takes elements, whose contents come back unless they are constant")
  func elements() throws {
    let fill = try prepare("void (int *p, int n, int v)", "fill")
    #expect(
      try fill.call([.array([.integer(0), .integer(0)]), .integer(2), .integer(7)]) == .array([.integer(7), .integer(7)]))
    let sum = try prepare("int (const int *p, int n)", "sum")
    #expect(try sum.call([.array([.integer(1), .integer(2)]), .integer(2)]) == .integer(3))
    let frexp = try Fixture.systemCall("frexp", "double (double x, int *exp)")
    let parts = try frexp.call([.double(8.5), .array([.integer(0)])])
    #expect(parts["result"] == .double(0.53125))
    #expect(parts["exp"] == .array([.integer(4)]))
    let unnamed = try Fixture.systemCall("frexp", "double (double, int *)")
    #expect(try unnamed.call([.double(8.5), .array([.integer(0)])])["2"] == .array([.integer(4)]))
    #expect(throws: CallError.self) { try fill.call([.integer(0), .integer(2), .integer(7)]) }
    #expect(throws: CallError.self) { try fill.call([.array([.double(0.5)]), .integer(1), .integer(7)]) }
  }

  @Test("A pointer to bytes takes text, bytes and sizes")
  func bytes() throws {
    let first = try prepare("void (char *s)", "first_letter")
    #expect(try first.call([.string("hallo")]) == .string("Qallo"))
    let set = try prepare("void (void *p, size_t n)", "set_bytes")
    let size = Value.structure([.init("bytes", .integer(3))])
    #expect(try set.call([size, .integer(3)]) == .bytes([90, 90, 90]))
    #expect(try set.signature.arguments(parsing: ["{\"bytes\": 3}", "3"])[0] == size)
    let crc = try prepare("unsigned (const unsigned char *text, unsigned count)", "checksum")
    #expect(try crc.call(crc.signature.arguments(parsing: ["abc", "3"])) == .integer(294))
    #expect(try crc.call([.bytes([1, 2]), .integer(2)]) == .integer(3))
    // An array of numbers is meant to be one.
    let fraction = #expect(throws: CallError.self) { try crc.signature.arguments(parsing: ["[1.5]", "3"]) }
    #expect(fraction?.problem == "element [0]: unsigned char cannot hold 1.5")
    #expect(fraction?.remedy == "give an integer from 0 to 255")
    // Text that only looks like JSON or like a number.
    for text in ["{ \"a\": 1 }", "[ \"a\" ]", "[]", "[1", "{\"bytes\"}"] {
      #expect(try crc.signature.arguments(parsing: [text, "3"])[0] == .string(text))
    }
    #expect(throws: CallError.self) { try first.signature.arguments(parsing: ["{\"byte\": 64}"]) }
    #expect(try first.signature.arguments(parsing: ["[104, 0]"])[0].elementCount == 2)
    for text in ["0123abc", "3 apples", "-"] {
      #expect(try set.signature.arguments(parsing: [text, "3"])[0] == .string(text))
    }
    for text in ["0", "-1", "0x10", "1.5", ""] {
      #expect(throws: CallError.self) { try set.signature.arguments(parsing: [text, "3"]) }
    }
    let error = #expect(throws: CallError.self) {
      try prepare("void (double *x, int n, double v)", "fill").call([size, .integer(1), .double(1)])
    }
    #expect(error?.code == .argumentRange)
    let buffer = try prepare("unsigned (const unsigned char text[count], unsigned count)", "checksum")
    let fill = try prepare("void (int *p, int n, int v)", "fill")
    let empty = Value.structure([.init("bytes", .integer(0))])
    #expect(try buffer.call([empty]) == .integer(0))
    let state = try prepare("struct state; void (struct state *state, int x)", "state_start")
    let pair = try prepare("struct pair { int x, y; }; int (struct pair *pair)", "pair_swap")
    for (call, problem) in [
      (fill, "int, which has 4"), (state, "unsigned char, which has 1"), (pair, "struct pair, which has 8"),
    ] {
      let error = #expect(throws: CallError.self) {
        try call.call([empty] + (1..<call.signature.callerParameters.count).map { _ in .integer(0) })
      }
      #expect(error?.code == .argumentRange && error?.problem == "0 bytes are too few for " + problem)
    }
    for count in [Int128(Int.max), 1 << 50] {
      let huge = Value.structure([.init("bytes", .integer(count))])
      #expect(throws: CallError.self) { try buffer.call([huge]) }
      #expect(throws: CallError.self) { try fill.call([huge, .integer(0), .integer(0)]) }
    }
    #expect(try fill.call([.structure([.init("bytes", .integer(10))]), .integer(3), .integer(1)]).elementCount == 3)
  }

  @Test("Memory of a call is an argument of a later one")
  func chain() throws {
    let lifetime = ForeignLifetime()
    let start = try prepare("struct state; void (struct state *state, int x)", "state_start")
    let outcome = try start.outcome(
      of: [.structure([.init("bytes", .integer(32))]), .integer(9)], resolver: nil, keeping: lifetime)
    #expect(outcome.value == .void)
    let memory = try #require(outcome.memory.first)
    #expect(memory.position == 0 && memory.name == "state")
    let read = try prepare("struct state; int (const struct state *state)", "state_value")
    #expect(try read.call([.memory(memory.memory)]) == .integer(9))
  }

  // MARK: Lifetimes

  @Test("A lifetime keeps texts, buffers and callbacks for C")
  func lifetime() throws {
    let lifetime = ForeignLifetime()
    let keep = try prepare("void (const char *text)", "keep_text")
    let kept = try prepare("const char *(void)", "kept_text")
    _ = try keep.call([.string("a text of some length")], keeping: lifetime)
    for _ in 0..<100 { _ = try keep.signature.arguments(parsing: ["other"]) }
    #expect(try kept.call([]) == .string("a text of some length"))
    let register = try prepare("void (int (*f)(int x))", "keep_function")
    do {
      let double = try Callback(signature: Signature(parsing: "int (int x)")) { (x: Int32) -> Int32 in 2 * x }
      _ = try register.call([.callback(double)], keeping: lifetime)
    }
    #expect(try prepare("int (int x)", "call_function").call([.integer(21)]) == .integer(42))
  }

  @Test(
    "A callback that C calls after its owner has ended returns zero, and the report names the function that it was given to")
  func lateCallback() throws {
    let reports = Reports.collect()
    let call = try prepare("int (int x)", "call_late_function")
    do {
      let double = try Callback(signature: Signature(parsing: "int (int x)")) { (x: Int32) -> Int32 in 2 * x }
      _ = try prepare("void (int (*f)(int x))", "keep_late_function").call([.callback(double)])
      #expect(try call.call([.integer(21)]) == .integer(42))
    }
    #expect(try call.call([.integer(21)]) == .integer(0))
    #expect(try call.call([.integer(21)]) == .integer(0))
    #expect(reports.lines(containing: "keep_late_function").count == 1)
  }

  @Test("The ended callbacks of a function are at most 1,024, whose memory is reused, and those of another function stay")
  func tombstones() throws {
    let type = try Signature(parsing: "int (int x)")
    do {
      let double = try Callback(signature: type) { (x: Int32) -> Int32 in 2 * x }
      _ = try prepare("void (int (*f)(int x))", "keep_earliest_function").call([.callback(double)])
    }
    let take = try prepare("void (int (*f)(int x))", "take_function")
    let addresses = try (0..<4000).map { _ in
      let callback = try Callback(signature: type) { (x: Int32) -> Int32 in x }
      _ = try take.call([.callback(callback)])
      return callback.address
    }
    #expect(Set(addresses.prefix(1024)).count == 1024)
    // Other tests have callbacks, too, and may take what is freed.
    #expect(Set(addresses).count < 2000)
    #expect(try prepare("int (int x)", "call_earliest_function").call([.integer(21)]) == .integer(0))
  }

  @Test("A kept argument lives as long as the reference that the call returns, or as its first reference argument")
  func kept() throws {
    let table = "struct table { int (*get)(int); int bias; }"
    let literal = Value.structure([.init("get", .null), .init("bias", .integer(40))])
    let make = try prepare(
      "\(table); struct context; owned(context_free) struct context *(kept const struct table *table)", "context_new")
    let context = try make.call([literal])
    let run = try prepare("struct context; int (struct context *c, int x)", "context_run")
    #expect(try run.call([context, .integer(2)]) == .integer(42))
    let change = try prepare(
      "\(table); struct context; void (struct context *c, kept const struct table *table)", "context_change")
    _ = try change.call([context, .structure([.init("get", .null), .init("bias", .integer(10))])])
    #expect(try run.call([context, .integer(2)]) == .integer(12))
  }
}
