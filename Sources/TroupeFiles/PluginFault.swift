internal import Glibc

/// The reason why a plugin cannot be used: the file, the problem and the remedy.
public struct PluginFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a fault.
  public enum Code: String, Sendable, Hashable {
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
    /// The plugin was built by another compiler or against another release.
    case incompatibleCompiler
    /// The plugin contains a copy of Troupe's types, or does not link those of the host.
    case ownCopy
    /// The content of the file, or of the adopted library, is not pinned for the plugin.
    case unpinned
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
    /// The adopted library lacks functions that the file names.
    case missingSymbol
    /// The loader could not open the library.
    case notLoadable
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
    case meddled
    /// The host could not determine whether its code is safe to run.
    case notProbed
  }

  /// The path of the file, as it was found.
  public let path: String
  /// The kind of the fault.
  public let code: Code
  /// The problem, as the end of a sentence that begins with the file.
  public let problem: String
  /// The remedy, as a sentence without its first capital letter.
  public let remedy: String
  /// The calls of a crash: the function and the location in its file, the innermost first; otherwise empty.
  public let backtrace: [String]

  /// Creates a fault.
  public init(path: String, code: Code, problem: String, remedy: String, backtrace: [String] = []) {
    self.path = path
    self.code = code
    // Limits the message to 4 KiB, with a remedy and a short path.
    self.problem = problem.onOneLine.limited(to: 3072)
    self.remedy = remedy.onOneLine.limited(to: 512)
    self.backtrace = backtrace.map(\.onOneLine)
  }

  /// The problem and the remedy.
  public var reason: String { "\(problem); \(remedy)" }

  /// One line for the user.
  public var description: String { "\(path.onOneLine.shortened(over: Int(PATH_MAX))): \(reason)" }
}
