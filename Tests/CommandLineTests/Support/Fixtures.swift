import Foundation
import TestSupport

extension TemporaryDirectory {
  /// Compiles a Swift plugin of `Tests/Fixtures`, such as `healthy/upper`, into this directory.
  @discardableResult
  func add(_ fixture: String) throws -> String {
    try Repo.compile([Repo.fixture(fixture + ".swift")], to: file(fixture.split(separator: "/").joined(separator: "-") + ".so"))
  }

  /// Compiles a C plugin of `Fixtures` into this directory.
  ///
  /// - Parameter macros: The values of macros of the fixture, as C spells them.
  @discardableResult
  func add(fixture: String, as name: String, _ macros: [String: String] = [:]) throws -> String {
    let options = macros.sorted { $0.key < $1.key }.map { "-D\($0.key)=\($0.value)" }
    return try Repo.compile([Repo.fixture(fixture)], to: file(name + ".so"), options: options)
  }

  /// Compiles a C plugin from its text into this directory, without the source.
  @discardableResult
  func add(c source: String, as name: String) throws -> String {
    let sources = try TemporaryDirectory()
    return try Repo.compile([try sources.write(name + ".c", source.utf8)], to: file(name + ".so"))
  }

  /// Copies a file into this directory and replaces every occurrence of some bytes by as many others.
  @discardableResult
  func add(_ path: String, replacing old: String, with new: String) throws -> String {
    var bytes = try Data(contentsOf: URL(filePath: path))
    while let range = bytes.range(of: Data(old.utf8)) { bytes.replaceSubrange(range, with: Data(new.utf8)) }
    return try write(URL(filePath: path).lastPathComponent, bytes)
  }
}
