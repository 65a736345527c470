// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import Synchronization
internal import TroupeCall
internal import TroupeHost

/// The object behind a `troupe_function_t`: a function of a plugin, with the parts of its signature that each call needs.
///
/// `troupe_function_call` has two paths. One takes numbers and pointers: a `troupe_call_value` has the layout of a `CallWord`, so that
/// the program's array is read in place, in some nanoseconds. All other arguments are decoded to `Value`s and the result is encoded.
final class FunctionHandle: Handle, Sendable {
  let function: ForeignFunction
  let name: OwnedCString
  /// Nil unless all parameters and the result are numbers or pointers.
  /// Kept by `function`, and not counted, which would cost as much as the call.
  private let words: Unmanaged<PreparedCall>?
  /// Stored, because the signature computes them at each access.
  private let parameters: [Signature.Parameter]
  private let signature = Mutex<CTypeTree?>(nil)
  /// As of the host.
  private let hasReferences: Bool

  init(_ function: ForeignFunction, hasReferences: Bool) {
    (self.function, self.hasReferences) = (function, hasReferences)
    name = OwnedCString(function.name)
    words = function.prepared.flatMap { $0.takesWords ? Unmanaged.passUnretained($0) : nil }
    parameters = function.signature.callerParameters
  }

  /// Created at the first use; lives as long as this object.
  var cSignature: UnsafePointer<troupe_signature> {
    signature.withLock { tree in
      let made = tree ?? CTypeTree(.function(function.signature), hasReferences: hasReferences)
      tree = made
      // The tree of a function has its signature.
      return made.type.pointee.signature.unsafelyUnwrapped
    }
  }
}

@c @implementation
public func troupe_host_function(
  _ host: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  ErrorHandle.pointer(error) {
    let handle = try HostHandle.borrow(host, as: "host")
    let host = handle.host
    let name = try String(name, as: "name")
    let registrations = host.functions(name)
    guard let registration = registrations.first else {
      let faults = host.plugins.compactMap { plugin in plugin.state.diagnosis.map { (plugin.path, $0.problem) } }
      let remedy = faults.first.map { path, problem in
        "correct \(path), which \(problem)" + (faults.count > 1 ? ", or another of the \(faults.count) faulty plugins" : "")
      }
      let known = host.registrations.filter(\.isFunction).map(\.name)
      if let near = nearestName(to: name, in: known) {
        throw Diagnosis(
          .notRegistered, name, problem: "no plugin has a function of this name",
          remedy: "did you mean \"\(near.shortened())\"?")
      }
      throw Diagnosis(
        .notRegistered, name,
        problem: "no plugin has a function of this name; known functions: \(knownNames(known, for: name))",
        remedy: remedy ?? (known.isEmpty ? "name a directory with plugins, and load them" : "use one of them"))
    }
    guard registrations.count == 1 else {
      let list = registrations.map(\.distinction).joined(separator: ", ")
      throw Diagnosis(.ambiguous, name, problem: "is the name of several functions: \(list)", remedy: "use the UUID")
    }
    return FunctionHandle(try host.function(registration), hasReferences: handle.hasReferences).retainedPointer()
  }
}

@c @implementation
public func troupe_function_free(_ function: OpaquePointer?) { FunctionHandle.release(function) }

@c @implementation
public func troupe_function_name(_ function: OpaquePointer) -> UnsafePointer<CChar> {
  FunctionHandle.borrow(function).name.pointer
}

@c @implementation
public func troupe_function_signature(_ function: OpaquePointer) -> UnsafePointer<troupe_signature> {
  FunctionHandle.borrow(function).cSignature
}

@c @implementation
public func troupe_function_is_isolated(_ function: OpaquePointer) -> Int32 {
  FunctionHandle.borrow(function).function.isIsolated ? 1 : 0
}

@c @implementation
public func troupe_function_is_thread_safe(_ function: OpaquePointer) -> Int32 {
  FunctionHandle.borrow(function).function.isCallableFromAnyThread ? 1 : 0
}

