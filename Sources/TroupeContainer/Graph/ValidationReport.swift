/// What `Container.validate()` has found.
///
/// ```swift
/// let report = container.validate()
/// for problem in report.problems { print(problem) }
/// assert(report.problems.isEmpty)
/// ```
public struct ValidationReport: Sendable, CustomStringConvertible {
  /// What kind of thing was found.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// An assembly is registered and not assembled, so that its registrations are missing.
    case unassembled
    /// A factory needs something under whose key nothing is registered.
    case missing
    /// Factories need each other.
    case cycle
    /// Something that lives long holds something that lives shorter.
    case captive
    /// A factory needs something that takes other arguments than it is given.
    case arguments
    /// A factory needs something that is made asynchronously, or on the main actor, and cannot wait for it. A singleton that was
    /// made before would do.
    case context
    /// What a factory resolves is known only from what it did while the container learned, and need not be all.
    case learned
    /// Nobody knows what a factory resolves, or, of an injection with blocks, what else than its key paths need.
    case unknown
    /// Somebody had this container, which learns, inject into something for which there is no injection, so that nothing
    /// happened.
    case untouched

    /// Whether a resolve would fail, or give what nobody wants.
    public var isProblem: Bool {
      switch self {
      case .unassembled, .missing, .cycle, .captive, .arguments, .context: true
      case .learned, .unknown, .untouched: false
      }
    }
  }

  /// A key and where it was registered.
  public struct Step: Sendable, Hashable, CustomStringConvertible {
    /// The key. Of an array, what is asked for.
    public let key: AnyKey
    private let source: Place?

    init(_ key: AnyKey, _ source: Place?) {
      self.key = key
      self.source = source
    }

    /// Where it was registered, such as `Example/Services.swift:12`, or nil if that is not known.
    public var place: String? { source?.text }

    /// The key and, if it is known, the place.
    public var description: String { key.description.escapingControls + (place.map { " (\($0))" } ?? "") }

    /// Whether key and place are the same.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key && left.place == right.place }

    /// Whether it is an injection.
    var isInjection: Bool { key.isInjection }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// One thing that was found.
  public struct Finding: Sendable, CustomStringConvertible {
    /// What kind of thing it is.
    public let kind: Kind
    /// The subject: the missing key, the type of an assembly that is not assembled, the first registration of a dependency cycle, the
    /// registration that outlives its dependency, takes other arguments, runs in another context or has unknown dependencies, or the
    /// key of a missing injection.
    public let subject: Step
    /// How one gets there: to something missing from what nobody needs; round a ring, the first again at the end; from what
    /// holds to what is held. Empty where there is no way.
    public let path: [Step]
    /// Whether the path leaves out keys since it is long: behind the first or, on the way to what is held, before the last.
    /// Nothing is left out of rings.
    public let isShortened: Bool
    /// Whether what it is about is not loaded yet, so that nobody can know more.
    public let isPending: Bool
    /// Where what it is about runs.
    fileprivate let context: FactoryContext

    init(
      kind: Kind, subject: Step, path: [Step], isShortened: Bool, isPending: Bool = false, context: FactoryContext = .any
    ) {
      self.kind = kind
      self.subject = subject
      self.path = path
      self.isShortened = isShortened
      self.isPending = isPending
      self.context = context
    }
  }

  /// Everything that was found: problems first, by kind and in the order of registration.
  public let findings: [Finding]
  /// The injections that were looked at, each under the key that tells into what, in the order of registration.
  public let injections: [Step]
  /// How many registrations were looked at, those of parents and injections included.
  public let registrationCount: Int

  /// What a resolve would fail at, or what nobody wants.
  public var problems: [Finding] { findings.filter(\.kind.isProblem) }

  /// What has not been looked at, since nobody knows enough about it.
  public var unknown: [Finding] { findings.filter { $0.kind == .learned || $0.kind == .unknown } }

  /// A line for each thing that was found.
  public var description: String { findings.map { $0.description + "\n" }.joined() }
}

// MARK: As text

extension ValidationReport.Finding {
  /// One line for a person: the fault, the key, the place, the dependency path, and what to do.
  public var description: String { "\(kind.rawValue): \(problem); \(remedy)" }

