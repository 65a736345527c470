extension Container {
  /// What a resolve asks for besides the type.
  struct Request {
    let tags: [Tag]
    /// The arguments in boxes.
    var arguments: [Any] = []
    /// The static types of the arguments.
    var types: [any Any.Type] = []
    /// Whether the instance comes from the cache; nil if the registration decides.
    var cached: Bool?
    /// Whether the caller runs on the main actor.
    var isOnMainActor = false
    /// Whether the thread may wait for a plugin to be loaded or for the instance of a singleton. Otherwise `NotReady` is thrown before
    /// any factory runs.
    var mayWait = true

    var hasArguments: Bool { !arguments.isEmpty }
  }
}

extension Container.Request {
  /// Boxes arguments.
  init<each Argument>(_ tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil) {
    self.tags = tags
    self.cached = cached
    for argument in repeat each args {
      arguments.append(argument)
      types.append(Self.type(of: argument))
    }
  }

  /// Boxes arguments of a caller on the main actor.
  @MainActor
  init<each Argument>(onMainActor tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil) {
    self.init(tags, repeat each args, cached: cached)
    isOnMainActor = true
  }

  private static func type<Argument>(of argument: Argument) -> any Any.Type { Argument.self }

  /// Returns the same request with other tags.
  func with(tags: [Tag]) -> Self {
    Self(
      tags: tags, arguments: arguments, types: types, cached: cached, isOnMainActor: isOnMainActor, mayWait: mayWait)
  }
}

/// The instance for a request can only be made by a caller that waits.
struct NotReady: Error {}