@c @implementation
public func troupe_function_address(
  _ function: OpaquePointer?, _ signature: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> (@convention(c) () -> Void)? {
  ErrorHandle.pointer(error) {
    let function = try FunctionHandle.borrow(function, as: "function").function
    let given = try Signature(parsing: String(signature, as: "signature"))
    guard function.signature.isPassed(as: given) else {
      throw Diagnosis(
        .invalidSignature, function.name, problem: "has the type \(function.signature), not \(given)",
        remedy: "call it with its own type")
    }
    guard !function.isIsolated else {
      throw Diagnosis(
        .unavailable, function.name, problem: "runs in a worker, so that it has no address in this process",
        remedy: "call it with troupe_function_call")
    }
    guard let address = function.address else {
      throw Diagnosis(
        .unavailable, function.name,
        problem: "has no address, since one thread at a time may run it, and direct calls wait for no others",
        remedy: "call it with troupe_function_call, or, if the library's documentation allows several threads, "
          + "add \"threads\": \"any\" to the adopting file")
    }
    return unsafeBitCast(UnsafeRawPointer(address.rawPointer), to: (@convention(c) () -> Void).self)
  }
}

@c @implementation
public func troupe_function_call(
  _ function: OpaquePointer?, _ arguments: UnsafePointer<troupe_call_value>?, _ count: Int,
  _ result: UnsafeMutablePointer<troupe_call_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  guard let function, let result else { return missing(function == nil ? "function" : "result", error) }
  // A reference that is not counted, which would cost as much as the call.
  return Unmanaged<FunctionHandle>.fromOpaque(UnsafeRawPointer(function))._withUnsafeGuaranteedRef {
    $0.call(arguments, count, result, error)
  }
}

@inline(never)
private func missing(_ name: String, _ error: ErrorHandle.Slot) -> troupe_status {
  ErrorHandle.store(Diagnosis.missing(name), of: "", in: error)
}

extension FunctionHandle {
  @inline(__always)
  fileprivate func call(
    _ arguments: UnsafePointer<troupe_call_value>?, _ count: Int, _ result: UnsafeMutablePointer<troupe_call_value>,
    _ error: ErrorHandle.Slot
  ) -> troupe_status {
    let (given, place) = Self.words(arguments, result)
    if let words, words._withUnsafeGuaranteedRef({ $0.callSmall(given, count, place) }) { return troupe_status(TROUPE_OK) }
    return callWithAny(arguments, count, result, error)
  }

  @inline(__always)
  private static func words(
    _ arguments: UnsafePointer<troupe_call_value>?, _ result: UnsafeMutablePointer<troupe_call_value>
  ) -> (UnsafePointer<CallWord>?, UnsafeMutablePointer<CallWord>) {
    (
      UnsafeRawPointer(arguments)?.assumingMemoryBound(to: CallWord.self),
      UnsafeMutableRawPointer(result).assumingMemoryBound(to: CallWord.self)
    )
  }

  @inline(never)
  private func callWithAny(
    _ arguments: UnsafePointer<troupe_call_value>?, _ count: Int, _ result: UnsafeMutablePointer<troupe_call_value>,
    _ error: ErrorHandle.Slot
  ) -> troupe_status {
    // The result is written last, because the arguments may be in its memory.
    let status = ErrorHandle.status(error, of: function.name) {
      let (given, place) = Self.words(arguments, result)
      if let words, try words._withUnsafeGuaranteedRef({ try $0.call(given, count, place) }) { return }
      let outcome = try function.call(values(arguments, count))
      let signature = function.signature
      // An address would outlive the object that the program owns.
      let isOwned = signature.resultOwnership.deallocator != nil
      result.pointee = troupe_call_value(
        outcome, signature.result, references: hasReferences || isOwned, field: { signature.outcomeType($0) })
      if !hasReferences, result.pointee.kind == TROUPE_VALUE_REFERENCE {
        result.pointee.kind = troupe_value_kind(TROUPE_VALUE_OBJECT)
      }
    }
    if status != TROUPE_OK { result.pointee = .void }
    return status
  }

  private func values(_ arguments: UnsafePointer<troupe_call_value>?, _ count: Int) throws -> [Value] {
    guard try Diagnosis.hasElements(count, of: arguments, "arguments"), let arguments else { return [] }
    guard count <= parameters.count || function.signature.fixedCount != nil else { throw excess(count) }
    return try (0..<count).map { index in
      let parameter = index < parameters.count ? parameters[index] : nil
      do {
        return try Value(
          arguments[index], type: parameter?.type, isBuffer: parameter?.isBuffer ?? false, references: hasReferences)
      } catch let error as CallError {
        throw error.about(argument: index, name: parameter?.name)
      } catch let error as ArgumentError {
        throw error.diagnosis(function.name, index, parameter?.name)
      }
    }
  }

  private func excess(_ count: Int) -> Diagnosis {
    Diagnosis(
      .usage, function.name, problem: "\(count) argument\(count == 1 ? "" : "s") given, \(parameters.count) expected",
      remedy: "call it as \(function.signature)")
  }
}
