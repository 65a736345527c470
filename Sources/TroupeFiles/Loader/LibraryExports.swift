internal import TroupeBase

/// The functions and variables that a C library exports, and the name by which an adoption file finds it. `troupe adopt` writes that file from them.
package struct LibraryExports {
  package let path: String
  /// The soname, or the name of the file if the library has none.
  package let name: String
  /// The soname if the loader finds this file by it, and else the absolute path.
  package let location: String
  package let functions: Set<String>
  package let variables: Set<String>

  /// Reads a library without opening it with the loader.
  ///
  /// - Parameter library: A path, or a name such as `libz.so.1`, which is searched as for an adoption file.
  /// - Throws: `.unreadable` if there is no such file, `.notALibrary`, or `.wrongMachine`.
  package init(of library: String) throws(Diagnosis) {
    let search = AdoptedLibrarySearch()
    let files: [String]
    do {
      files = try search.files(library, from: ".")
    } catch {
      throw Diagnosis(.unreadable, library, problem: error.problem, remedy: error.remedy)
    }
    // The loader skips files for other machines.
    var diagnosis: Diagnosis?
    for file in files {
      do throws(Diagnosis) {
        let (soname, symbols) = try Self.read(file)
        path = file
        name = soname ?? Path.lastComponent(of: file)
        functions = Set(symbols.lazy.filter(\.isExportedFunction).map(\.name))
        variables = Set(symbols.lazy.filter(\.isExportedData).map(\.name))
        let isFound = (try? search.files(name, from: ".").first).map { Path.resolved($0) == Path.resolved(file) } ?? false
        location = isFound ? name : Path.resolved(file) ?? file
        return
      } catch {
        diagnosis = diagnosis ?? error
      }
    }
    throw diagnosis ?? Diagnosis(.unreadable, library, problem: "does not exist", remedy: "correct the path")
  }

  private static func read(_ path: String) throws(Diagnosis) -> (soname: String?, symbols: [ELFFile.DynamicSymbol]) {
    let file = try RegularFile(path: path)
    let machine: Machine
    let content: (soname: String?, symbols: [ELFFile.DynamicSymbol])
    do throws(ReadError) {
      let elf = try ELFFile(file.bytes)
      machine = Machine(number: elf.machine)
      guard let dynamic = try elf.dynamicSection() else { throw ReadError("has no dynamic section") }
      content = (dynamic.soname, try elf.dynamicSymbols(dynamic))
    } catch {
      throw Diagnosis(.notALibrary, path, problem: error.description, remedy: "name a shared library, such as libz.so.1")
    }
    guard machine == .current else {
      throw Diagnosis(
        .wrongMachine, path, problem: "is for \(machine), and this host runs on \(Machine.current)",
        remedy: "name the library for \(Machine.current)")
    }
    return content
  }
}