  /// What is wrong, on one line.
  public var problem: String {
    switch kind {
    case .unassembled: "\(subject) is registered and not assembled; its registrations are missing"
    case .missing:
      "nothing is registered as \(subject)" + (path.count < 2 ? "" : ", which \(path[path.count - 2]) needs") + way
    case .cycle:
      path.count <= 2 ? "\(subject) needs itself" : "\(subject) needs itself through others: \(list(path))"
    case .captive:
      "\(subject) holds \(path.last?.description ?? "something") of a shorter life" + way
    case .arguments:
      "\(subject) takes other arguments than \(path.count < 2 ? "it is given" : "\(path[path.count - 2]) gives it")" + way
    case .context:
      "\(subject) is \(context.words ?? "elsewhere"), and \(path.first?.description ?? "something") does not wait for it"
        + way
    case .learned: "what \(subject) resolves is known only from what it did so far"
    case .unknown where isPending: "\(subject) is not loaded yet, and nobody knows what it resolves"
    case .unknown: "nobody knows what \(subject) resolves"
    case .untouched: "there is no \(subject), though something was to be injected"
    }
  }

  /// What to do about it, on one line.
  public var remedy: String {
    switch kind {
    case .unassembled: "call assemble() on the container before you resolve"
    case .missing: "register it, or have it needed as an optional"
    case .cycle: ResolutionError.ringAdvice
    case .captive: "let what is held live as long, or resolve it through a LazyResolver when it is needed"
    case .arguments: "register it without arguments as well, or write a factory that gives them"
    case .context: context.adviceToWhatNeedsIt
    case .learned where subject.isInjection: "inject by key paths, or say what its blocks resolve with annotated(dependsOn:)"
    case .learned: "register it with auto, or say what it resolves with annotated(dependsOn:)"
    case .unknown where isPending: "resolve it, or something else of the same plugin, and look again"
    case .unknown where subject.isInjection:
      "inject by key paths, say what its blocks resolve with annotated(dependsOn:), or have the container learn it"
    case .unknown:
      "register it with auto, say what it resolves with annotated(dependsOn:), or have the container learn it"
    case .untouched: "register one for the type, a superclass of it or a protocol that it conforms to"
    }
  }

  private var way: String { path.count < 3 ? "" : "; dependency path: \(list(path))" }

  /// The steps with arrows between them, no more than a person reads.
  private func list(_ steps: [ValidationReport.Step]) -> String {
    let limit = 24
    let isLong = steps.count > limit
    var texts = (isLong ? steps.prefix(limit / 2) + steps.suffix(limit / 2) : steps[...]).map { "\($0)" }
    if isLong { texts.insert("… \(steps.count - limit) more …", at: limit / 2) }
    if isShortened { texts.insert("…", at: kind == .captive ? texts.count - 1 : 1) }
    return texts.joined(separator: " → ")
  }
}

extension Place {
  /// Such as `Example/Services.swift:12`.
  var text: String { String(cString: file) + ":\(line)" }
}

// MARK: As data

extension ValidationReport: Encodable {
  /// Encodes `{registrations, injections, findings}`, each injection as `{type, tags, place}`, each finding as `{kind, subject,
  /// path, isShortened, problem, remedy}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(registrationCount, forKey: .registrations)
    try members.encode(injections, forKey: .injections)
    try members.encode(findings, forKey: .findings)
  }

  private enum Member: CodingKey { case registrations, injections, findings }
}

extension ValidationReport.Finding: Encodable {
  /// Encodes `{kind, subject, path, isShortened, problem, remedy}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(kind, forKey: .kind)
    try members.encode(subject, forKey: .subject)
    try members.encode(path, forKey: .path)
    try members.encode(isShortened, forKey: .isShortened)
    try members.encode(problem, forKey: .problem)
    try members.encode(remedy, forKey: .remedy)
  }

  private enum Member: CodingKey { case kind, subject, path, isShortened, problem, remedy }
}

extension ValidationReport.Step: Encodable {
  /// Encodes `{type, tags, place}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(key.type, forKey: .type)
    try members.encode(key.sortedTags, forKey: .tags)
    try members.encode(place, forKey: .place)
  }

  private enum Member: CodingKey { case type, tags, place }
}

extension AnyKey {
  /// The tags as text, sorted.
  var sortedTags: [String] { tags.map { $0.erased.description }.sorted() }
}

extension String {
  /// The text on one line that gives no orders to a terminal: what is no character to be seen is written as in a string of
  /// Swift.
  package var escapingControls: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    return unicodeScalars.map { $0.isHidden ? $0.escaped(asASCII: true) : String($0) }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character, ends a line, or turns the direction of what comes behind it.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
  }
}
