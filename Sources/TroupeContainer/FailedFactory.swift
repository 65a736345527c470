/// A factory that threw an error.
///
/// A `resolve` throws the error itself. The container passes a `FailedFactory` to its closure: see
/// `Container.init(parent:collisions:learnsDependencies:onFactoryFailure:)`.
public struct FailedFactory: Sendable, CustomStringConvertible {
  /// The error.
  public let error: any Error
  /// The registrations whose factories led to the error, outermost first. The factory of the last one threw it. Before it, transients with
  /// an asynchronous factory may be missing.
  public let path: [ValidationReport.Step]
  /// The owner of the registration whose factory threw the error, such as a plugin.
  public let owner: Owner?

  /// One line for the user: the factory with the source location of its registration, the error and the dependency path.
  public var description: String {
    let names = path.map(\.name)
    let factory = (path.last?.key.isInjection == true ? "" : "the factory of ") + (names.last ?? "")
    return "\(factory) threw \(error)" + (names.count > 1 ? "; dependency path: " + names.joined(separator: " → ") : "")
  }
}

extension Container {
  /// Returns the error that a resolve throws for an error of a factory. Adds the entry to the path of a `ResolutionError`. Reports any other
  /// error once, and returns it unchanged.
  func failure(_ error: any Error, of entry: Entry) -> any Error {
    if let error = error as? ResolutionError { return error.passing(entry) }
    guard !(error is CancellationError), let report = selfAndAncestors.lazy.compactMap(\.onFactoryFailure).first else {
      return error
    }
    if isFirstReport(of: error) {
      var path = BuildPath.all()
      if path.last !== entry { path.append(entry) }
      report(FailedFactory(error: error, path: path.map(ValidationReport.Step.init), owner: entry.owner))
    }
    return error
  }

  /// Returns a `ResolutionError` if the factory does not take the arguments of a request.
  func failure(_ error: any Error, of entry: Entry, _ request: Request) -> any Error {
    failure(error is ArgumentTypeError ? ResolutionError.mismatch(entry, request, in: self) : error, of: entry)
  }
}

/// Weak references to the errors that were reported and still exist, because each factory on the path throws the same error again.
private let reported = Lock<[ReportedError]>([])

private struct ReportedError {
  weak var box: AnyObject?
}

/// Returns true at the first call for an error. Compares the identity of the box of the error, which a rethrow passes on.
private func isFirstReport(of error: any Error) -> Bool {
  let (isFirst, boxes) = reported.withLock { reported in
    // On Linux an `any Error` is one reference to a native object. Without the cast the compiler passes the boxed value.
    let box = unsafeBitCast(error as any Error, to: AnyObject.self)
    // Each may become the last reference, whose release runs any code: so they leave the lock. Only their identity is used.
    let boxes = Transfer(reported.compactMap(\.box))
    if boxes.value.contains(where: { $0 === box }) { return (false, boxes) }
    reported.removeAll { $0.box == nil }
    // A program that keeps every error must not make each failure slower.
    if reported.count == 1024 { reported.removeFirst() }
    reported.append(ReportedError(box: box))
    return (true, boxes)
  }
  withExtendedLifetime(boxes) {}
  return isFirst
}
