import Foundation
import TestSupport
import Testing
import TroupeCall

/// Runs the examples of `LibraryExamples.swift`, which are the text of the guide.
@Suite("The guide to libraries")
struct LibraryGuideTests {
  @Test("The examples of the guide are LibraryExamples.swift")
  func examples() throws {
    let guide = try String(
      contentsOfFile: Repo.root + "/Sources/TroupeCall/TroupeCall.docc/CallingLibraries.md", encoding: .utf8)
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    let examples = try String(
      contentsOfFile: Repo.root + "/Tests/TroupeCallTests/Guides/LibraryExamples.swift", encoding: .utf8)
    #expect(blocks.joined(separator: "\n") == examples)
  }

  /// Throws an error that names the Debian package if a library is not installed.
  private func require(_ library: String, of package: String) throws {
    guard dlopen(library, RTLD_NOW) == nil else { return }
    throw CLibrary.TestError(
      "\(library) is missing; run `scripts/install-dependencies libraries`, or install the package \(package)")
  }

  @Test("A missing library or function is an error")
  func library() throws {
    #expect(throws: Library.LibraryError.self) { try Library("libmissing.so.7") }
    #expect(throws: Library.LibraryError.self) { try Library("libc.so.6").prepare("no_such_function", "int (void)") }
  }

  @Test("SQLite returns rows and errors")
  func sqlite() throws {
    try require("libsqlite3.so.0", of: "libsqlite3-0")
    #expect(try moons(of: "Jupiter", widerThan: 1000) == ["Io: 3643 km"])
    #expect(try moons(of: "Saturn", widerThan: 6000) == [])
    #expect(try fault(inSQL: "SELECT 1") == nil)
    let error = try fault(inSQL: "SELEC 1")
    #expect(error?.code == .failure(1))
    #expect(error?.problem.hasSuffix(#"near "SELEC": syntax error"#) == true)
  }

  @Test("A reference of SQLite is released once, by its owner, by a call that consumes it, or by close()")
  func references() throws {
    try require("libsqlite3.so.0", of: "libsqlite3-0")
    let sqlite = try SQLite()
    let db = try #require(try sqlite.open.call([.string(":memory:")])["db"])
    let statement = try #require(try sqlite.prepare.call([db, .string("SELECT 1"), .null])["statement"])
    // The statement borrows from the database.
    for close in [{ try db.reference?.close() }, { _ = try sqlite.close.call([db]) }] {
      let error = #expect(throws: CallError.self) { try close() }
      #expect(error?.code == .handle)
    }
    let confused = #expect(throws: CallError.self) { try sqlite.step.call([db]) }
    #expect(confused?.code == .argumentType)
    _ = try sqlite.finalize.call([statement])
    let used = #expect(throws: CallError.self) { try sqlite.step.call([statement]) }
    #expect(used?.code == .handle)
    try db.reference?.close()
    #expect(db.reference?.isReleased == true)
    let error = #expect(throws: CallError.self) { try sqlite.open.call([.string("/no/such/directory/file")]) }
    #expect(error?.code == .failure(14))
  }

  @Test("zlib compresses and restores bytes")
  func zlib() throws {
    try require("libz.so.1", of: "zlib1g")
    let bytes = (0..<1000).flatMap { Array("\($0 * $0)\n".utf8) }
    let small = try deflated(bytes)
    #expect(small.count > 64 && small.count < bytes.count / 2)
    #expect(try inflated(small, count: bytes.count) == .bytes(bytes))
    guard case .bytes(let compressed)? = try compressed(bytes) else {
      Issue.record("no bytes")
      return
    }
    #expect(compressed.count < bytes.count / 2)
    #expect(try inflated(compressed, count: bytes.count) == .bytes(bytes))
    let error = #expect(throws: CallError.self) { try inflated([1, 2, 3], count: 1) }
    #expect(error?.code == .failure(-3))
    #expect(error?.problem.hasSuffix("data error") == true)
    #expect(try crc32(of: Array("123456789".utf8)) == 0xCBF4_3926)
    #expect(try crc32(of: []) == 0)
  }

  @Test("libpng writes a file and reads its size, or returns its error text")
  func libpng() throws {
    try require("libpng16.so.16", of: "libpng16-16")
    let file = try #require(try png(row: [0, 128, 255]))
    guard case .bytes(let bytes) = file else {
      Issue.record("no bytes")
      return
    }
    #expect(bytes.starts(with: [0x89] + Array("PNG".utf8)))
    #expect(try size(ofPNG: file) == "3 x 1")
    #expect(try size(ofPNG: .bytes(Array(repeating: 7, count: 64))) == "Not a PNG file")
  }

  @Test("readv fills several buffers")
  func buffers() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(write(ends[1], "headthe bodyrest", 16) == 16)
    let (head, body) = try headAndBody(from: ends[0])
    #expect(head == .bytes(Array("head".utf8)) && body == .bytes(Array("the body".utf8)))
    let error = #expect(throws: CallError.self) { try headAndBody(from: -1) }
    #expect(error?.code == .system(EBADF))
  }

  @Test("A struct behind a pointer is copied, and passed on")
  func times() throws {
    #expect(try text(ofTime: 86400, format: "%F %T") == .string("1970-01-02 00:00:00"))
    let error = #expect(throws: CallError.self) { try text(ofTime: .max, format: "%F") }
    #expect(error?.code == .system(EOVERFLOW))
    let long = #expect(throws: CallError.self) { try text(ofTime: 0, format: "%c %c %c %c") }
    #expect(long?.code == .failure(0))
    // In the middle of a year, which is the same in all time zones.
    #expect(try localYear(ofTime: 15_000_000) == 1970)
  }

  @Test("getline reads into one buffer, which grows")
  func textFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "troupe-lines-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let long = String(repeating: "long ", count: 200)
    try Data("one\n\n\(long)\nlast".utf8).write(to: file)
    #expect(try lines(of: file.path) == ["one\n", "\n", long + "\n", "last"])
    let error = #expect(throws: CallError.self) { try lines(of: file.path + ".missing") }
    #expect(error?.code == .system(ENOENT))
  }

  @Test("Lengths are the buffer's, the caller's and the result's")
  func lengths() throws {
    #expect(try piped("hello", count: 4) == .bytes(Array("hell".utf8)))
    #expect(try piped("hello", count: 40) == .bytes(Array("hello".utf8)))
  }

  @Test("C calls closures")
  func callbacks() throws {
    #expect(try sorted([3, -1, 2], by: <) == .array([-1, 2, 3].map(Value.integer)))
    #expect(try sorted([3, -1, 2], by: >) == .array([3, 2, -1].map(Value.integer)))
    try require("libcurl.so.4", of: "libcurl4")
    let file = FileManager.default.temporaryDirectory.appending(path: "troupe-content-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0) }
    try Data(bytes).write(to: file)
    #expect(try content(of: "file://" + file.path) == bytes)
    let error = #expect(throws: CallError.self) { try content(of: "file://" + file.path + ".missing") }
    #expect(error?.code == .failure(37))
  }

  @Test("posix_memalign returns a block or an error number")
  func errorNumber() throws {
    let block = try #require(try block(alignment: 4096, size: 10))
    #expect(block.address.address.isMultiple(of: 4096))
    try block.close()
    let error = #expect(throws: CallError.self) { try TroupeCallTests.block(alignment: 3, size: 10) }
    #expect(error?.code == .system(EINVAL))
  }
}
