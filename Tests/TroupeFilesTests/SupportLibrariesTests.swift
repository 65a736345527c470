import TestSupport
import Testing
import TroupeFiles

@Suite("Libraries beside plugins that plugins link")
struct SupportLibrariesTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  /// Builds a library without a manifest, which links others in the directory.
  private func library(_ name: String, soname: String? = nil, linking others: String...) throws {
    let options =
      ["-Wl,--no-as-needed", "-L", directory.path] + others.map { "-l:\($0)" } + (soname.map { ["-Wl,-soname,\($0)"] } ?? [])
    try directory.add("healthy/beside-library.c", as: name, options: options)
  }

  @Test("A library that a plugin links by file name or SONAME, directly or indirectly, is not listed")
  func linked() throws {
    try library("libdeep")
    try library("libnear", soname: "libnear.so.1", linking: "libdeep.so")
    try directory.add(
      "healthy/empty.c", as: "plugin", options: ["-Wl,--no-as-needed", "-L", directory.path, "-l:libnear.so"])
    #expect(directory.examine().map { Path.lastComponent(of: $0.path) } == ["plugin.so"])
  }

  @Test("A library is rejected if no plugin in its directory links it, even if other libraries or directories do")
  func unlinked() throws {
    try library("libalone")
    try library("libuser", linking: "libalone.so")
    let elsewhere = try PluginDirectory()
    try elsewhere.add(
      "healthy/empty.c", as: "plugin", options: ["-Wl,--no-as-needed", "-L", directory.path, "-l:libalone.so"])
    let files = PluginDirectory.examine([directory.path, elsewhere.path])
    #expect(files.map { Path.lastComponent(of: $0.path) } == ["libalone.so", "libuser.so", "plugin.so"])
    #expect(files.map { $0.outcome.diagnosis == nil } == [false, false, true])
  }

  @Test("A library that an adopted library links is not listed")
  func adopted() throws {
    try library("libdeep")
    try directory.add(
      "healthy/box-library.c", as: "libbox", options: ["-Wl,--no-as-needed", "-L", directory.path, "-l:libdeep.so"])
    try directory.write("boxes.troupe.json", Self.adoption.utf8)
    #expect(directory.examine().count == 1)
  }

  private static let adoption = #"""
    {"id": "org.example.boxes", "name": "Boxes", "version": "1.2.3", "library": "./libbox.so", "functions": [
      {"uuid": "5a3b1e00-0000-4000-8000-000000000001", "name": "live", "symbol": "box_live", "signature": "int32_t (void)"}]}
    """#
}
