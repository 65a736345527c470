import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Pinned plugins") struct PinnedPluginTests {
  private static func host(_ directory: PluginDirectory, _ pins: [Pins.Entry]) -> PluginHost {
    var options = directory.options()
    options.pins = Pins(pins)
    return PluginHost(options)
  }

  /// The pins for the current plugins of a directory.
  private static func pins(_ directory: PluginDirectory) throws -> [Pins.Entry] {
    try directory.host().discover().flatMap { try $0.pins() }
  }

  private static func hash(_ path: String) throws -> ContentHash {
    ContentHash(of: [UInt8](try Data(contentsOf: URL(filePath: path))))
  }

  @Test("A pinned plugin is loaded from a copy, and its pin is the SHA-256 of its file")
  func pinned() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/numbered.c")
    let pins = try Self.pins(directory)
    #expect(pins == [try #require(Pins.Entry(Self.hash(path), plugin: "org.example.numbered"))])
    #expect(try succeed(["sha256sum", path]).text.hasPrefix(pins[0].description.prefix(64)))
    let host = Self.host(directory, pins)
    try host.load()
    #expect(host.states == ["numbered.so loaded"])
    #expect(try host.call("number") == .integer(1))
    #expect(try !isMapped(path))
  }

  @Test("A plugin without a pin is rejected with its hash and the remedy, and the others work")
  func unpinned() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/empty.c")
    try directory.add("healthy/numbered.c")
    let pins = try Self.pins(directory).filter { $0.plugin == "org.example.numbered" }
    let host = Self.host(directory, pins)
    try host.load()
    #expect(host.states == ["empty.so rejected", "numbered.so loaded"])
    let diagnosis = try #require(host.diagnosis(path))
    #expect(diagnosis.code == .unpinned)
    #expect(
      diagnosis.reason
        == "is not pinned; its SHA-256 is \(try Self.hash(path)); if you trust it, pin it with troupe pin \(path)")
    #expect(host.plugins.first?.manifest?.id == "org.example.empty")
    // The pin of one plugin does not apply to another.
    let other = try Pins.Entry(Self.hash(path), plugin: "org.example.numbered")
    #expect(Self.host(directory, pins + [try #require(other)]).discover().first?.state.diagnosis?.code == .unpinned)
    #expect(Self.host(directory, []).discover().allSatisfy { $0.state.diagnosis?.code == .unpinned })
  }

  @Test("A changed plugin is rejected, with the beginnings of both hashes")
  func changed() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/numbered.c")
    let pins = try Self.pins(directory)
    let old = try Self.hash(path)
    try directory.add("healthy/numbered.c", ["NUMBER": "2"])
    let diagnosis = try #require(Self.host(directory, pins).discover().first?.state.diagnosis)
    #expect(diagnosis.code == .unpinned)
    #expect(
      diagnosis.problem
        == "does not have the content that is pinned for org.example.numbered: its SHA-256 begins with \(try Self.hash(path).description.prefix(12)), and pinned is \(old.description.prefix(12))"
    )
    #expect(diagnosis.remedy.hasSuffix("pin it anew with troupe pin \(path)"))
  }

  @Test("Several pins of one plugin allow several contents")
  func several() throws {
    let directory = try PluginDirectory()
    var pins: [Pins.Entry] = []
    for number in 1...2 {
      try directory.add("healthy/numbered.c", ["NUMBER": "\(number)"])
      pins += try Self.pins(directory)
    }
    #expect(pins.count == 2)
    for number in 1...2 {
      try directory.add("healthy/numbered.c", ["NUMBER": "\(number)"])
      let host = Self.host(directory, pins)
      try host.load()
      #expect(try host.call("number") == .integer(Int128(number)))
    }
  }

  @Test("A plugin that is replaced between discovery and loading is not loaded")
  func swapped() throws {
    let directory = try PluginDirectory()
    // A unique id, because other tests map copies of the other plugins at the same time.
    let id = "org.example.swapped"
    let path = try directory.add("healthy/numbered.c", ["ID": id.quoted])
    let host = Self.host(directory, try Self.pins(directory))
    host.discover()
    try directory.add("healthy/numbered.c", ["ID": id.quoted, "NUMBER": "2"])
    try host.load()
    #expect(host.diagnosis(path)?.code == .changed)
    #expect(try !isMapped("/memfd:\(id)"))
  }

  @Test("A load compares the content with the pins again, even if the file's identity is unchanged")
  func comparedAgain() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/numbered.c")
    let identity = try #require(FileStamp.of(path))
    let other = try #require(Pins.Entry(ContentHash(of: [1]), plugin: "org.example.numbered"))
    let failure = try #require(throws: Diagnosis.self) {
      try ImageSource(copyOf: (path, identity), id: "org.example.numbered", pins: Pins([other]), isAdopted: false)
    }
    #expect(failure.code == .unpinned)
    #expect(failure.problem.contains(try Self.hash(path).description.prefix(12)))
    let right = try Pins(Self.pins(directory))
    let source = try ImageSource(copyOf: (path, identity), id: "org.example.numbered", pins: right, isAdopted: false)
    #expect(try ContentHash(of: RegularFile(path: source.path).bytes) == Self.hash(path))
  }

  @Test("An adopted library needs pins for both files, and neither may have changed")
  func adopted() throws {
    let directory = try PluginDirectory()
    let (file, library) = try AdoptionTests.add(to: directory)
    let pins = try Self.pins(directory)
    #expect(try pins.map(\.hash) == [Self.hash(file), Self.hash(library)])
    let host = Self.host(directory, pins)
    try host.load()
    #expect(host.states == ["boxes.troupe.json loaded"])
    #expect(try host.call("live") == .integer(0))
    let fileAlone = try #require(Self.host(directory, [pins[0]]).discover().first?.state.diagnosis)
    #expect(fileAlone.code == .unpinned)
    #expect(fileAlone.subject == file)
    #expect(fileAlone.problem.contains(library))
    let libraryAlone = try #require(Self.host(directory, [pins[1]]).discover().first?.state.diagnosis)
    #expect(libraryAlone.code == .unpinned)
    #expect(!libraryAlone.problem.contains(library))
    try directory.write("boxes.troupe.json", AdoptionTests.text("./libbox.so").utf8.dropLast() + " }".utf8)
    #expect(Self.host(directory, pins).discover().first?.state.diagnosis?.code == .unpinned)
  }

  @Test("The first pinned file of two with one id is loaded")
  func duplicates() throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/numbered.c", as: "a")
    let second = try directory.add("healthy/numbered.c", as: "b", ["NUMBER": "2"])
    let pin = try #require(Pins.Entry(Self.hash(second), plugin: "org.example.numbered"))
    let host = Self.host(directory, [pin])
    try host.load()
    #expect(host.states == ["a.so rejected", "b.so loaded"])
    #expect(try host.call("number") == .integer(2))
  }

  @Test("A plugin that requires an unpinned one is rejected with that reason")
  func needed() throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/numbered.c")
    let json =
      #"{"id":"org.example.needing","name":"N","version":"1.0.0","language":"c","abi":"1.0","requires":["org.example.numbered"]}"#
    let path = try directory.add("faulty/manifest.c", as: "needing", ["MANIFEST": json.quoted])
    let pins = try Self.pins(directory).filter { $0.plugin == "org.example.needing" }
    let host = Self.host(directory, pins)
    try host.load()
    #expect(host.states == ["needing.so rejected", "numbered.so rejected"])
    #expect(host.diagnosis(path)?.code == .unmetRequirement)
    #expect(host.diagnosis(path)?.problem.contains(try #require(host.plugins.last?.state.diagnosis).problem) == true)
  }
}
