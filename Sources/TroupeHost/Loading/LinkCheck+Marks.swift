internal import TroupeFiles
internal import TroupeSandbox

/// The comparison of layouts, by the marks of libraries without library evolution.
///
///     plugin, its libraries: marks of imports and of versions ─── marks that the libraries export
///     program, its libraries: the same                        ─── marks that the libraries export
///
/// A mark is compared only with one of the same module. An image without a mark of a module that it uses was built before the module had
/// one.
extension LinkCheck {
  /// Throws if the image was built against another layout of a library.
  func checkMarks(of image: Image, _ libraries: [(Library, InterfaceMarks?)]) throws(Diagnosis) {
    for mark in image.marks.sorted() {
      guard !libraries.contains(where: { $0.0.defines(mark, $0.1) }) else { continue }
      let library = libraries.first { library, marks in
        library.name.utf8.starts(with: "lib\(mark.module).so".utf8)
          || marks?.layouts.contains { $0.module == mark.module } == true
      }
      // A program may contain the module.
      guard let (library, marks) = library else { continue }
      throw Self.mismatch(
        "was built against \(mark), and \(library.path)", mark.module, marks, remedy(for: image, against: library.path))
    }
    for (library, marks) in libraries where image.dynamic.needed.contains(library.name) {
      for mark in (marks?.layouts ?? []).sorted() where !image.marks.contains(where: { $0.module == mark.module }) {
        guard image.imports.contains(where: { DeclarationName(of: $0.name).module == mark.module }) else { continue }
        throw Self.mismatch(
          "was built against \(mark.module) without a mark of its layout, and \(library.path)", mark.module, marks,
          remedy(for: image, against: library.path))
      }
    }
  }

  private static func mismatch(_ start: String, _ module: String, _ marks: InterfaceMarks?, _ remedy: String) -> Diagnosis {
    let found =
      if let mark = marks?.layouts.filter({ $0.module == module }).min() {
        "is \(mark)"
      } else if let marks {
        marks.isResilient ? "is built with library evolution" : "has no mark of its layout"
      } else {
        "has another layout"
      }
    return Diagnosis(.incompatibleCompiler, problem: "\(start) \(found)", remedy: remedy)
  }

  /// The program and its own libraries run already. A plugin must not make them use a library that they were not compiled against.
  func checkProgram(_ libraries: [(Library, InterfaceMarks?)]) throws(Diagnosis) {
    for (library, marks) in libraries {
      for mark in (marks?.layouts ?? []).sorted() {
        for client in Self.imagesOfProgram {
          guard let other = client.marks.first(where: { $0.module == mark.module && $0 != mark }) else { continue }
          throw Diagnosis(
            .incompatibleCompiler,
            problem: "needs \(library.path), which is \(mark), and \(client.file) was built against \(other)",
            remedy: "rebuild \(client.file) against the installed \(library.path)")
        }
      }
    }
  }
}
