internal import TroupeBase

/// The checks of an adoption file, which declares functions of a C library as JSON, and of the library that it names.
extension Admission {
  /// Sets the members of the outcome as soon as they are known, also for a file that is then rejected: its stamp, its manifest, and the path
  /// of the library, so that the library of a faulty adoption file is not listed as a plugin.
  mutating func examineAdoption(_ candidate: FoundFile, _ outcome: inout Outcome) throws {
    let path = candidate.path
    let (file, resolved) = try openTrusted(candidate)
    outcome.adoptionFile = file.stamp
    let text = try content(path, file)
    let lines = JSONLines(text)
    do {
      let adoption = try AdoptionFile(text)
      let directory = Path.directory(of: resolved)
      outcome.adoptedLibrary = adoption.library.map {
        AdoptedLibrarySearch.path($0.text, from: directory) ?? "\(directory)/\($0.text)"
      }
      outcome.manifest = adoption.manifest
      if let diagnosis = Diagnosis(adoption.errors, of: path, in: lines) { throw diagnosis }
      // Without errors there are both.
      guard var manifest = adoption.manifest, let library = adoption.library else { return }
      try examine(library, of: path, id: manifest.id, directory: directory, lines, &outcome)
      if outcome.holdsSwift == true { manifest = manifest.adoptingSwift() }
      outcome.manifest = manifest
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
        }, start: adoption.start, stop: adoption.stop)
      // An adoption file does not list contracts: it provides those of its factories, each once.
      var contracts: Set<String> = []
      outcome.manifest = manifest.providing(
        adoption.functions.compactMap(\.description.contract).filter { contracts.insert($0).inserted })
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

  /// Finds and examines the library. Skips files for other machines, as the loader does. If it skips all, the error is that of
  /// the first.
  private mutating func examine(
    _ library: JSONObject.Text, of path: String, id: String, directory: String, _ lines: JSONLines, _ outcome: inout Outcome
  ) throws {
    let files: [String]
    do {
      files = try search.files(library.text, from: directory)
      outcome.adoptedLibrary = files.first
    } catch {
      throw diagnosis(of: path, library, lines, cause: error)
    }
    var skipped: [Diagnosis] = []
    for libraryPath in files {
      do {
        let elf = try openLibrary(.path(libraryPath), &outcome)
        try checkMemory(libraryPath, elf)
        outcome.holdsSwift = try checkLinking(libraryPath, elf, manifest: nil)
        try checkPin(libraryPath, id, elf.bytes, plugin: path)
        outcome.adoptedLibrary = libraryPath
        return
      } catch let cause as Diagnosis where cause.code == .wrongMachine || cause.code == .notALibrary {
        skipped.append(cause)
      } catch let cause as Diagnosis {
        throw diagnosis(of: path, library, lines, cause: cause)
      } catch {
        throw diagnosis(of: path, library, lines, cause: Diagnosis(.notALibrary, libraryPath, problem: "\(error)"))
      }
    }
    if let cause = skipped.first { throw diagnosis(of: path, library, lines, cause: cause) }
  }

  /// Converts the diagnosis of a library to that of the adoption file.
  ///
  ///     name that leads to no library              error in the text, with its line; the file must name another
  ///     diagnosis without a subject                error in the text, with its line: it is about the name
  ///     permissions, machine or pins of a library  "adopts PATH, which …"
  private func diagnosis(
    of path: String, _ library: JSONObject.Text, _ lines: JSONLines, cause: Diagnosis
  ) -> Diagnosis {
    // A file that exists and may not be read has the right name.
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
    let error = JSONError(library.location, "\(library.text.shown) \(problem)", remedy: remedy)
    return Diagnosis(cause.code, path, problem: error.sentence(in: lines), remedy: remedy)
  }
}

extension Diagnosis {
  /// Combines the errors of an adoption file or of one function in it: the first as a sentence, the others as locations. The names of the
  /// functions are shown if there are several errors. Returns nil for no errors.
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
