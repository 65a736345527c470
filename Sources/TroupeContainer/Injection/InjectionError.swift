/// What a block of an injection did that it must not.
public enum InjectionError: Error, Sendable, CustomStringConvertible {
  /// It was given an object of this type and returned another one.
  case anotherObject(any Any.Type)
  /// It was given a value of the first type and returned one of the second.
  case anotherType(any Any.Type, any Any.Type)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .anotherObject(let type):
      "a block was given a \(String(reflecting: type)) and returned another object; it has to return the one that it was given"
    case .anotherType(let given, let returned):
      "a block was given a \(String(reflecting: given)) and returned a \(String(reflecting: returned)); "
        + "it has to return a value of the type that it was given"
    }
  }

  /// What was made of a target, if that is the same object, or a value of the same type.
  @inlinable
  static func checked<Target>(_ result: Target, given target: Target) throws(InjectionError) -> Target {
    let (given, returned) = (type(of: target as Any), type(of: result as Any))
    if given is AnyClass {
      guard returned == given, address(result) == address(target) else { throw .anotherObject(given) }
    } else {
      guard returned == given else { throw .anotherType(given, returned) }
    }
    return result
  }

  /// The address of an object, known as what it is or as what it conforms to: the first word of all of these (The Swift ABI, Type
  /// Layout). A cast to AnyObject takes ten times as long as all else.
  @inlinable
  static func address<Object>(_ object: Object) -> UInt {
    withUnsafeBytes(of: object) { $0.loadUnaligned(as: UInt.self) }
  }
}
