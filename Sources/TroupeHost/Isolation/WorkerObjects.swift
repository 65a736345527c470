internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// The objects of a worker that its host refers to by numbers: handles of C libraries, and transforms. No number is used twice.
final class WorkerObjects: Sendable {
  /// A transform, which one call at a time uses, since the host has one owner of it.
  final class Stage: @unchecked Sendable {
    // Sendable because `Transform` requires its users to use it on one thread at a time, and the host's side passes that on.
    let transform: any Transform
    init(_ transform: any Transform) { self.transform = transform }
  }

  private struct State {
    var last: UInt32 = 0
    var handles: [UInt32: ForeignHandle] = [:]
    var numbers: [ObjectIdentifier: UInt32] = [:]
    var stages: [UInt32: Stage] = [:]
  }

  private let state = Mutex(State())

  /// Returns the number of a handle, the same one for as long as the host has it.
  func number(of handle: ForeignHandle) -> UInt64 {
    state.withLock { state in
      if let known = state.numbers[ObjectIdentifier(handle)] { return UInt64(known) }
      state.last += 1
      state.handles[state.last] = handle
      state.numbers[ObjectIdentifier(handle)] = state.last
      return UInt64(state.last)
    }
  }

  /// Returns the handle with a number.
  func handle(_ number: UInt64) throws -> ForeignHandle {
    guard let handle = state.withLock({ $0.handles[UInt32(truncatingIfNeeded: number)] }) else {
      throw ReadError("there is no handle \(number)")
    }
    return handle
  }

  /// Releases the handles among the arguments of a call that the call has taken over.
  func releaseTaken(_ arguments: [Value]) {
    for case .handle(let handle) in arguments where handle.isReleased {
      if let number = state.withLock({ $0.numbers[ObjectIdentifier(handle)] }) { release(number) }
    }
  }

  /// Adds a transform and returns its number.
  func add(_ transform: any Transform) -> UInt32 {
    let stage = Stage(transform)
    return state.withLock { state in
      state.last += 1
      state.stages[state.last] = stage
      return state.last
    }
  }

  /// Returns the transform with a number.
  func transform(_ number: UInt32) throws -> any Transform {
    guard let stage = state.withLock({ $0.stages[number] }) else { throw ReadError("there is no instance \(number)") }
    return stage.transform
  }

  /// Releases an object.
  func release(_ number: UInt32) {
    // Released outside the lock: that runs code of the plugin.
    let released: (ForeignHandle?, Stage?) = state.withLock { state in
      let handle = state.handles.removeValue(forKey: number)
      if let handle { state.numbers[ObjectIdentifier(handle)] = nil }
      return (handle, state.stages.removeValue(forKey: number))
    }
    withExtendedLifetime(released) {}
  }
}
