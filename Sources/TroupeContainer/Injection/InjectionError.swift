/// An error for a block of an injection that does not return its target.
public enum InjectionError: Error, Sendable, CustomStringConvertible {
  /// The block got an object of this type and returned another object.
  case anotherObject(any Any.Type)
  /// The block got a value of the first type and returned one of the second.
  case anotherType(any Any.Type, any Any.Type)

  /// One sentence for the user.
  public var description: String {
    switch self {
    case .anotherObject(let type):
      "a block was given a \(String(reflecting: type)) and returned another object; it has to return the one that it was given"
    case .anotherType(let given, let returned):
      "a block was given a \(String(reflecting: given)) and returned a \(String(reflecting: returned)); "
        + "it has to return a value of the type that it was given"
    }
  }

  /// Returns the result of a step, or throws unless it is the same object, or a value of the same type.
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

  /// Returns the address of an object, in a variable of its class or of a protocol: the first word in all cases (The Swift ABI,
  /// Type Layout). A cast to AnyObject takes ten times as long as the other steps.
  @inlinable
  static func address<Object>(_ object: Object) -> UInt {
    withUnsafeBytes(of: object) { $0.loadUnaligned(as: UInt.self) }
  }
}
