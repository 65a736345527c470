/// Says that a `C` may be had by having an `I`.
///
/// A function, since no generic constraint can say that one type is, or conforms to, another: `assigned(I.self)` gives an `I`, and the
/// compiler takes it for what gives a `C` where each `I` is a `C`, and nowhere else.
public typealias Assigned<C, I> = @Sendable (AssignedInstance<I>) -> C

/// An instance on its way to becoming what it is registered as; of use to ``Assigned`` alone.
public struct AssignedInstance<I> {
  let instance: I
}

/// Names the implementation that a contract is registered with.
///
/// ```swift
/// builder.transient((any Clock).self, assigned(SystemClock.self))
/// ```
///
/// It does not compile where the one is not the other, a subclass of it, or conforms to it.
public func assigned<I>(_ implementation: I.Type) -> Assigned<I, I> {
  { $0.instance }
}
