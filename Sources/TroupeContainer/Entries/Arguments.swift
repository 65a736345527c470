/// Arguments whose types are forgotten, on their way to a factory that knows them.
enum Arguments {
  /// The types of a pack, in order.
  static func types<each Argument>(_ type: repeat (each Argument).Type) -> [any Any.Type] {
    var types: [any Any.Type] = []
    for type in repeat each type { types.append(type) }
    return types
  }

  /// Whether arguments can be cast to the types of a pack, one by one.
  static func fit<each Argument>(_ arguments: [Any], _ type: repeat (each Argument).Type) -> Bool {
    var rest = arguments[...]
    for type in repeat each type {
      guard let argument = rest.popFirst(), isInstance(argument, of: type) else { return false }
    }
    return rest.isEmpty
  }

  /// Whether arguments can be cast to some types, one by one.
  static func fit(_ arguments: [Any], _ types: [any Any.Type]) -> Bool {
    guard arguments.count == types.count else { return false }
    for (argument, type) in zip(arguments, types) {
      func accepts<T>(_ type: T.Type) -> Bool { isInstance(argument, of: type) }
      if !accepts(type) { return false }
    }
    return true
  }

  /// The arguments, if there are as many as the factory takes.
  static func counted(_ arguments: [Any], _ count: Int) throws -> ArraySlice<Any> {
    guard arguments.count == count else { throw ArgumentMismatch() }
    return arguments[...]
  }

  /// The next argument as what the factory takes, dynamically cast where need be.
  static func next<Argument>(_ type: Argument.Type, _ rest: inout ArraySlice<Any>) throws -> Argument {
    guard let first = rest.popFirst(), let argument = first as? Argument else { throw ArgumentMismatch() }
    return argument
  }

  private static func isInstance<T>(_ value: Any, of type: T.Type) -> Bool { value is T }
}

/// The arguments are not those that the factory takes.
struct ArgumentMismatch: Error {}
