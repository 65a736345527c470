internal import Glibc
internal import TroupeBase

/// The checks of a file itself: its size, who can change it, and what kind of file it is.
extension Admission {
  /// Opens a library and checks its size, permissions, path and machine, but not its manifest.
  mutating func openLibrary(_ candidate: FoundFile, _ outcome: inout Outcome) throws -> ELFFile {
    let path = candidate.path
    let (file, resolved) = try openTrusted(candidate)
    outcome.library = (resolved, file.stamp)
    guard strchr(resolved, CInt(UInt8(ascii: "$"))) == nil else {
      throw Diagnosis(
        .unreadable, path, problem: "has a $ in its path, which the loader would expand",
        remedy: "rename the file or the directory")
    }
    return try read(path, file)
  }

  /// Opens a file that only root and the user can change.
  ///
  /// - Returns: The file and its absolute path without links.
  func openTrusted(_ candidate: FoundFile) throws -> (file: RegularFile, resolved: String) {
    let path = candidate.path
    do {
      var exposure: TrustedPath.Exposure?
      if case .entry(let entry, let directory) = candidate {
        if let file = try RegularFile(entry, in: directory.listing, memory: memory) {
          try checkSizeAndTrust(path, file, directory.exposure, trustsUnknownOwners: directory.trustsUnknownOwners)
          return (file, directory.isResolved ? path : directory.resolved + entry.name)
        }
        exposure = directory.exposure
      }
      let location = try trust.locate(path)
      let file = try RegularFile(location, path: path, memory: memory)
      try checkSizeAndTrust(path, file, location.exposure ?? exposure, trustsUnknownOwners: location.trustsUnknownOwners)
      return (file, location.path)
    } catch let error as SystemError {
      throw RegularFile.unreadable(path, code: error.code)
    }
  }

  /// - Parameter exposure: The exposure of the path.
  private func checkSizeAndTrust(
    _ path: String, _ file: RegularFile, _ exposure: TrustedPath.Exposure?, trustsUnknownOwners: Bool
  ) throws(Diagnosis) {
    guard file.bytes.count <= UInt64(clamping: rules.maximumFileSize) else {
      throw Diagnosis(
        .tooLarge, path, problem: "has \(file.bytes.count) bytes, and \(rules.maximumFileSize) are allowed",
        remedy: "make it smaller, or raise the limit with --max-file-size or Options.maximumFileSize")
    }
    try trust.check(file.bytes.descriptor, file.status, path, exposure, trustsUnknownOwners: trustsUnknownOwners)
  }

  /// Reads the headers of a library for this machine.
  func read(_ path: String, _ file: RegularFile) throws -> ELFFile {
    do {
      let elf = try ELFFile(file.bytes)
      let machine = Machine(number: elf.machine)
      guard machine == .current else {
        throw Diagnosis(
          .wrongMachine, path, problem: "is for \(machine), and this host runs on \(Machine.current)",
          remedy: "install the build for \(Machine.current)")
      }
      if try elf.hasOnlyDebugInformation() {
        throw Diagnosis(
          .notALibrary, path, problem: "has only the debug information of a library, without its code",
          remedy:
            "rename it to \(Path.lastComponent(of: path).dropLast(path.hasSuffix(".so") ? 3 : 0)).debug, where debuggers find it, since hosts read each file whose name ends in .so"
        )
      }
      if try elf.isExecutable() {
        throw Diagnosis(
          .notALibrary, path, problem: "is an executable, not a shared library",
          remedy: "build it with the options of troupe flags --c or troupe flags --plugin")
      }
      return elf
    } catch let error as ReadError {
      throw Diagnosis(
        .notALibrary, path, problem: error.description,
        remedy: path.hasSuffix(".so")
          ? "build a shared library for \(Machine.current), or remove the file"
          : "name the shared library that is built from it, whose name ends in .so")
    }
  }

  /// Rejects a library that would make memory writable and executable at once.
  func checkMemory(_ path: String, _ elf: ELFFile) throws {
    let (problem, remedy): (String, String)
    switch try elf.writableCode(checksRelocations: rules.checksRelocations) {
    case nil: return
    case .executableStack:
      (problem, remedy) = ("would make the stack executable", "rebuild it with -Wl,-z,noexecstack")
    case .writableSegment:
      (problem, remedy) = ("has a segment that is writable and executable", "rebuild it without -Wl,-z,rwx or --omagic")
    case .textRelocations:
      (problem, remedy) = ("has relocations in its code", "rebuild it with -fPIC and without -Wl,-z,notext")
    }
    throw Diagnosis(.writableCode, path, problem: problem, remedy: remedy)
  }
}
