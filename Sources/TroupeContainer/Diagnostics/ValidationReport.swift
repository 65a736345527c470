/// What `Container.validate()` found: problems, and registrations that it could not check.
///
/// ```swift
/// let report = container.validate()
/// for problem in report.problems { print(problem) }
/// assert(report.problems.isEmpty)
/// ```
///
/// A problem makes a resolve fail, or return an instance that holds another one too long. Its text names the key, the source location
/// of the registration, the dependency path to it, and the remedy.
public struct ValidationReport: Sendable, CustomStringConvertible {
  /// The kind of problem, or the reason why a registration cannot be checked.
  public enum FindingKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// An assembly is registered and not assembled, so its registrations are missing.
    case unassembled
    /// A factory needs a key that is not registered.
    case missing
    /// A factory needs its own instance, directly or through others.
    case cycle
    /// An instance holds one of a shorter life, such as a singleton a scoped instance.
    case captive
    /// A factory passes other arguments to a dependency than its factory takes.
    case arguments
    /// A factory needs an instance that is made asynchronously, or on the main actor, and does not wait for it.
    case context
    /// The dependencies of a factory are known only from its requests while the container learned, and may be incomplete.
    case learned
    /// The dependencies of a factory, or of the blocks of an injection, are not known.
    case unknown
    /// A `resolve(into:)` of this container, which learns, had a target without any injection, and did nothing.
    case untouched
    /// A registration without tags replaced another one of the same type and argument types, from another line.
    case replaced

    /// False for what could not be checked, and for what may be intended.
    public var isProblem: Bool {
      switch self {
      case .unassembled, .missing, .cycle, .captive, .arguments, .context: true
      case .learned, .unknown, .untouched, .replaced: false
      }
    }
  }

  /// A registration on a dependency path: its key and its source location.
  public struct Step: Sendable, Hashable, CustomStringConvertible {
    /// The key; of an array, the requested key.
    public let key: AnyKey
    private let source: CodeLocation?

    init(_ key: AnyKey, _ source: CodeLocation?) {
      self.key = key
      self.source = source
    }

    init(_ entry: Entry) { self.init(entry.key, entry.codeLocation) }

    /// The source location of the registration, such as `Example/Services.swift:12`, if it is known.
    public var location: String? { source?.text }

    /// The key and, if it is known, the source location.
    public var description: String { key.description.escapingControls + at }

    /// As `description`, with an injection as a noun and without escapes, for errors.
    var name: String { key.name + at }

    /// Such as ` (Example/Services.swift:12)`.
    var at: String { location.map { " (\($0))" } ?? "" }

    /// Compares keys and source locations.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key && left.location == right.location }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// A problem, or a registration that could not be checked.
  public struct Finding: Sendable, CustomStringConvertible {
    /// The kind, which says what `key` and the other properties hold.
    public let kind: FindingKind
    /// The missing key; the type of an assembly that is not assembled; the first registration of a cycle; the registration that
    /// outlives its dependency, takes other arguments, runs in another context or has unknown dependencies; the key of a missing
    /// injection.
    public let subject: Step
    /// The dependency path: to a missing key from a registration that no other one needs; around a cycle, with the first step again
    /// at the end; from a holder to the held instance; from a replaced registration to the one that replaced it. Empty for the other
    /// kinds.
    public internal(set) var path: [Step] = []
    /// True if the path omits steps: after the first one, or before the last one of a held instance. Cycles are complete.
    public internal(set) var isShortened = false
    /// True if the subject is a pending registration, whose dependencies are known only after it was loaded.
    public internal(set) var isPending = false
    /// The context of the subject's factory.
    var context = FactoryContext.any
  }

  /// Problems first, by kind and in the order of registration.
  public let findings: [Finding]
  /// The validated injections in the order of registration. The key of each contains its target type.
  public let injections: [Step]
  /// The number of validated registrations, with those of ancestors and with injections.
  public let registrationCount: Int

  /// The findings whose kind is a problem.
  public var problems: [Finding] { findings.filter(\.kind.isProblem) }

  /// The registrations that were not checked, since their dependencies are not known.
  public var unknown: [Finding] { findings.filter { $0.kind == .learned || $0.kind == .unknown } }

  /// One line for each finding.
  public var description: String { findings.map { $0.description + "\n" }.joined() }
}

// MARK: As text

extension ValidationReport.Finding {
  /// The kind, the problem and the remedy, on one line.
  public var description: String { "\(kind.rawValue): \(problem); \(remedy)" }

