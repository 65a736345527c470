/// The assignment of an implementation `I` to a contract `C`.
///
/// It is a function type, because no generic constraint expresses that one type is, or conforms to, another. `assigned(I.self)`
/// returns a function to an `I`. The compiler converts it to a function to a `C` only if each `I` is a `C`.
public typealias Assigned<C, I> = @Sendable (AssignedInstance<I>) -> C

/// An instance of an implementation; used only by ``Assigned``.
public struct AssignedInstance<I> {
  let instance: I
}

/// Returns the assignment of an implementation, for a registration under a contract.
///
/// ```swift
/// builder.transient((any Clock).self, assigned(SystemClock.self))
/// ```
///
/// It compiles only if the implementation is the contract, is a subclass of it, or conforms to it.
public func assigned<I>(_ implementation: I.Type) -> Assigned<I, I> {
  { $0.instance }
}
