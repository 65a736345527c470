internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// The objects of a worker that its host refers to by IDs: handles of C libraries, and transforms. No ID is used twice.
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
    var handleIDs: [ObjectIdentifier: UInt32] = [:]
    var stages: [UInt32: Stage] = [:]
  }

  private let state = Mutex(State())

  /// Returns the ID of a handle, the same one for as long as the host has it.
  func id(of handle: ForeignHandle) -> UInt64 {
    state.withLock { state in
      if let known = state.handleIDs[ObjectIdentifier(handle)] { return UInt64(known) }
      state.last += 1
      state.handles[state.last] = handle
      state.handleIDs[ObjectIdentifier(handle)] = state.last
      return UInt64(state.last)
    }
  }

  func handle(_ id: UInt64) throws -> ForeignHandle {
    guard let handle = state.withLock({ $0.handles[UInt32(truncatingIfNeeded: id)] }) else {
      throw ReadError("there is no handle \(id)")
    }
    return handle
  }

  /// Releases the handles among the arguments of a call that the call has taken over.
  func releaseTaken(_ arguments: [Value]) {
    for case .handle(let handle) in arguments where handle.isReleased {
      if let id = state.withLock({ $0.handleIDs[ObjectIdentifier(handle)] }) { release(id) }
    }
  }

  /// Adds a transform and returns its ID.
  func add(_ transform: any Transform) -> UInt32 {
    let stage = Stage(transform)
    return state.withLock { state in
      state.last += 1
      state.stages[state.last] = stage
      return state.last
    }
  }

  func transform(_ id: UInt32) throws -> any Transform {
    guard let stage = state.withLock({ $0.stages[id] }) else { throw ReadError("there is no instance \(id)") }
    return stage.transform
  }

  func release(_ id: UInt32) {
    // Released outside the lock: that runs code of the plugin.
    let released: (ForeignHandle?, Stage?) = state.withLock { state in
      let handle = state.handles.removeValue(forKey: id)
      if let handle { state.handleIDs[ObjectIdentifier(handle)] = nil }
      return (handle, state.stages.removeValue(forKey: id))
    }
    withExtendedLifetime(released) {}
  }
}
