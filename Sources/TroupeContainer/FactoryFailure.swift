/// A factory that threw an error.
///
/// A `resolve` throws the error itself. A closure of the container gets this: see
/// `Container.init(parent:collisions:learnsDependencies:onFactoryFailure:)`.
public struct FactoryFailure: Sendable, CustomStringConvertible {
  /// The error.
  public let error: any Error
  /// The registrations whose factories led to the error, outermost first. The factory of the last one threw it.
  public let path: [ValidationReport.Step]
  /// The owner of the registration whose factory threw the error, such as a plugin.
  public let owner: Owner?

  /// One line for a person: the factory with the source location of its registration, the error and the dependency path.
  public var description: String {
    let names = path.map { $0.key.name + ($0.place.map { " (\($0))" } ?? "") }
    let factory = (path.last?.key.isInjection == true ? "" : "the factory of ") + (names.last ?? "")
    return "\(factory) threw \(error)" + (names.count > 1 ? "; dependency path: " + names.joined(separator: " → ") : "")
  }
}

extension Container {
  /// Returns the error with which the innermost factory ends: a `ResolutionError` with the dependency path, any other error as it
  /// is. Reports an error that does not come from a resolve inside of the factory.
  @usableFromInline
  func errorOfFactory(_ error: any Error) -> any Error {
    if let error = error as? ResolutionError { return error.withPath }
    guard !(error is CancellationError), let report = lineage.lazy.compactMap(\.onFactoryFailure).first else { return error }
    if !BuildPath.isReported(error) {
      let path = BuildPath.all()
      report(FactoryFailure(error: error, path: path.map(ValidationReport.Step.init), owner: path.last?.owner))
    }
    BuildPath.noteReported(error, outside: true)
    return error
  }

  /// Returns the error with which the factory of an entry ends after it got the arguments of a request, which may be of other types.
  func errorOfFactory(_ error: any Error, _ entry: Entry, _ request: Request) -> any Error {
    errorOfFactory(error is ArgumentMismatch ? ResolutionError.mismatch(entry, request, in: self) : error)
  }
}

/// A weak reference to an error, for comparisons by identity. It does not keep the error's contents alive.
@usableFromInline
struct ErrorReference {
  private weak var box: AnyObject?

  init(_ error: any Error) { box = Self.box(of: error) }

  /// Whether it is the same error, in the same box.
  func refers(to error: any Error) -> Bool { box === Self.box(of: error) }

  /// The box of an error, which a rethrow passes on. On Linux an `any Error` is one reference to a native object.
  private static func box(of error: any Error) -> AnyObject {
    // Without the cast the compiler passes the boxed value.
    unsafeBitCast(error as any Error, to: AnyObject.self)
  }
}
