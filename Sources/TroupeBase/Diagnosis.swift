internal import Glibc

/// What is wrong, and what to do about it. All of Troupe reports problems as diagnoses.
///
/// A diagnosis is a sentence in parts: `subject: problem; remedy`. The problem states the expectation and the finding, the remedy is an
/// imperative or a command that works for the person who reads it:
///
///     plugins/chart.so: requires ABI 2.0, this host has 1.2; build it against this host's troupe.h
///     ╰─ subject ────╯  ╰─ problem ───────────────────────╯  ╰─ remedy ──────────────────────────╯
///
/// The code says the same for programs:
///
/// ```swift
/// for plugin in host.discover() {
///   guard let diagnosis = plugin.state.diagnosis else { continue }
///   print(diagnosis.code, diagnosis.subject, diagnosis.problem, diagnosis.remedy, separator: " | ")
/// }
/// ```
///
/// The code is stable: exit statuses, statuses for plugins in C, and JSON derive from its raw value. All texts are one line without control
/// characters, whatever file names and plugins contain, and a message has at most 4 KiB.
public struct Diagnosis: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a problem. The raw value is the code in JSON.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    // MARK: Plugins

    /// The file cannot be opened or read, or is not a regular file.
    case unreadable
    /// The file is larger than the host allows.
    case tooLarge
    /// Another user could have changed the file.
    case untrusted
    /// The file differs from the examined one, or is still being written.
    case changed
    /// The file is not an ELF shared library, or a damaged one.
    case notALibrary
    /// The library would make memory writable and executable at once: the stack, a segment, or code with relocations.
    case writableCode
    /// The library is for another kind of processor.
    case wrongMachine
    /// The manifest is missing, or the manifest or an adopting file has invalid content.
    case invalidManifest
    /// The plugin is for another version of the ABI.
    case incompatibleABI
    /// The plugin was built by a compiler of another version, against an interface of Troupe that this host lacks, or against another
    /// layout of a shared interface.
    case incompatibleCompiler
    /// The plugin contains a copy of Troupe's types, or does not link those of the host.
    case duplicatesHostTypes = "ownCopy"
    /// The content of the file, or of the adopted library, is not pinned for the plugin.
    case unpinned
    /// A line of a file of pins is malformed.
    case invalidPins
    /// The configuration names a setting that the plugin does not declare, or has a value that the setting does not take.
    case invalidSetting
    /// Another plugin has the same id.
    case duplicateIdentifier
    /// There is no such plugin.
    case unknown
    /// Another plugin needs the plugin.
    case inUse
    /// The operation would have to wait for its caller, which runs while the host loads, retires or replaces plugins.
    case busy
    /// A required plugin or contract is missing, has the wrong version, is rejected, or requires the plugin in turn.
    case unmetRequirement
    /// The adopted library is missing.
    case missingLibrary
    /// A library lacks what was there when the plugin was built, or the adopted library lacks functions that the file names.
    case missingSymbol
    /// The loader could not open the library.
    case notLoadable
    /// Another plugin has another library open under the name of one that the plugin needs.
    case conflictingLibrary
    /// The library has no entry.
    case noEntry
    /// The entry, or the activation, failed.
    case refused
    /// Its code crashed in its probe, while it was loaded, or while the process exited.
    case crashed
    /// Its code ended the process in its probe.
    case exited
    /// Its code did not end in its probe, or while the process exited.
    case timedOut
    /// Its code changed state of the whole process in its probe.
    case changedProcessState = "meddled"
    /// The host could not determine whether its code is safe to run.
    case notProbed

    // MARK: Registrations and resolves of plugins

    /// An argument of a plugin's call is malformed.
    case invalidArgument
    /// A signature is malformed.
    case invalidSignature
    /// A contract is malformed, unknown, or does not fit the factory.
    case invalidContract
    /// Another factory has the same UUID.
    case duplicateUUID
    /// A plugin registers after its entry has returned.
    case tooLate
    /// A plugin registers on another thread than the one that runs its entry.
    case wrongThread
    /// Nothing is registered that fits.
    case notRegistered
    /// Several registrations fit.
    case ambiguous

    // MARK: Commands and calls

    /// The command line, or the number of arguments of a call, is wrong.
    case usage
    /// An argument, or other data, does not have the expected form.
    case invalidData
    /// The requested object does not exist or cannot be used now, or a factory, a callback or a call failed.
    case unavailable
    /// The function or transform reports that it failed for this input.
    case reportedFailure
    /// Reading or writing failed.
    case inputOutput
    /// A permission is missing.
    case notPermitted
    /// A resource of the system is missing, such as memory.
    case missingResource
    /// A fault of Troupe itself.
    case internalError
  }

  /// The kind of the problem.
  public let code: Code
  /// The thing with the problem, such as the path of a plugin's file as it was found. Empty if the problem is a whole sentence.
  public let subject: String
  /// The problem, as the end of a sentence that begins with the subject.
  public let problem: String
  /// The remedy, as a sentence without its first capital letter; empty if the problem contains it.
  public let remedy: String
  /// The calls of a crash, the innermost first: the function and the location in its file.
  public let backtrace: [String]

  /// Creates a diagnosis.
  public init(_ code: Code, _ subject: String = "", problem: String, remedy: String = "", backtrace: [String] = []) {
    self.code = code
    self.subject = subject
    // With a short subject, the message has 4 KiB.
    self.problem = problem.onOneLine.limited(to: 3072)
    self.remedy = remedy.onOneLine.limited(to: 896)
    self.backtrace = backtrace.map(\.onOneLine)
  }

  /// Returns the same problem of another subject.
  ///
  /// - Parameter prefix: Prefix of the problem, such as `adopts a library that `.
  package func about(_ subject: String, _ prefix: String = "") -> Diagnosis {
    Diagnosis(code, subject, problem: prefix + problem, remedy: remedy, backtrace: backtrace)
  }

  /// Combines the diagnoses of one subject. If the remedies differ, each follows its problem in parentheses. The code is that of the first
  /// one. Returns nil for an empty array.
  ///
  /// - Parameter count: The number of all diagnoses, if `diagnoses` has only the first ones because only those are shown.
  package static func combining(_ diagnoses: [Diagnosis], of count: Int? = nil) -> Diagnosis? {
    let count = count ?? diagnoses.count
    guard let first = diagnoses.first else { return nil }
    let isAlike = diagnoses.allSatisfy { $0.remedy == first.remedy }
    let problems = diagnoses.prefix(combinedCount).map { diagnosis in
      isAlike || diagnosis.remedy.isEmpty ? diagnosis.problem : "\(diagnosis.problem) (\(diagnosis.remedy))"
    }
    let rest = count > combinedCount ? "; and \(count - combinedCount) more" : ""
    return Diagnosis(
      first.code, first.subject, problem: problems.joined(separator: "; ") + rest,
      remedy: isAlike ? first.remedy : "correct each of them")
  }

  /// `combining` shows so many diagnoses, and counts the rest.
  package static let combinedCount = 10

  /// The diagnosis without the remedy.
  package var statement: String {
    subject.isEmpty ? problem : "\(subject.onOneLine.shortened(over: Int(PATH_MAX))): \(problem)"
  }

  /// The diagnosis without the subject.
  public var reason: String { Self.text(problem, remedy) }

  /// One line for the user.
  public var description: String { Self.text(statement, remedy) }

  private static func text(_ statement: String, _ remedy: String) -> String {
    remedy.isEmpty ? statement : "\(statement); \(remedy)"
  }
}

// MARK: - Record

extension Diagnosis: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(code.rawValue, subject, problem, remedy, backtrace) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let name = try String(from: &reader)
    guard let code = Code(rawValue: name) else { throw ReadError("has the unknown code \(name.debugDescription)") }
    self.init(
      code, try String(from: &reader), problem: try String(from: &reader), remedy: try String(from: &reader),
      backtrace: try [String](from: &reader))
  }
}
