internal import FoundationEssentials
package import TroupeHost
internal import TroupeManifest
package import TroupeTools

/// The names of a new plugin or interface library, which replace the placeholders of a template.
package struct ProjectNames {
  /// The id, such as `org.example.word-count`, or the name of an interface library's module.
  package let id: String
  /// The name of a Swift module, such as `OrgExampleWordCountPlugin`. That of a plugin contains the whole id, since two Swift plugins in one
  /// process must not have modules of the same name. The last word keeps it apart from the package's other modules and from those of the
  /// system, such as `FoundationEssentials`.
  package let module: String

  /// The largest length of an id in bytes: names of files in builds contain the id.
  package static let maximumLength = 200

  /// Checks an id. Throws a `Diagnosis` if no plugin can have it.
  package init(id: String) throws(Diagnosis) {
    let problem =
      PluginIdentifier.problem(in: id)
      ?? (id.utf8.count > Self.maximumLength
        ? "is longer than \(Self.maximumLength) bytes, too long for the files of a build" : nil)
    if let problem {
      throw Diagnosis(
        .usage, id.shortened(), problem: problem, remedy: "write letters, digits and hyphens, as in org.example.word-count")
    }
    self.id = id
    module = id.split { ".-_".contains($0) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Plugin"
  }

  /// The names of an interface library, all of which are its module's.
  package init(interface library: InterfaceLibrary) { (id, module) = (library.module, library.module) }

  /// The last part of the id, such as `word-count`: the name of the directory, of the plugin's file, and its tag.
  package var name: String { id.split(separator: ".").last.map(String.init) ?? id }

  /// The name for people, such as `Word count`. A name without letters and digits has none but the id.
  package var title: String {
    let words = name.split { "-_".contains($0) }.joined(separator: " ")
    return words.isEmpty ? id : words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The name for build tools, such as `org_example_word_count`.
  package var identifier: String { id.lowercased().split { ".-".contains($0) }.joined(separator: "_") }

  /// The text with its placeholders replaced. `@UUID1@` to `@UUID9@` are new UUIDs.
  func filled(_ text: String, _ uuids: [String]) -> String {
    var text = text
    let names = ["ID": id, "NAME": name, "TITLE": title, "MODULE": module, "IDENTIFIER": identifier]
    for (placeholder, value) in names { text = text.replacing("@\(placeholder)@", with: value) }
    for (index, uuid) in uuids.enumerated() { text = text.replacing("@UUID\(index + 1)@", with: uuid) }
    return text
  }

  /// New UUIDs for the placeholders of a project.
  static func makeUUIDs() -> [String] { (0..<9).map { _ in UUID().uuidString.lowercased() } }
}
