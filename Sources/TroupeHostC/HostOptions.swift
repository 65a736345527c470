internal import CTroupeHost
internal import Glibc
internal import Troupe
internal import TroupeHost

// The conversion of `troupe_host_options` to `PluginHost.Options`.

extension ABIStruct {
  /// `troupe_host_options`, with the size that it had before `isolations`.
  fileprivate static let hostOptions = ABIStruct((minor: 0, bytes: 144))
}

extension troupe_host_options {
  static func hasReferences(_ source: UnsafePointer<troupe_host_options>?) throws -> Bool {
    try source.map { try ABIStruct.hostOptions.copy($0, as: "options").has_references != 0 } ?? false
  }
}

extension PluginHost.Options {
  /// Copies a program's options. NULL stands for the default ones.
  ///
  /// - Throws: A `Diagnosis`: `invalidArgument`, `invalidPins` or `unreadable` for the file of pins, or `missingResource` if the probe
  ///   executable does not exist.
  init(_ source: UnsafePointer<troupe_host_options>?) throws {
    guard let source else {
      self.init()
      probeExecutable = PluginHost.standardProbeExecutable
      return
    }
    let options = try ABIStruct.hostOptions.copy(source, as: "options")
    self.init(
      directories: try String.list(options.directories, options.directory_count, as: "directories"),
      files: try String.list(options.files, options.file_count, as: "files"),
      configuration: try Self.configuration(options.settings, options.setting_count), log: try Log(options))
    loading = try Self.choice(options.loading, [.lazy, .eager], "loading")
    probing = try Self.choice(options.probing, [.newContent, .never], "probing")
    // The program may be an interpreter, or have opened the library with dlopen, so that its executable runs no probes.
    probeExecutable = try String.optional(options.probe, as: "probe") ?? PluginHost.standardProbeExecutable
    if let probeExecutable { try Self.checkProbe(probeExecutable) }
    if let path = try String.optional(options.pins, as: "pins") {
      guard !path.isEmpty else {
        throw Diagnosis(.invalidArgument, "pins", problem: "is empty", remedy: "give the path of a file, or NULL for no pins")
      }
      pins = try Pins(contentsOf: path)
    }
    if let path = try String.optional(options.cache_directory, as: "cache_directory") {
      cacheDirectory = path.isEmpty ? nil : path
    }
    if let path = try String.optional(options.quarantine_directory, as: "quarantine_directory") {
      quarantineDirectory = path.isEmpty ? nil : path
    }
    if options.maximum_file_size > 0 { maximumFileSize = Int(clamping: options.maximum_file_size) }
    if options.maximum_buffer_size > 0 { maximumBufferSize = Int(clamping: options.maximum_buffer_size) }
    if options.probe_deadline > 0 {
      // A day is as good as no limit, and a clock may not represent more.
      probeLimits = ProbeLimits(deadline: .milliseconds(min(options.probe_deadline, 86_400_000)))
    }
    opensCopies = options.opens_copies != 0
    reportsCrashes = options.reports_crashes != 0
    try setIsolations(options.isolations, options.isolation_count)
    if let function = options.is_interrupted {
      let context = UInt(bitPattern: options.interruption_context)
      isInterrupted = { function(UnsafeMutableRawPointer(bitPattern: context)) != 0 }
    }
  }

  private mutating func setIsolations(_ isolations: UnsafePointer<troupe_host_isolation>?, _ count: Int) throws(Diagnosis) {
    guard try Diagnosis.hasElements(count, of: isolations, "isolations"), let isolations else { return }
    for index in 0..<count {
      let name = "isolations[\(index)]"
      let plugin = try String.optional(isolations[index].plugin, as: "\(name).plugin")
      let policy = try String.optional(isolations[index].policy, as: "\(name).policy")
      guard plugin != "" else {
        throw Diagnosis(
          .invalidArgument, "\(name).plugin", problem: "is empty", remedy: "give the id of a plugin, or NULL for all plugins")
      }
      let isolation = try Self.isolation(policy, "\(name).policy", plugin ?? "all plugins")
      if let plugin { self.isolations[plugin] = isolation } else { self.isolation = isolation }
    }
  }

  private static func isolation(_ policy: String?, _ name: String, _ plugins: String) throws(Diagnosis) -> Isolation {
    guard let policy else { return .inProcess }
    do throws(Diagnosis) {
      return .worker(try WorkerPolicy(parsing: policy))
    } catch {
      throw Diagnosis(
        .invalidArgument, name, problem: "\(error.problem), given for \(plugins)",
        remedy: error.remedy.isEmpty ? "give settings such as \"read:/srv/models,memory:512M\"" : error.remedy)
    }
  }

  private static func checkProbe(_ path: String) throws(Diagnosis) {
    var status = stat()
    let isMissing = stat(path, &status) != 0 || access(path, X_OK) != 0
    let problem = isMissing ? "\(SystemError(code: errno))" : status.st_mode & S_IFMT == S_IFREG ? nil : "it is no regular file"
    guard let problem else { return }
    throw Diagnosis(
      .missingResource, path.isEmpty ? "probe" : path, problem: "cannot run as a probe: \(problem)",
      remedy: "set probe to the path of troupe-probe, or reinstall Troupe")
  }

  private static func choice<Choice>(_ number: Int32, _ choices: [Choice], _ name: String) throws(Diagnosis) -> Choice {
    guard choices.indices.contains(Int(number)) else {
      throw Diagnosis(
        .invalidArgument, name, problem: "is \(number)", remedy: "give one of the constants of the header for \(name)")
    }
    return choices[Int(number)]
  }

  private static func configuration(
    _ settings: UnsafePointer<troupe_host_setting>?, _ count: Int
  ) throws(Diagnosis) -> [String: [String: String]] {
    guard try Diagnosis.hasElements(count, of: settings, "settings"), let settings else { return [:] }
    var configuration: [String: [String: String]] = [:]
    for index in 0..<count {
      let name = "settings[\(index)]"
      let plugin = try String(settings[index].plugin, as: "\(name).plugin")
      let key = try String(settings[index].key, as: "\(name).key")
      configuration[plugin, default: [:]][key] = try String(settings[index].value, as: "\(name).value")
    }
    return configuration
  }
}

extension Log {
  fileprivate init(_ options: troupe_host_options) throws(Diagnosis) {
    guard let level = LogLevel(rawValue: options.log_level) else {
      throw Diagnosis(
        .invalidArgument, "log_level", problem: "is \(options.log_level)",
        remedy: "give one of TROUPE_LOG_DEBUG to TROUPE_LOG_ERROR")
    }
    guard let log = options.log else {
      self = .standardError()
      return
    }
    // A number, since a closure that several threads call holds no pointer.
    let context = UInt(bitPattern: options.log_context)
    self.init(from: level) { message in
      log(UnsafeMutableRawPointer(bitPattern: context), message.level.rawValue, message.plugin, message.text)
    }
  }
}