  /// The key, its source location and the dependency path, on one line.
  public var problem: String {
    switch kind {
    case .unassembled: "\(subject) is registered and not assembled; its registrations are missing"
    case .missing:
      "nothing is registered as \(subject)" + (path.count < 2 ? "" : ", which \(path[path.count - 2]) needs") + pathText
    case .cycle:
      path.count <= 2 ? "\(subject) needs itself" : "\(subject) needs itself through others: \(list(path))"
    case .captive:
      "\(subject) holds \(path.last?.description ?? "something") of a shorter life" + pathText
    case .arguments:
      "\(subject) takes other arguments than \(path.count < 2 ? "it is given" : "\(path[path.count - 2]) gives it")" + pathText
    case .context:
      "\(subject) is \(context.phrase ?? "elsewhere"), and \(path.first?.description ?? "something") does not wait for it"
        + pathText
    case .learned: "only the learned dependencies of \(subject) are known"
    case .unknown where isPending: "\(subject) is not loaded yet, so its dependencies are not known"
    case .unknown: "the dependencies of \(subject) are not known"
    case .untouched: "there is no \(subject), but resolve(into:) was called for such a target"
    case .replaced: "\(subject) replaced the registration at \(path.first?.location ?? "another line")"
    }
  }

  /// What the user can do, on one line.
  public var remedy: String {
    switch kind {
    case .unassembled: "call assemble() on the container before you resolve"
    case .missing: "register it, or have it needed as an optional"
    case .cycle: ResolutionError.cycleRemedy
    case .captive: "give the dependency the same lifetime, or resolve it through a LazyResolver when it is needed"
    case .arguments: "register it without arguments as well, or write a factory that gives them"
    case .context: context.remedyForDependent
    case .learned where subject.key.isInjection:
      "inject by key paths, or declare the dependencies of its blocks with annotated(dependsOn:)"
    case .learned: "register it with auto, or declare its dependencies with annotated(dependsOn:)"
    case .unknown where isPending: "resolve it, or another registration of the same plugin, then validate again"
    case .unknown where subject.key.isInjection:
      "inject by key paths, say what its blocks resolve with annotated(dependsOn:), or let the container learn them"
    case .unknown:
      "register it with auto, declare its dependencies with annotated(dependsOn:), or let the container learn them"
    case .untouched: "register one for the type, a superclass of it or a protocol that it conforms to"
    case .replaced: "remove one of the two, or give them tags"
    }
  }

  private var pathText: String { path.count < 3 ? "" : "; dependency path: \(list(path))" }

  /// Returns the steps with arrows between them, shortened to a readable length.
  private func list(_ steps: [ValidationReport.Step]) -> String {
    let limit = 24
    let isLong = steps.count > limit
    var texts = (isLong ? steps.prefix(limit / 2) + steps.suffix(limit / 2) : steps[...]).map { "\($0)" }
    if isLong { texts.insert("… \(steps.count - limit) more …", at: limit / 2) }
    if isShortened { texts.insert("…", at: kind == .captive ? texts.count - 1 : 1) }
    return texts.joined(separator: " → ")
  }
}

// MARK: Encoding

extension ValidationReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case findings, injections
    case registrationCount = "registrations"
  }
}

extension ValidationReport.Finding: Encodable {
  /// Encodes `{kind, subject, path, isShortened, problem, remedy}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(kind, forKey: .kind)
    try members.encode(subject, forKey: .subject)
    try members.encode(path, forKey: .path)
    try members.encode(isShortened, forKey: .isShortened)
    try members.encode(problem, forKey: .problem)
    try members.encode(remedy, forKey: .remedy)
  }

  private enum CodingKeys: CodingKey { case kind, subject, path, isShortened, problem, remedy }
}

extension ValidationReport.Step: Encodable {
  /// Encodes `{type, tags, place}`.
  public func encode(to encoder: any Encoder) throws {
    try key.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(location, forKey: .place)
  }

  private enum CodingKeys: CodingKey { case place }
}

extension AnyKey {
  /// Encodes `{type, tags}`.
  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(type, forKey: .type)
    try members.encode(encodedTags, forKey: .tags)
  }

  private enum CodingKeys: CodingKey { case type, tags }
}

extension String {
  /// The text on one line and without control sequences for a terminal. Hidden characters are escaped as in a Swift string.
  package var escapingControls: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    return unicodeScalars.map { $0.isHidden ? $0.escaped(asASCII: true) : String($0) }.joined()
  }
}

extension Unicode.Scalar {
  /// True if it is a control character, ends a line, or changes the direction of the following text.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
  }
}
