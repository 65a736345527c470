extension Container {
  /// The parameters of a resolve besides the type.
  @frozen @usableFromInline
  struct Request {
    @usableFromInline var tags: [Tag]
    /// The arguments in boxes.
    @usableFromInline var arguments: [Any] = []
    /// The static types of the arguments.
    @usableFromInline var types: [any Any.Type] = []
    /// Whether the instance comes from the cache; nil if the registration decides.
    @usableFromInline var cached: Bool?
    /// Whether the key may have no registration. Otherwise the resolve throws `.notFound`.
    @usableFromInline var isOptional: Bool
    /// Whether the caller runs on the main actor.
    @usableFromInline var isOnMainActor = false
    /// Whether the thread may wait for a plugin to be loaded or for the instance of a singleton. Otherwise `WouldBlock` is thrown before
    /// any factory runs.
    @usableFromInline var mayWait = true

    var hasArguments: Bool { !arguments.isEmpty }

    @inlinable
    init(tags: [Tag], cached: Bool? = nil, isOptional: Bool = false) {
      self.tags = tags
      self.cached = cached
      self.isOptional = isOptional
    }
  }
}

extension Container.Request {
  /// Boxes arguments.
  @usableFromInline
  init<each Argument>(_ tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil, isOptional: Bool = false) {
    self.init(tags: tags, cached: cached, isOptional: isOptional)
    for argument in repeat each args {
      arguments.append(argument)
      types.append(Self.type(of: argument))
    }
  }

  /// Boxes arguments of a caller on the main actor.
  @MainActor @usableFromInline
  init<each Argument>(
    onMainActor tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil, isOptional: Bool = false
  ) {
    self.init(tags, repeat each args, cached: cached, isOptional: isOptional)
    isOnMainActor = true
  }

  private static func type<Argument>(of argument: Argument) -> any Any.Type { Argument.self }

  /// Returns the same request with other tags.
  func with(tags: [Tag]) -> Self {
    var request = self
    request.tags = tags
    return request
  }
}

/// The instance for a request can only be made by a caller that waits.
struct WouldBlock: Error {}
