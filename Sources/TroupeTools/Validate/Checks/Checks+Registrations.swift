internal import FoundationEssentials
internal import TroupeCall
internal import TroupeFiles
internal import TroupeHost

/// The registrations of the plugin.
extension Checks {
  static let registrations: [Check] = [
    registering("registration-any", severity: .warning, isGate: true, "The plugin registers something.") { loaded in
      .expect(
        !loaded.registrations.isEmpty, "registers nothing, so that no program finds it",
        remedy: "register a factory in its entry")
    },
    registering("registration-refused", isGate: true, "The host accepts each registration.") { loaded in
      // The check file-refusals reports those of an adopted library.
      let refusals = loaded.isAdoption ? [] : loaded.plugin.refusals
      guard let first = refusals.first else { return .passed }
      let more = refusals.count > 1 ? " (and \(refusals.count - 1) more)" : ""
      return .problem(
        "registers what the host refuses: \(first.statement)\(more)",
        remedy: first.remedy.isEmpty ? "return the status of register_factory from the entry" : first.remedy)
    },
    registering("registration-uuid", "Each UUID is random (version 4) or made of a name (version 5).") { loaded in
      let wrong = loaded.registrations.compactMap(\.uuid).filter { uuid in
        let (version, variant) = (uuid.uuid.6 >> 4, uuid.uuid.8 >> 6)
        return variant != 2 || (version != 4 && version != 5)
      }
      return .expect(
        wrong.isEmpty,
        "has the UUID \(wrong.map { $0.uuidString.lowercased() }.listed(atMost: 3)), which is neither of version 4 nor of version 5",
        remedy: "make another with uuidgen")
    },
    registering(
      "registration-names", severity: .warning, "Each name is in lower case, with dashes or underscores between words."
    ) { loaded in
      try expectOwnNames(loaded)
      let wrong = loaded.registrations.map(\.name).filter { !isName($0) && !loaded.isSwiftType($0) }
      return .expect(
        wrong.isEmpty, "has the name \(wrong.map(\.debugDescription).listed(atMost: 3))",
        remedy: "use lower-case letters, digits, dashes and underscores, as in \"base64-encode\"")
    },
    registering("registration-unique-names", severity: .warning, "Each function has a name of its own.") { loaded in
      var known: Set<String> = []
      let repeated = loaded.registrations.filter(\.isFunction).map(\.name).filter { !known.insert($0).inserted }
      return .expect(
        repeated.isEmpty, "has several functions with the name \(repeated.listed(atMost: 3))",
        remedy: "give each a name of its own, since troupe call finds functions by name")
    },
    registering("registration-tags", severity: .warning, "Each tag is in lower case.") { loaded in
      let wrong = loaded.registrations.flatMap(\.tags).filter { !isName($0) }
      return .expect(
        wrong.isEmpty, "has the tag \(wrong.map(\.debugDescription).listed(atMost: 3))",
        remedy: "use lower-case letters, digits, dashes and dots, as in \"text\"")
    },
    registering("registration-tagged", severity: .warning, "Each factory of instances has a tag.") { loaded in
      let bare = loaded.registrations.filter { !$0.isFunction && $0.tags.isEmpty }.map(\.name)
      return .expect(
        bare.isEmpty, "has no tag for \(bare.listed(atMost: 3)), so that programs can find it by its UUID or type alone",
        remedy: "register it with a tag that names its kind")
    },
    registering("registration-parameter-names", severity: .warning, "Each parameter of a function has a name.") { loaded in
      try expectOwnNames(loaded)
      let bare = loaded.registrations.filter { registration in
        registration.function?.parameters.contains { $0.name == nil && $0.type != .resolver } ?? false
      }.map(\.name)
      return .expect(
        bare.isEmpty, "has no names for parameters of \(bare.listed(atMost: 3)), which troupe inspect and failures would show",
        remedy: "write them into the signature, as in double (double width, double height)")
    },
    registering(
      "registration-description",
      "The first line of each description has 1 to 200 characters, and is not the name of its registration."
    ) { loaded in
      let described = loaded.registrations.compactMap { registration in
        registration.metadata["description"].map { (name: registration.name, text: $0) }
      }
      if described.isEmpty { throw NotApplicable("it describes no registration") }
      for (name, text) in described {
        guard let problem = descriptionProblem(text, of: name) else { continue }
        return .problem(
          "describes \(name.debugDescription) with a text that \(problem)",
          remedy: "write its purpose in a first line of 1 to 200 characters")
      }
      return .passed
    },
    registering("registration-settings", severity: .warning, "Each setting has a description.") { loaded in
      let bare = (loaded.plugin.manifest?.settings ?? []).filter(\.description.isEmpty).map(\.key)
      return .expect(
        bare.isEmpty, "has no description of the setting \(bare.listed(atMost: 3))",
        remedy: "describe it in TROUPE_SETTINGS or @Plugin(settings:)")
    },
    registering("registration-provides", "The plugin registers each contract that its manifest provides.") { loaded in
      let missing = (loaded.plugin.manifest?.provides ?? []).filter { name in
        !loaded.registrations.contains { $0.contract == name }
      }
      return .expect(
        missing.isEmpty, "provides \(missing.listed(atMost: 3)) and registers no factory of it",
        remedy: "register one, or remove the contract from the manifest")
    },
    registering("registration-signature", "Each signature fits the function in the debug information.") { loaded in
      try signatureFinding(loaded)
    },
  ]

  /// Throws `NotApplicable` for a file that adopts a library.
  private static func expectOwnNames(_ loaded: HostedPlugin) throws {
    if loaded.isAdoption { throw NotApplicable("it adopts a library, whose author chose the names") }
  }

  /// A check of the registrations.
  ///
  /// - Parameter isGate: True if the other checks of registrations need it.
  private static func registering(
    _ name: String, severity: Check.Severity = .failure, isGate: Bool = false, _ summary: String,
    _ body: @escaping @Sendable (HostedPlugin) throws -> CheckResult
  ) -> Check {
    Check(
      name, level: 2, severity: severity, needs: [opening] + (isGate ? [] : ["registration-refused"]), summary
    ) { try body($0.load()) }
  }

  /// Returns the fault of the description of a registration, as the end of a sentence; nil for a good description.
  static func descriptionProblem(_ description: String, of name: String) -> String? {
    let text = String(description.prefix { $0 != "\n" })
    return switch text {
    case "": "has an empty first line"
    case _ where text.count > 200: "has \(text.count) characters in its first line"
    case _ where text != text.onOneLine: "has control characters"
    case _ where text.first?.isWhitespace == true || text.last?.isWhitespace == true: "begins or ends with white space"
    case _ where text.lowercased() == name.lowercased(): "is its name again"
    default: nil
    }
  }

  /// True for the conventional form of names and tags.
  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
    let isLetter = { (byte: UInt8) in UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    return (isLetter(first) || isDigit(first))
      && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-_./+".utf8.contains($0) }
  }
}

extension HostedPlugin {
  /// A registration without a name in Swift is named after its type.
  fileprivate func isSwiftType(_ name: String) -> Bool {
    plugin.manifest?.language == "swift" && registrations.contains { $0.name == name && $0.signature.hasSuffix("-> \(name)") }
  }
}
