/// A `Resolvable` type that says what its `init(scope:)` resolves, so that it is known before anything is made.
///
/// `@Resolvable` adds the conformance. A type with an `init(scope:)` of its own may conform, too:
///
/// ```swift
/// final class Clock: Resolvable, DependencyListing {
///   private let source: TimeSource
///   init(scope: any DependencyResolutionScope) { source = scope.resolve() }
///   static var listedDependencies: [any Any.Type]? { [TimeSource.self] }
/// }
/// ```
public protocol DependencyListing: SendableMetatype {
  /// The types that are resolved, in the order in which they are; an optional one may be missing. Nil if nobody knows, as of a
  /// subclass that neither has `@Resolvable` nor says it.
  static var listedDependencies: [any Any.Type]? { get }
}

extension Resolvable {
  /// The types that `init(scope:)` resolves; nil if nobody knows.
  static var knownDependencies: [any Any.Type]? { (self as? any DependencyListing.Type)?.listedDependencies }
}
