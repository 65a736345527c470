internal import TroupeBase

/// The checks of an adoption file and of the library that it adopts.
extension Admission {
  mutating func examineAdoption(_ candidate: FoundFile, _ outcome: inout Outcome) throws {
    let path = candidate.path
    let (file, resolved) = try openTrusted(candidate)
    outcome.adoptionFile = file.stamp
    let text = try content(path, file)
    let lines = JSONLines(text)
    do {
      let adoption = try AdoptionFile(text)
      // The library of a faulty file has to be known as well, so that it is not listed as a plugin.
      let directory = Path.directory(of: resolved)
      outcome.adoptedLibrary = adoption.library.map {
        AdoptedLibrarySearch.path($0.text, from: directory) ?? "\(directory)/\($0.text)"
      }
      outcome.manifest = adoption.manifest
      if let fault = Diagnosis(adoption.errors, of: path, in: lines) { throw fault }
      guard let manifest = adoption.manifest, let library = adoption.library else { return }
      try examine(library, of: path, id: manifest.id, directory: directory, lines, &outcome)
      try checkPin(path, manifest.id, MemoryBytes(text))
      guard rules.configuration[manifest.id]?.isEmpty ?? true else {
        throw Diagnosis(
          .invalidSetting, path, problem: "is configured, and an adopted library reads no configuration",
          remedy: "remove the configuration of \(manifest.id)")
      }
      outcome.adopted = AdoptedFunctions(
        functions: adoption.functions, isStrict: adoption.isStrict,
        refusals: adoption.refusals.compactMap { name, errors in
          Diagnosis(errors.map { (nil, $0) }, of: AdoptedFunction.subject(name), in: lines)
        })
      var contracts: Set<String> = []
      outcome.manifest = manifest.providing(
        adoption.functions.compactMap(\.declaration.contract).filter { contracts.insert($0).inserted })
    } catch let error as JSONError {
      throw Diagnosis(.invalidManifest, path, problem: error.sentence(in: lines), remedy: error.remedy)
    }
  }

  private func content(_ path: String, _ file: RegularFile) throws -> [UInt8] {
    guard file.bytes.count <= AdoptionFile.maximumSize else {
      throw Diagnosis(
        .tooLarge, path, problem: "has \(file.bytes.count) bytes, and \(AdoptionFile.maximumSize) are allowed",
        remedy: "divide it among several files")
    }
    return try file.content(path)
  }

  /// Finds and examines the library. Skips files for other machines, as the loader does.
  private mutating func examine(
    _ library: JSONObject.Text, of path: String, id: String, directory: String, _ lines: JSONLines, _ outcome: inout Outcome
  ) throws {
    let files: [String]
    do {
      files = try search.files(library.text, from: directory)
      outcome.adoptedLibrary = files.first
    } catch {
      throw fault(path, library, lines, error)
    }
    var others: [Diagnosis] = []
    for file in files {
      do {
        let elf = try openLibrary(.path(file), &outcome)
        try checkMemory(file, elf)
        outcome.holdsSwift = try checkLinking(file, elf, manifest: nil)
        try checkPin(file, id, elf.bytes, plugin: path)
        outcome.adoptedLibrary = file
        return
      } catch let fault as Diagnosis where fault.code == .wrongMachine || fault.code == .notALibrary {
        others.append(fault)
      } catch let fault as Diagnosis {
        throw self.fault(path, library, lines, fault)
      } catch {
        throw fault(path, library, lines, Diagnosis(.notALibrary, file, problem: "\(error)"))
      }
    }
    if let fault = others.first { throw self.fault(path, library, lines, fault) }
  }

  /// Converts the diagnosis of a library to that of the adoption file. A diagnosis without a subject is about the library's name. Only a name
  /// that leads to no library is an error in the text: the permissions, the machine or the pins of a library are not.
  private func fault(_ path: String, _ library: JSONObject.Text, _ lines: JSONLines, _ cause: Diagnosis) -> Diagnosis {
    let isWrongName = [.notALibrary, .unreadable].contains(cause.code) && AccessDenial(cause.subject) == nil
    guard isWrongName || cause.subject.isEmpty else {
      return Diagnosis(cause.code, path, problem: "adopts \(cause.subject), which \(cause.problem)", remedy: cause.remedy)
    }
    let remedy =
      switch cause.code {
      // The remedies for a plugin's own file, such as removing it, do not apply to a library of another vendor.
      case .notALibrary, .unreadable: "name a shared library for \(Machine.current), such as \"libz.so.1\""
      default: cause.remedy
      }
    let problem = cause.subject.isEmpty ? cause.problem : "is \(cause.subject), which \(cause.problem)"
    let fault = JSONError(library.location, "\(library.text.shown) \(problem)", remedy: remedy)
    return Diagnosis(cause.code, path, problem: fault.sentence(in: lines), remedy: remedy)
  }
}

extension Diagnosis {
  /// Combines the errors of an adoption file or of one function in it. The names of the functions are shown if there are several errors.
  fileprivate init?(_ errors: [(name: String?, error: JSONError)], of subject: String, in lines: JSONLines) {
    let all = errors.prefix(Self.combinedCount).enumerated().map { index, item in
      let name = errors.count > 1 ? item.name : nil
      let problem = index == 0 ? item.error.sentence(in: lines, of: name) : item.error.location(in: lines, of: name)
      return Diagnosis(.invalidManifest, subject, problem: problem, remedy: item.error.remedy)
    }
    guard let combined = Diagnosis.combining(all, of: errors.count) else { return nil }
    self = combined
  }
}
