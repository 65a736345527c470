/// A `Resolvable` type that lists the dependencies of its `init(scope:)`, so that they are known before an instance is made.
///
/// `@Resolvable` adds the conformance. A type with its own `init(scope:)` can conform as well:
///
/// ```swift
/// final class Clock: Resolvable, DependencyListing {
///   private let source: TimeSource
///   init(scope: any DependencyResolutionScope) { source = scope.resolve() }
///   static var listedDependencies: [any Any.Type]? { [TimeSource.self] }
/// }
/// ```
public protocol DependencyListing: SendableMetatype {
  /// The resolved types, in the order of the resolves; an optional one may be missing. Nil if they are not known, as for a subclass
  /// without `@Resolvable` and without its own list.
  static var listedDependencies: [any Any.Type]? { get }
}

extension Resolvable {
  /// The types that `init(scope:)` resolves; nil if they are not known.
  static var knownDependencies: [any Any.Type]? { (self as? any DependencyListing.Type)?.listedDependencies }
}
