internal import TroupeFiles
internal import TroupeHost

/// The plugin's file and its manifest.
extension Checks {
  /// The checks of the rules by which a host admits a file. Loading needs all of them.
  static let admission = [
    "file-trust", "file-machine", "file-manifest", "file-abi", "file-compiler", "file-own-types", "file-writable-code",
    "file-executable-stack", "file-text-relocations", "file-entry", "file-missing-libraries", "file-undefined-symbols",
    "file-requirements",
  ]

  /// The codes that a check of their own reports.
  private static let reported: [Diagnosis.Code] = [
    .untrusted, .wrongMachine, .incompatibleABI, .incompatibleCompiler, .duplicatesHostTypes, .writableCode,
  ]

  static let file: [Check] = [
    admitting("file-trust", .untrusted, "Only root and the user can change the file and its path."),
    Check("file-size", level: 1, severity: .warning, "The file has at most 32 MiB.") { subject in
      let size = Int(try RegularFile(path: subject.path).bytes.count)
      return .expect(
        size <= maximumSize, "has \(size >> 20) MiB, which each host reads and hashes",
        remedy: "remove debug information with strip, or load large data from a file of its own")
    },
    admitting("file-machine", .wrongMachine, "The library is for this machine."),
    Check("file-manifest", level: 1, "The manifest can be read.") { subject in
      guard let diagnosis = subject.admission.diagnosis, !reported.contains(diagnosis.code) else { return .passed }
      return .problem(diagnosis.problem, remedy: diagnosis.remedy)
    },
    Check("file-refusals", level: 1, needs: ["file-manifest"], "A file that adopts a library has no faulty function.") {
      subject in
      guard let adopted = subject.admission.adopted else { throw NotApplicable("it is a library of its own") }
      guard let first = adopted.refusals.first else { return .passed }
      let more = adopted.refusals.count > 1 ? " (and \(adopted.refusals.count - 1) more)" : ""
      return .problem("has a faulty function: \(first.statement)\(more)", remedy: first.remedy)
    },
    Check("file-version", level: 1, severity: .warning, needs: ["file-manifest"], "The version is above 0.0.0.") { subject in
      .expect(
        subject.manifest.map { "\($0.version)" != "0.0.0" } ?? true,
        "has the version 0.0.0, of which no other plugin can require a newer one", remedy: "begin with 0.1.0 or 1.0.0")
    },
    Check("file-name", level: 1, severity: .warning, needs: ["file-manifest"], "The display name is not the id.") { subject in
      .expect(
        subject.manifest.map { $0.name != $0.id } ?? true, "has its id as its display name",
        remedy: "give it a name for people, such as \"Geometry\"")
    },
    admitting("file-abi", .incompatibleABI, "This host has the version of the ABI."),
    Check("file-compiler", level: 1, "A plugin in Swift is built for this host's version of Swift and interface.") { subject in
      guard subject.manifest?.language == "swift", !subject.isAdoption else { throw NotApplicable("it is no plugin in Swift") }
      return admitted(subject, .incompatibleCompiler)
    },
    Check("file-own-types", level: 1, "The library has no copy of Troupe's types.") { subject in
      let manifest = subject.manifest?.language == "swift" ? subject.manifest : nil
      _ = try Admission().checkLinking(subject.path, subject.library(), manifest: manifest)
      return .passed
    },
    Check("file-requirements", level: 1, needs: ["file-manifest"], "The plugins and contracts that it requires are there.") {
      subject in
      guard let manifest = subject.manifest, !manifest.requires.isEmpty else {
        throw NotApplicable("it requires no other plugin")
      }
      let host = subject.makeHost(subject.request.required + [subject.path])
      let diagnosis = host.discover().first { $0.path == subject.path }?.state.diagnosis
      guard let diagnosis, diagnosis.code == .unmetRequirement else { return .passed }
      return .problem(diagnosis.problem, remedy: "name the directory of the required plugins with --plugins")
    },
    Check("file-executable-stack", level: 1, "The stack is not executable.") { subject in
      try memory(subject, .executableStack, "would make the stack executable", remedy: "rebuild it with -Wl,-z,noexecstack")
    },
    Check("file-writable-code", level: 1, "No segment is writable and executable.") { subject in
      try memory(
        subject, .writableSegment, "has a segment that is writable and executable",
        remedy: "put code and data into sections of their own, and link without --omagic")
    },
    Check("file-text-relocations", level: 1, "The code has no relocations.") { subject in
      try memory(
        subject, .textRelocations, "has relocations in its code", remedy: "rebuild it with -fPIC and without -Wl,-z,notext")
    },
  ]

  private static let maximumSize = 32 << 20

  private static func admitting(_ name: String, _ code: Diagnosis.Code, _ summary: String) -> Check {
    Check(name, level: 1, summary) { admitted($0, code) }
  }

  private static func admitted(_ subject: CheckedFile, _ code: Diagnosis.Code) -> CheckResult {
    guard let diagnosis = subject.admission.diagnosis, diagnosis.code == code else { return .passed }
    return .problem(diagnosis.problem, remedy: diagnosis.remedy)
  }

  private static func memory(
    _ subject: CheckedFile, _ code: ELFFile.WritableCode, _ problem: String, remedy: String
  ) throws -> CheckResult {
    .expect(try subject.library().writableCode(checksRelocations: true) != code, problem, remedy: remedy)
  }
}
