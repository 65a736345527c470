import Foundation
import TestSupport
import Testing
import TroupeFiles

@Suite("Admission") struct AdmissionTests {
  /// Returns the diagnosis of a faulty file beside a healthy plugin. Expects that the plugin is admitted, and that the diagnosis is one line
  /// with the file.
  static func diagnosis(
    of make: (PluginDirectory) throws -> String, examine: (PluginDirectory) throws -> [PluginFile] = { $0.examine() }
  ) throws -> Diagnosis {
    let directory = try PluginDirectory()
    let file = try make(directory)
    let healthy = try directory.add("healthy/empty.c", as: "zz-healthy")
    let files = try examine(directory)
    #expect(files.contains { $0.path == healthy } && files.diagnosis(healthy) == nil)
    let diagnosis = try #require(files.diagnosis(file))
    #expect(diagnosis.subject == file)
    #expect(!diagnosis.problem.isEmpty && !diagnosis.remedy.isEmpty)
    #expect(diagnosis.description == "\(file): \(diagnosis.problem); \(diagnosis.remedy)")
    #expect(!diagnosis.description.contains { $0.isNewline })
    return diagnosis
  }

  /// The fault of a file with these bytes.
  static func diagnosis(_ bytes: [UInt8]) throws -> Diagnosis {
    try diagnosis { try $0.write("x.so", bytes) }
  }

  /// The fault of a plugin after a change to its bytes.
  static func diagnosis(changed change: (inout [UInt8]) -> Void) throws -> Diagnosis {
    var bytes = try PluginDirectory.library("healthy/empty.c")
    change(&bytes)
    return try diagnosis(bytes)
  }

  @Test("A link to a name that is not UTF-8 is refused, and not reported as a missing file")
  func unreadableLink() throws {
    let directory = try PluginDirectory()
    let target: [CChar] = Array(directory.path.utf8CString.dropLast()) + [47, -1, 0]
    #expect(close(open(target, O_CREAT | O_WRONLY, 0o600)) == 0)
    #expect(symlink(target, directory.path + "/x.so") == 0)
    let diagnosis = try #require(directory.firstDiagnosis)
    #expect(diagnosis.code == .unreadable)
    #expect(diagnosis.problem.contains("UTF-8"))
  }

  @Test("A file that is not a library is rejected", arguments: ["", "#!/bin/sh\n", "\u{7F}ELF"])
  func notELF(_ content: String) throws {
    let diagnosis = try Self.diagnosis(Array(content.utf8))
    #expect(diagnosis.code == .notALibrary)
    #expect(diagnosis.remedy.hasPrefix("build a shared library for "))
  }

  @Test("A file that is larger than the limit is rejected without reading it")
  func tooLarge() throws {
    // A sparse file needs no disk space.
    let diagnosis = try Self.diagnosis { directory in
      let path = try directory.write("x.so", PluginDirectory.library("healthy/empty.c"))
      #expect(truncate(path, 200 << 30) == 0)
      return path
    }
    #expect(diagnosis.code == .tooLarge)
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    let size = try #require(FileManager.default.attributesOfItem(atPath: plugin)[.size] as? Int)
    for (limit, code) in [(size - 1, Diagnosis.Code.tooLarge), (size, nil)] as [(Int, Diagnosis.Code?)] {
      #expect(directory.examine { $0.maximumFileSize = limit }.first?.outcome.diagnosis?.code == code)
    }
  }

  @Test("A truncated library is rejected", arguments: [63, 64, 500, 5000])
  func truncated(_ length: Int) throws {
    #expect(try Self.diagnosis(changed: { $0.removeSubrange(length...) }).code == .notALibrary)
  }

  @Test(
    "A library for another machine is rejected with both names",
    arguments: [
      (183, "aarch64"), (62, "x86_64"), (243, "riscv64"), (3, "i386"), (4711, "machine number 4711"),
    ] as [(UInt16, String)])
  func otherMachine(_ number: UInt16, _ name: String) throws {
    let own = try ELFFile(MemoryBytes(PluginDirectory.library("healthy/empty.c"))).machine
    guard number != own else { return }
    let diagnosis = try Self.diagnosis(changed: { $0.set(number, at: 18) })
    #expect(diagnosis.code == .wrongMachine)
    #expect(diagnosis.problem.hasPrefix("is for \(name), and this host runs on "))
    #expect(diagnosis.remedy.hasPrefix("install the build for "))
  }

  @Test("A 32-bit library, a big-endian one and a program are rejected")
  func otherFiles() throws {
    #expect(try Self.diagnosis(changed: { $0[4] = 1 }).code == .notALibrary)
    #expect(try Self.diagnosis(changed: { $0[5] = 2 }).code == .notALibrary)
    #expect(try Self.diagnosis(changed: { $0.set(UInt16(2), at: 16) }).code == .notALibrary)
  }

