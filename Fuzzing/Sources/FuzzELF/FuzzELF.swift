import Glibc

@testable import TroupeBase
@testable import TroupeFiles
@testable import TroupeManifest
@testable import TroupeSandbox

/// Any bytes as a file: its headers, its sections, what it says to the loader and needs from other libraries, its symbols, the marks
/// of its interfaces, its notes, and the manifest in it. Nothing may trap, whether the bytes are in memory or in a file, and both give
/// the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let inMemory = Findings(MemoryBytes(bytes))
  let descriptor = fcntl(file, F_DUPFD_CLOEXEC, 0)
  require(descriptor >= 0 && ftruncate(file, off_t(count)) == 0, "the file takes its size")
  require(pwrite(file, bytes, count, 0) == count, "the file takes the bytes")
  require(
    Findings(FileBytes(FileDescriptor(owning: descriptor), size: UInt64(count))) == inMemory, "a file gives what memory gives")
  return 0
}

/// The facts about a file, each read by itself, or the problem.
private struct Findings: Equatable {
  var machine: UInt16?
  var segments = 0
  var sections: [String] = []
  var holdsSwift: Bool?
  /// DT_NEEDED, DT_SONAME and the run paths.
  var loader: [String]?
  var hasEntry: Bool?
  var needs: Needs?
  var buildID: [UInt8]?
  var writableCode: ELFFile.WritableCode?
  var symbols: [String] = []
  var note: [UInt8]?
  var faults: [String] = []

  init(_ source: any ByteSource) {
    guard let file = look("headers", { () throws(ReadError) in try ELFFile(source) }) else { return }
    machine = file.machine
    segments = file.segmentCount
    sections = look("sections") { () throws(ReadError) in try file.sections().map(\.name) } ?? []
    holdsSwift = look("Swift") { () throws(ReadError) in try file.holdsSwift() }
    if let dynamic = look("dynamic section", { () throws(ReadError) in try file.dynamicSection() }) ?? nil {
      loader = dynamic.needed + [dynamic.soname, dynamic.runPath, dynamic.rpath].map { $0 ?? "-" }
      hasEntry = look("entry") { () throws(ReadError) in try file.defines("troupe_plugin_main", dynamic) }
      needs = Needs(file, dynamic, &self)
    }
    buildID = look("build ID") { () throws(ReadError) in try file.buildID() } ?? nil
    writableCode = look("memory") { () throws(ReadError) in try file.writableCode(checksRelocations: true) } ?? nil
    for address: UInt64 in [0, 0x300, .max] {
      guard let symbol = look("symbols", { () throws(ReadError) in try file.symbol(at: address) }) ?? nil else { continue }
      require(symbol.offset <= address, "a symbol begins before what lies in it")
      symbols.append("\(symbol.name)+\(symbol.offset)")
    }
    note = look("note") { () throws(ReadError) in try file.manifestNote() } ?? nil
    if let holdsSwift {
      require(holdsSwift == sections.contains { $0.utf8.starts(with: "swift5_".utf8) }, "the sections tell of Swift")
    }
    require(sections.allSatisfy { $0.utf8.count <= 3 * 256 }, "a section's name is short")
    guard let note else { return }
    require(note.count <= 64 * 1024, "a manifest is short")
    do {
      _ = try Manifest(json: note)
    } catch {
      faults.append("manifest: \(error)")
    }
  }

  /// Returns nil and adds a problem if the reader throws.
  fileprivate mutating func look<Found>(_ what: String, _ read: () throws(ReadError) -> Found) -> Found? {
    do {
      return try read()
    } catch {
      require(!error.description.isEmpty && !error.description.utf8.contains(UInt8(ascii: "\n")), "a fault is one line")
      faults.append("\(what): \(error)")
      return nil
    }
  }
}

/// The facts that the host compares between a plugin, its libraries and the program before the loader opens the plugin.
private struct Needs: Equatable {
  var imports: [ELFFile.Import] = []
  /// Those of the imports that relocations refer to.
  var relocated: [ELFFile.Import] = []
  var versionNeeds: [ELFFile.VersionNeed] = []
  var versionDefinitions: [String] = []
  var exports: [ELFFile.DynamicSymbol] = []
  var layouts: Set<LayoutMark>?
  var isResilient: Bool?
  var implemented: Set<String> = []
  var unimplemented: [String] = []

  init(_ file: ELFFile, _ dynamic: DynamicSection, _ findings: inout Findings) {
    imports = findings.look("imports") { () throws(ReadError) in try file.imports(dynamic) } ?? []
    let imports = imports
    relocated = findings.look("relocations") { () throws(ReadError) in try file.relocated(imports, dynamic) } ?? []
    versionNeeds = findings.look("needed versions") { () throws(ReadError) in try file.versionNeeds(dynamic) } ?? []
    versionDefinitions = findings.look("versions") { () throws(ReadError) in try file.versionDefinitions(dynamic) } ?? []
    exports = findings.look("exports") { () throws(ReadError) in try file.dynamicSymbols(dynamic) } ?? []
    let marks = findings.look("marks") { () throws(ReadError) in try file.interfaceMarks(dynamic) } ?? nil
    (layouts, isResilient) = (marks?.layouts, marks?.isResilient)
    let implemented = findings.look("conformances") { () throws(ReadError) in try file.implementedDescriptors(imports, dynamic)
    }
    self.implemented = implemented ?? []
    // The file as its own client, which implements its protocols.
    let names = imports.map(\.name) + exports.map(\.name)
    unimplemented =
      findings.look("requirements") { () throws(ReadError) in try file.unimplementedRequirements(of: names, dynamic) } ?? []
    for name in names { require(DeclarationName(of: name).description.count <= 256, "a declaration's name is short") }
    require(relocated.count <= imports.count, "the loader looks up what the file needs")
    require(unimplemented.allSatisfy { !names.contains($0) }, "what is named is not implemented")
  }
}

/// A file without a name that takes the bytes of one run after the other.
private let file: CInt = {
  guard let stream = tmpfile() else { fatalError("no temporary file") }
  return fileno(stream)
}()

/// Ends the process with a message, also in a release build.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}
