internal import TroupeTools
internal import TroupeHost

/// `troupe catalog`: a site with a page for each plugin. Runs code of plugins only with `--check` and `--probe`, in other processes.
enum CatalogCommand: Command {
  private static let site = Option(
    "o", value: "SITE", isLetter: true, "Write the site into the directory SITE. Required without --check.",
    details: "SITE is a new or empty directory, or an earlier catalog.")
  private static let check = Option(
    "check", "Check the documentation and run its examples.")
  private static let probe = Option(
    "probe", "Probe new plugins first, for their registrations.")

  static let spec = CommandSpec(
    "catalog", "Write a site that describes the plugins of a directory.", operands: "DIRECTORY", operandCount: 1...1,
    examples: [
      "troupe catalog plugins -o site", "troupe catalog plugins --probe -o site", "troupe catalog plugins --check",
    ],
    options: [site, check, probe, .pins, .isolate, .deadline, .probeDeadline, .maximumFileSize, .json],
    details: [
      "The site has a page for each plugin, with calls to copy for the command, C, Swift and Python; lists from A to Z; the tags; the graph of dependencies; and a search.",
      "Open index.html in a browser, or put SITE on a server.",
      "Without --check and --probe no plugin code runs. The page of a plugin that was never probed lacks its registrations, unless the plugin adopts a library.",
      "--check reports registrations without a description, texts for unknown parameters, malformed examples, examples with another result, and unusable plugins. The exit status is 69 after a fault. Without -o the command only checks.",
      "Each plugin with examples runs in a worker, as with --isolate all; --isolate ID=POLICY grants a plugin more. Examples that no worker can run are skipped and counted.",
      "The command replaces the files of an earlier catalog in SITE and removes the pages of former plugins; it leaves other files alone.",
      "JSON: {site, plugins, functions, transforms, unknown, examples, skipped, faults: [{plugin, registration, code, problem, remedy}]}.",
    ])

  private struct Report: Encodable {
    let site: String?
    let catalog: Catalog
    let examples: ExampleCheck
    let faults: [CatalogDiagnosis]

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Member.self)
      // Absent values are null, so that every member exists.
      try members.encode(site, forKey: .site)
      try members.encode(catalog.plugins.count, forKey: .plugins)
      try members.encode(catalog.functionCount, forKey: .functions)
      try members.encode(catalog.transformCount, forKey: .transforms)
      try members.encode(catalog.unknownPlugins.count, forKey: .unknown)
      try members.encode(examples.count, forKey: .examples)
      try members.encode(examples.skippedCount, forKey: .skipped)
      try members.encode(
        faults.map { diagnosis in
          [
            "plugin": diagnosis.plugin, "registration": diagnosis.registration, "code": diagnosis.code.rawValue,
            "problem": diagnosis.problem, "remedy": diagnosis.remedy,
          ]
        }, forKey: .faults)
    }

    private enum Member: CodingKey { case site, plugins, functions, transforms, unknown, examples, skipped, faults }
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let directory = arguments.operands[0]
    guard arguments.has(site) || arguments.has(check) else {
      throw Diagnosis(.usage, problem: "missing -o SITE or --check", remedy: "see troupe catalog --help")
    }
    let catalog = try catalog(directory, arguments)
    let destination = try arguments.one(site).map { path throws(Diagnosis) in try SiteDirectory(path) }
    try destination?.write(catalog.pages())
    var faults: [CatalogDiagnosis] = []
    var examples = ExampleCheck { file, change in
      try file.map { try HostArguments.host(files: [$0], arguments, change) }
        ?? HostArguments.host(directory: directory, arguments, change)
    }
    if arguments.has(check) {
      let host = try HostArguments.host(directory: directory, arguments)
      try HostArguments.checkConfiguredIDs(host, arguments)
      host.shutdown()
      try await examples.run(catalog)
      faults = catalog.documentationDiagnoses() + examples.diagnoses
    }
    if arguments.has(.json) {
      try Terminal.writeJSON(Report(site: arguments.one(site), catalog: catalog, examples: examples, faults: faults))
    } else {
      try Terminal.write(text(arguments.one(site), catalog, examples, faults, isChecked: arguments.has(check)))
    }
    return faults.isEmpty ? .success : .unavailable
  }

  /// Reads the plugins of a directory and the registrations that are known.
  private static func catalog(_ directory: String, _ arguments: ParsedArguments) throws -> Catalog {
    let host = try HostArguments.host(directory: directory, arguments) { options in
      // Plugins in workers are not probed.
      (options.isolation, options.isolations) = (.inProcess, [:])
    }
    defer { host.shutdown() }
    if arguments.has(probe) { host.probeAll() }
    let registrations = host.knownRegistrations()
    guard !host.plugins.isEmpty else {
      throw Diagnosis(
        .unavailable, directory, problem: "has no plugins", remedy: "name a directory of libraries or adoption files")
    }
    return Catalog(host.plugins, registrations)
  }

  private static func text(
    _ site: String?, _ catalog: Catalog, _ examples: ExampleCheck, _ faults: [CatalogDiagnosis], isChecked: Bool
  ) -> String {
    var lines = faults.map { diagnosis in
      let subject = [diagnosis.plugin, diagnosis.registration].compactMap(\.self).joined(separator: ": ")
      return "\(subject) \(diagnosis.problem)\(diagnosis.remedy.isEmpty ? "" : "; \(diagnosis.remedy)")".onOneLine
    }
    if isChecked {
      let skipped = examples.skippedCount == 0 ? "" : ", \(examples.skippedCount) skipped"
      lines.append("\(counted(examples.count, "example")) checked\(skipped), \(counted(faults.count, "fault"))")
    }
    if let site { lines.append("\(site)/index.html: \(catalog.summary)") }
    return lines.joined(separator: "\n") + "\n"
  }
}