  @Test("A library with damaged section headers is rejected at discovery, whatever its language")
  func damagedSections() throws {
    func damage(_ bytes: inout [UInt8]) { bytes.set(UInt64.max, at: bytes.long(at: 40) + bytes.half(at: 62) * 64 + 32) }
    let json =
      #"{"id":"org.example.x","name":"X","version":"1.0.0","language":"swift","abi":"1.0","interface":"\#(SwiftInterface.version)","compiler":"\#(SwiftRuntime.version)"}"#
    var swift = try PluginDirectory.library("faulty/manifest.c", ["-DMANIFEST=\(json.quoted)"])
    damage(&swift)
    for diagnosis in [try Self.diagnosis(swift), try Self.diagnosis(changed: damage)] {
      #expect(diagnosis.code == .notALibrary)
      #expect(diagnosis.problem.hasPrefix("is damaged: its section names are "))
      #expect(diagnosis.remedy.hasPrefix("build a shared library for "))
    }
  }

  @Test("A library without a manifest is rejected")
  func noManifest() throws {
    let diagnosis = try Self.diagnosis { try $0.add("faulty/no-manifest.c") }
    #expect(diagnosis.code == .invalidManifest)
    #expect(
      diagnosis.reason
        == "has no Troupe manifest; write one with TROUPE_PLUGIN in C or @Plugin in Swift, or keep a library that is no plugin elsewhere"
    )
  }

  @Test(
    "A manifest with invalid content is rejected",
    arguments: [
      "", "{", "\u{1B}[2J", "[]", #"{"id":"nope","name":"N","version":"1.0.0","language":"c","abi":"1.0"}"#,
    ])
  func badManifest(_ json: String) throws {
    let diagnosis = try Self.diagnosis { try $0.add("faulty/manifest.c", ["MANIFEST": json.quoted]) }
    #expect(diagnosis.code == .invalidManifest)
    #expect(diagnosis.problem.hasPrefix("has a manifest that "))
    // The manifest exists, so the remedy is to correct it, not to write one.
    #expect(diagnosis.remedy == "correct it where TROUPE_PLUGIN in C or @Plugin in Swift writes it, and rebuild the plugin")
  }

  @Test("A manifest of 100 MB is rejected, both if the file has that size and if only the note declares it")
  func hugeManifest() throws {
    for isThere in [false, true] {
      let diagnosis = try Self.diagnosis { directory in
        var bytes = ELFImage.notes(ELFImage.note("{}", contentSize: 100 << 20)).bytes
        if isThere { bytes.set(UInt64(101 << 20), at: 64 + 32) }
        let path = try directory.write("x.so", bytes)
        // A sparse file has the size without the disk space.
        if isThere { truncate(path, 102 << 20) }
        return path
      }
      #expect(diagnosis.code == .invalidManifest)
      #expect(diagnosis.problem.contains("104857600 bytes"))
    }
  }

  @Test("A plugin for another major version of the ABI is rejected")
  func otherMajor() throws {
    let diagnosis = try Self.diagnosis { try $0.add("faulty/other-abi-major.c") }
    #expect(diagnosis.code == .incompatibleABI)
    #expect(diagnosis.reason == "requires ABI 2.0, this host has 1.2; build it against this host's troupe.h")
  }

  @Test("A plugin for a newer minor version of the ABI is rejected")
  func newerMinor() throws {
    let diagnosis = try Self.diagnosis { try $0.add("faulty/newer-abi-minor.c") }
    #expect(diagnosis.code == .incompatibleABI)
    #expect(diagnosis.problem == "requires ABI 1.999, this host has the older 1.2")
    #expect(diagnosis.remedy.hasPrefix("update the host"))
  }

  @Test("A rejected plugin has its manifest if it could be read")
  func manifestOfRejected() throws {
    let directory = try PluginDirectory()
    try directory.add("faulty/other-abi-major.c")
    try directory.add("faulty/no-manifest.c")
    #expect(directory.examine().map(\.outcome.manifest?.id) == [nil, "org.example.other-major"])
  }

  @Test(
    "A Swift plugin must name an interface and a version of Swift that this host has",
    arguments: [
      ("", "", "does not say which interface of Troupe it was built against", false),
      ("0.1", "", "does not say which compiler built it", false),
      ("0.1", "6", "was built by the compiler 6, this host expects a version such as \(SwiftRuntime.version)", false),
      ("0.1", "5.10", "was built by Swift 5.10, this host runs with Swift \(SwiftRuntime.version)", false),
      ("0.9", "6.3", "requires interface 0.9 of Troupe (Troupe 99.0.0), this host has 0.1 (Troupe \(Release.version))", true),
      ("1.0", "6.3", "requires interface 1.0 of Troupe (Troupe 99.0.0), this host has 0.1 (Troupe \(Release.version))", true),
      (
        "d41d8cd98f00b204e9800998ecf8427e", "6.3",
        "was built against the interface d41d8cd98f00b204e9800998ecf8427e of Troupe, this host expects a version such as 0.1",
        false
      ),
    ])
  func swift(_ interface: String, _ compiler: String, _ problem: String, isUpdate: Bool) throws {
    let versions = [("interface", interface), ("compiler", compiler)].filter { !$0.1.isEmpty }
    let members = versions.map { #","\#($0)":"\#($1)""# }.joined()
    let json =
      #"{"id":"org.example.x","name":"X","version":"1.0.0","language":"swift","abi":"1.0","sdk":"99.0.0"\#(members)}"#
    let diagnosis = try Self.diagnosis { try $0.add("faulty/manifest.c", ["MANIFEST": json.quoted]) }
    #expect(diagnosis.code == .incompatibleCompiler)
    #expect(diagnosis.problem == problem)
    let rebuilding = "rebuild it with Swift \(SwiftRuntime.version) against Troupe \(Release.version)"
    #expect(diagnosis.remedy == (isUpdate ? "update the host to Troupe 99.0.0 or newer, or " : "") + rebuilding)
  }

  @Test("Control characters from a manifest and a file's name do not reach the terminal")
  func controlCharacters() throws {
    let members = #""language":"swift","abi":"1.0","interface":"0","sdk":"\u001b[2J\n1""#
    let json = #"{"id":"org.example.x","name":"X","version":"1.0.0",\#(members)}"#
    let diagnosis = try Self.diagnosis { try $0.add("faulty/manifest.c", ["MANIFEST": json.quoted]) }
    #expect(!diagnosis.description.unicodeScalars.contains { $0.properties.generalCategory == .control })

    let directory = try PluginDirectory()
    let path = try directory.write("two\nlines\u{1B}[2J.so", [])
    #expect(directory.examine().diagnosis(path)?.description.hasPrefix("\(directory.path)/two lines [2J.so: ") == true)
  }

  @Test("A directory with the name of a plugin is rejected")
  func directory() throws {
    let diagnosis = try Self.diagnosis { try $0.makeDirectory("x.so") }
    #expect(diagnosis.code == .unreadable)
    #expect(
      diagnosis.reason
        == "is a directory; remove it or give it another name; a plugin is a shared library, or a file that adopts one")
  }

  @Test(
    "A dangling link and a link loop are rejected",
    arguments: [
      ("nowhere", "is a link to a missing file"), ("x.so", "is a link that leads back to itself"),
    ])
  func links(_ target: String, _ problem: String) throws {
    let diagnosis = try Self.diagnosis { directory in
      let link = directory.directory.file("x.so")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      return link
    }
    #expect(diagnosis.code == .unreadable)
    #expect(diagnosis.problem == problem)
    #expect(diagnosis.remedy.hasPrefix("remove the link"))
  }

  @Test("A link to a plugin is a plugin")
  func link() throws {
    let directory = try PluginDirectory()
    let elsewhere = try PluginDirectory()
    let link = directory.directory.file("x.so")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: try elsewhere.add("healthy/empty.c"))
    #expect(directory.examine().map(\.outcome.diagnosis) == [nil])
  }

  @Test("A named pipe, a socket and a device with the name of a plugin are rejected without waiting")
  func specialFiles() throws {
    for kind in [S_IFIFO, S_IFSOCK] {
      let diagnosis = try Self.diagnosis { directory in
        let path = directory.directory.file("x.so")
        #expect(mknod(path, kind | 0o644, 0) == 0)
        return path
      }
      #expect(diagnosis.code == .unreadable)
    }
    let diagnosis = try Self.diagnosis { directory in
      let path = directory.directory.file("x.so")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
      return path
    }
    #expect(diagnosis.code == .unreadable)
  }

  @Test("A file without read permission is rejected")
  func unreadable() throws {
    let diagnosis = try Self.diagnosis { directory in
      let path = try directory.add("healthy/empty.c", as: "x")
      try setMode(0, of: path)
      return path
    } examine: { directory in
      // Root may read every file, so the thread gives up that right here.
      try FileAccess.asNobody { directory.examine() }
    }
    #expect(diagnosis.code == .unreadable)
    #expect(diagnosis.problem == "may not be read")
    // The process itself may read it.
    #expect(diagnosis.remedy == "name a file that you may read")
  }
}

/// Changes the rights with which a thread opens files.
enum FileAccess {
  /// Runs a closure while the calling thread, if it is root's, opens files as the user 65534. It calls setfsuid(2), which
  /// affects one thread only and which Swift's Glibc module does not import.
  static func asNobody<Result>(_ body: () throws -> Result) throws -> Result {
    guard geteuid() == 0 else { return try body() }
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setfsuid = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
    _ = setfsuid(65534)
    defer { _ = setfsuid(0) }
    return try body()
  }
}
