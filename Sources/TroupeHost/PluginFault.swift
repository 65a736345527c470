internal import Glibc

/// Why a plugin cannot be used: which file, what is wrong, what to do about it.
public struct PluginFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Code: String, Sendable, Hashable {
    /// The file cannot be opened or read, or is not a regular file.
    case unreadable
    /// The file is larger than the host allows.
    case tooLarge
    /// Somebody else could have changed the file.
    case untrusted
    /// The file is another one than the one that was examined, or somebody is still writing it.
    case changed
    /// The file is not an ELF shared library, or a damaged one.
    case notALibrary
    /// The library would make memory writable and executable at once: the stack, a segment, or code with relocations.
    case writableCode
    /// The library is for another kind of processor.
    case wrongMachine
    /// There is no manifest, or it, or a file that adopts a library, says something that it may not say.
    case invalidManifest
    /// The plugin is for another version of the ABI.
    case incompatibleABI
    /// The plugin was built by another compiler or against another release.
    case incompatibleCompiler
    /// The plugin brings a copy of Troupe's types along, or does not link those of the host.
    case ownCopy
    /// The content of the file, or of the library that it adopts, is none of those that are pinned for the plugin.
    case unpinned
    /// The configuration names a setting that the plugin does not declare, or has a value that the setting does not take.
    case invalidSetting
    /// Another plugin has the same id.
    case duplicateIdentifier
    /// There is no such plugin.
    case unknown
    /// Another plugin needs it.
    case inUse
    /// What was to be done with it was asked for by what runs while the host loads, retires or replaces plugins, and which that
    /// would have to wait for.
    case busy
    /// Another plugin that it cannot do without is not there, of the wrong version, rejected, or needs it in turn.
    case unmetRequirement
    /// The library that a file adopts is not there.
    case missingLibrary
    /// The library that a file adopts lacks functions that the file names.
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
    /// It could not be found out whether its code can be trusted.
    case notProbed
  }

  /// The file, as it was found.
  public let path: String
  /// What kind of fault it is.
  public let code: Code
  /// What is wrong, as the end of a sentence that begins with the file.
  public let problem: String
  /// What to do about it, as a sentence without its first capital letter.
  public let remedy: String
  /// For a crash, where it happened: the function and the place in its file, the innermost first; otherwise empty.
  public let backtrace: [String]

  /// Makes a fault.
  public init(path: String, code: Code, problem: String, remedy: String, backtrace: [String] = []) {
    self.path = path
    self.code = code
    // Together with a remedy and a short path not more than 4 KiB.
    self.problem = problem.onOneLine.limited(to: 3072)
    self.remedy = remedy.onOneLine.limited(to: 512)
    self.backtrace = backtrace.map(\.onOneLine)
  }

  /// What is wrong and what to do about it.
  public var reason: String { "\(problem); \(remedy)" }

  /// One line for a person.
  public var description: String { "\(path.onOneLine.shortened(over: Int(PATH_MAX))): \(reason)" }
}
