import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("Pins") struct PinsTests {
  private static let one = ContentHash(of: [1])
  private static let two = ContentHash(of: [2])

  private static func entry(_ hash: ContentHash, _ plugin: String) throws -> Pins.Entry {
    try #require(Pins.Entry(hash, plugin: plugin))
  }

  /// Runs a closure with the path of a temporary file of pins.
  private static func withFile<Result>(_ bytes: some Sequence<UInt8>, _ body: (String) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    let path = try directory.write("pins", bytes)
    try setMode(0o600, of: path)
    return try body(path)
  }

  private static func error(_ bytes: some Sequence<UInt8>) throws -> Diagnosis {
    try withFile(bytes) { path in try #require(throws: Diagnosis.self) { try Pins(contentsOf: path) } }
  }

  @Test("A file has one line per content; comments, blank lines, indents and upper-case digits are allowed")
  func reads() throws {
    let text = """
      # mine

      \(Self.one) org.example.a
        \(Self.two.description.uppercased())   org.example.a\u{20}
      #\(Self.two) org.example.c
      \(Self.one) org.example.a
      \(Self.one) org.example.b
      """
    let pins = try Self.withFile(text.utf8) { try Pins(contentsOf: $0) }
    #expect(pins.hashes(of: "org.example.a") == [Self.one, Self.two])
    #expect(pins.hashes(of: "org.example.b") == [Self.one])
    #expect(pins.hashes(of: "org.example.c") == [])
    #expect(pins.entries.count == 3)
  }

  @Test("The description of pins is parsed as the same pins")
  func roundTrip() throws {
    let entries = try [Self.entry(Self.two, "org.example.b"), Self.entry(Self.one, "org.example.a")]
    let pins = Pins(entries + entries)
    #expect(pins.description == "\(Self.two) org.example.b\n\(Self.one) org.example.a\n")
    #expect(try Self.withFile(pins.description.utf8) { try Pins(contentsOf: $0) } == pins)
    #expect(try Self.withFile([]) { try Pins(contentsOf: $0) } == Pins([]))
  }

  @Test("An invalid id makes no entry", arguments: ["", "grep", "org.example.a\n", "org.example.a b"])
  func badIdentifier(_ id: String) {
    #expect(Pins.Entry(Self.one, plugin: id) == nil)
  }

  @Test(
    "A faulty line is reported with its number, problem and remedy",
    arguments: [
      ("12 org.example.a", "\"12\", which is not a SHA-256 of 64 hexadecimal digits", "write 64 hexadecimal digits"),
      ("org.example.a \(one)", "begins with \"org.example.a\"", "write 64"),
      ("\(one)0 org.example.a", "begins with", "write 64"),
      ("\(one)", "has a SHA-256 and no plugin's id behind it", "write 64"),
      ("\(one) grep", "has the id \"grep\"", "correct it"),
      ("\(one) org.example.a # mine", "has \"#\" behind the plugin's id", "write comments on lines of their own"),
      ("\(one) org.example.a\r", "control", "end lines with a plain newline"),
      ("\(one)\torg.example.a", "has a control character", "separate with spaces"),
      ("# \u{1B}[2J", "control", "spaces"), ("\(one) org.example.a\0", "control", "spaces"),
    ])
  func faultyLine(_ line: String, _ problem: String, _ remedy: String) throws {
    let error = try Self.error("# first\n\(Self.one) org.example.fine\n\(line)\n".utf8)
    #expect(error.code == .invalidPins)
    #expect(error.problem.contains(problem), "\(error)")
    #expect(error.remedy.contains(remedy), "\(error)")
    #expect(error.subject.hasSuffix("/pins:3"))
  }

  @Test("Bytes that are not UTF-8 are reported with their line")
  func notText() throws {
    let error = try Self.error(Array("# caf\u{E9}\n# caf".utf8) + [0xE9])
    #expect(error.subject.hasSuffix("/pins:2"))
    #expect(error.code == .invalidPins && error.problem.contains("UTF-8"))
  }

  @Test("The command in the remedy for a missing pin quotes both paths for the shell")
  func quotedRemedy() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("my pins", [])
    try setMode(0o600, of: path)
    let diagnosis = try #require(Pins(contentsOf: path).diagnosis(Self.one, of: "org.example.a", path: "/it's here/a.so"))
    #expect(diagnosis.remedy.hasSuffix(#"troupe pin '/it'\''s here/a.so' --pins '\#(path)'"#), "\(diagnosis.remedy)")
  }

  @Test("A file of more than a megabyte is refused, and one of a megabyte is read")
  func size() throws {
    let error = try Self.error(Array(repeating: UInt8(ascii: "\n"), count: 1 << 20 | 1))
    #expect(error.subject.hasSuffix("/pins"))
    #expect(error.code == .tooLarge)
    #expect(error.problem == "has 1048577 bytes, and 1048576 are allowed")
    #expect(try Self.withFile(Array(repeating: UInt8(ascii: "\n"), count: 1 << 20)) { try Pins(contentsOf: $0) } == Pins([]))
  }

  @Test("A missing file, a directory and a named pipe are refused at once")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    #expect(mkfifo(directory.file("pipe"), 0o600) == 0)
    for (name, problem) in [
      ("missing", "does not exist"), ("", "is a directory"), ("pipe", "is not a regular file"),
    ] {
      let error = try #require(throws: Diagnosis.self) { try Pins(contentsOf: directory.file(name)) }
      #expect(error.code == .unreadable)
      #expect(error.problem == problem)
      #expect(error.remedy == "name a file of pins, such as troupe pin writes")
    }
  }

  @Test("A file that other users can write, or in a directory that they can write, is refused", arguments: [true, false])
  func untrusted(isFile: Bool) throws {
    let directory = try TemporaryDirectory()
    let parent = directory.file("parent")
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    let path = try directory.write("parent/pins", [])
    try setMode(isFile ? 0o666 : 0o600, of: path)
    try setMode(isFile ? 0o700 : 0o777, of: parent)
    let error = try #require(throws: Diagnosis.self) { try Pins(contentsOf: path) }
    #expect(error.code == .untrusted)
    // A link to it from a trusted directory is refused as well.
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(throws: Diagnosis.self) { try Pins(contentsOf: link) }
  }

  @Test("Pinning replaces the plugin's lines at their position, keeps all others, and appends new ones")
  func change() throws {
    let text = "# a\n\(Self.one) org.example.a\n\n# b\n\(Self.one) org.example.b\n\(Self.two) org.example.a\n# end"
    let new = ContentHash(of: [3])
    try Self.withFile(text.utf8) { path in
      try PinsFile.change(path) { file in
        file.pin([try Self.entry(new, "org.example.a"), try Self.entry(new, "org.example.c")])
      }
      #expect(
        try String(contentsOfFile: path, encoding: .utf8)
          == "# a\n\n# b\n\(Self.one) org.example.b\n\(new) org.example.a\n# end\n\(new) org.example.c\n")
    }
  }

  @Test("Pinning the same content does not rewrite the file, and adding keeps the existing pins")
  func add() throws {
    let text = "\(Self.one) org.example.a\n# end\n"
    try Self.withFile(text.utf8) { path in
      let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      try PinsFile.change(path) { $0.pin([try Self.entry(Self.one, "org.example.a")]) }
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == inode)
      try PinsFile.change(path) { $0.pin([try Self.entry(Self.two, "org.example.a")], keepsOthers: true) }
      #expect(
        try String(contentsOfFile: path, encoding: .utf8)
          == "\(Self.one) org.example.a\n\(Self.two) org.example.a\n# end\n")
    }
  }

  @Test("A change keeps a file's mode and a link; only the user can access a new file and its new directories")
  func modes() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("pins", [])
    try setMode(0o640, of: path)
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "pins")
    let new = directory.file("one/two/pins")
    for file in [link, new] { try PinsFile.change(file) { $0.pin([try Self.entry(Self.one, "org.example.a")]) } }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "pins")
    for (file, mode) in [(path, 0o640), (new, 0o600), (directory.file("one"), 0o700), (directory.file("one/two"), 0o700)] {
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == mode, "\(file)")
    }
    #expect(try Pins(contentsOf: path) == Pins(contentsOf: new))
    // No temporary file is left.
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["link", "one", "pins"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("one/two")) == ["pins"])
  }

  @Test("A dry run, a failed change and a change to a faulty file modify nothing")
  func unchanged() throws {
    let directory = try TemporaryDirectory()
    let new = directory.file("one/pins")
    try PinsFile.change(new, isWritten: false) { $0.pin([try Self.entry(Self.one, "org.example.a")]) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    try Self.withFile("\(Self.one) org.example.a\n".utf8) { path in
      #expect(throws: CancellationError.self) {
        try PinsFile.change(path) { file in
          #expect(file.remove("org.example.a").map(\.hash) == [Self.one])
          throw CancellationError()
        }
      }
      let pins = try Pins(contentsOf: path)
      #expect(pins.entries.count == 1)
    }
    try Self.withFile("faulty\n".utf8) { path in
      #expect(throws: Diagnosis.self) { try PinsFile.change(path) { _ in } }
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text == "faulty\n")
    }
  }

  @Test("No file of pins is created where another user could change it")
  func untrustedDirectory() throws {
    let directory = try TemporaryDirectory()
    let parent = directory.file("parent")
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    try setMode(0o777, of: parent)
    let diagnosis = try #require(throws: Diagnosis.self) {
      try PinsFile.change(parent + "/pins") { try $0.pin([Self.entry(Self.one, "org.example.a")]) }
    }
    #expect(diagnosis.code == .untrusted)
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
  }

  @Test("Eight concurrent writers lose no pin")
  func together() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("pins")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for step in 0..<10 {
            try? PinsFile.change(path) { $0.pin([try Self.entry(Self.one, "org.example.n\(number)-\(step)")]) }
          }
        }
      }
    }
    #expect(try Pins(contentsOf: path).entries.count == 80)
  }
}
