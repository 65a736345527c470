extension Container {
  /// The parameters of a resolve besides the type, for the slow path: tags and arguments are boxed.
  struct Request {
    var tags: [Tag]
    var arguments: [Any] = []
    /// The static types of the arguments.
    var types: [any Any.Type] = []
    /// The parameter `cached` of the resolve. Nil follows the registration.
    var cached: Bool?
    /// False if the resolve throws `.notFound` for a key without a registration.
    var isOptional = false
    var isOnMainActor = false
    /// False in an asynchronous context, where the thread must not wait for the load of a plugin or the instance of a singleton: the
    /// resolve then throws `WouldBlock`, before any factory runs, and the caller suspends.
    var mayWait = true

    var hasArguments: Bool { !arguments.isEmpty }
  }
}

extension Container.Request {
  init<each Argument>(_ tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil, isOptional: Bool = false) {
    self.init(tags: tags, types: ArgumentList<repeat each Argument>.types, cached: cached, isOptional: isOptional)
    for argument in repeat each args { arguments.append(argument) }
  }

  @MainActor @usableFromInline
  init<each Argument>(onMainActor tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil, isOptional: Bool = false) {
    self.init(tags, repeat each args, cached: cached, isOptional: isOptional)
    isOnMainActor = true
  }

  /// - Parameter args: The address of a tuple with the types of the list.
  init(_ tags: [Tag], tuple args: UnsafeRawPointer, _ list: (any ArgumentTypes.Type)?, isOptional: Bool = false) {
    self.init(tags: tags, arguments: list?.boxed(args) ?? [], types: list?.types ?? [], isOptional: isOptional)
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
