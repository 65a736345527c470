extension Container {
  /// The parameters of a resolve besides the type, for the slow path: tags and arguments are boxed.
  @frozen @usableFromInline
  struct Request {
    @usableFromInline var tags: [Tag]
    @usableFromInline var arguments: [Any] = []
    /// The static types of the arguments.
    @usableFromInline var types: [any Any.Type] = []
    /// The parameter `cached` of the resolve. Nil follows the registration.
    @usableFromInline var cached: Bool?
    /// False if the resolve throws `.notFound` for a key without a registration.
    @usableFromInline var isOptional: Bool
    @usableFromInline var isOnMainActor = false
    /// False in an asynchronous context, where the thread must not wait for the load of a plugin or the instance of a singleton: the
    /// resolve then throws `WouldBlock`, before any factory runs, and the caller suspends.
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
  @usableFromInline
  init<each Argument>(_ tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil, isOptional: Bool = false) {
    self.init(tags: tags, cached: cached, isOptional: isOptional)
    for argument in repeat each args {
      arguments.append(argument)
      types.append(Self.type(of: argument))
    }
  }

  @MainActor @usableFromInline
  init<each Argument>(
    onMainActor tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil, isOptional: Bool = false
  ) {
    self.init(tags, repeat each args, cached: cached, isOptional: isOptional)
    isOnMainActor = true
  }

  private static func type<Argument>(of argument: Argument) -> any Any.Type { Argument.self }

  @usableFromInline
  init<Arguments>(_ tags: [Tag], _ args: Arguments, _ list: (any ArgumentTypes.Type)?, isOptional: Bool = false) {
    self.init(tags: tags, isOptional: isOptional)
    guard let list else { return }
    arguments = withUnsafePointer(to: args) { list.boxed($0) }
    types = list.types
  }

  func with(tags: [Tag]) -> Self {
    var request = self
    request.tags = tags
    return request
  }

  @MainActor
  func onMainActor() -> Self {
    var request = self
    request.isOnMainActor = true
    return request
  }
}

/// The answer to a request with `mayWait` false whose instance takes a wait.
struct WouldBlock: Error {}
