/// Checks and casts arguments in boxes, `[Any]`, for the slow path and for callers that do not know the types.
enum BoxedArguments {
  /// Returns the types of a pack, in order.
  static func types<each Argument>(_ type: repeat (each Argument).Type) -> [any Any.Type] {
    var types: [any Any.Type] = []
    for type in repeat each type { types.append(type) }
    return types
  }

  /// True if the arguments are as many as the types of a pack and can be cast to them.
  static func canCast<each Argument>(_ arguments: [Any], _ type: repeat (each Argument).Type) -> Bool {
    var rest = arguments[...]
    for type in repeat each type {
      guard let argument = rest.popFirst(), isInstance(argument, of: type) else { return false }
    }
    return rest.isEmpty
  }

  static func canCast(_ arguments: [Any], _ types: [any Any.Type]) -> Bool {
    guard arguments.count == types.count else { return false }
    for (argument, type) in zip(arguments, types) {
      func accepts<T>(_ type: T.Type) -> Bool { isInstance(argument, of: type) }
      if !accepts(type) { return false }
    }
    return true
  }

  /// Returns the arguments, or throws if their number differs from that of the factory.
  static func counted(_ arguments: [Any], _ count: Int) throws -> ArraySlice<Any> {
    guard arguments.count == count else { throw ArgumentTypeError() }
    return arguments[...]
  }

  /// Returns the next argument, cast to the type that the factory takes.
  static func next<Argument>(_ type: Argument.Type, _ rest: inout ArraySlice<Any>) throws -> Argument {
    guard let first = rest.popFirst(), let argument = first as? Argument else { throw ArgumentTypeError() }
    return argument
  }

  private static func isInstance<T>(_ value: Any, of type: T.Type) -> Bool { value is T }
}

/// The factory does not take the arguments. The container turns it into `ResolutionError.Reason.invalidArgsType`.
struct ArgumentTypeError: Error {}
