// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Instances that a program in C resolves, and the scopes in which it resolves them.

public import CTroupeHost
internal import Troupe
internal import TroupeContainer
internal import TroupeHost

extension ABIStruct {
  /// `troupe_request`.
  fileprivate static let request = ABIStruct((minor: 0, bytes: 56))
}

/// The object behind a `troupe_scope`.
final class ScopeHandle: Handle, Sendable {
  let host: HostHandle
  let container: Container

  init(_ host: HostHandle) {
    self.host = host
    container = host.host.container.scope()
  }
}

/// The object behind a `troupe_instance_t`: a resolved instance, whichever language made it.
///
///     made in C      object, vtable = those of the plugin, which the Swift wrapper in `value` releases
///     made in Swift  object, vtable = those that the contract's export makes; released here
///     a transform    also a session, through which the program feeds it
final class InstanceHandle: Handle {
  let registration: UnsafePointer<troupe_registration>
  let transform: TransformSession?
  /// The first argument of the contract's functions in C; nil for a Swift instance of a contract without a C form.
  let object: UnsafeMutableRawPointer?
  /// The contract's functions in C; nil together with `object`.
  let vtable: UnsafeRawPointer?
  private let arena = CArena()
  private let value: Any
  private let exported: Contract.Exported?

  init(_ instance: ResolvedInstance, of host: PluginHost) {
    registration = arena.registration(instance.registration)
    value = instance.value
    transform = (instance.value as? any Transform).map(TransformSession.init)
    if let foreign = (instance.value as? any ForeignBacked)?.foreign {
      (object, vtable, exported) = (foreign.object, foreign.vtable, nil)
    } else {
      exported = host.exported(instance)
      (object, vtable) = (exported?.object, exported?.vtable)
    }
  }

  deinit { if let exported { exported.destroy(exported.object) } }
}

@c @implementation
public func troupe_scope_new(_ host: OpaquePointer) -> OpaquePointer { ScopeHandle(HostHandle.borrow(host)).retainedPointer() }

@c @implementation
public func troupe_scope_free(_ scope: OpaquePointer?) { ScopeHandle.release(scope) }

@c @implementation
public func troupe_host_resolve(
  _ host: OpaquePointer?, _ request: UnsafePointer<troupe_request>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<troupe_instance_list>? {
  ErrorHandle.pointer(error) {
    let handle = try HostHandle.borrow(host, as: "host")
    let request = try ABIStruct.request.copy(request, as: "request")
    let instances = try handle.host.resolveInstances(
      tags: String.list(request.tags, request.tag_count, as: "tags"),
      contract: String.optional(request.contract, as: "contract"),
      arguments: .values(arguments(request)), in: scope(request, of: handle))
    // The arena keeps the instances until troupe_instance_list_free.
    let arena = CArena()
    let items = instances.map { arena.pointer(to: InstanceHandle($0, of: handle.host)) }
    return arena.publish(troupe_instance_list(count: items.count, items: arena.array(items)))
  }
}

private func scope(_ request: troupe_request, of host: HostHandle) throws(Diagnosis) -> Container? {
  guard let handle = request.scope.map({ ScopeHandle.borrow($0) }) else { return nil }
  guard handle.host === host else {
    throw Diagnosis(
      .invalidArgument, "scope", problem: "is one of another host", remedy: "make it with troupe_scope_new of this host")
  }
  return handle.container
}

private func arguments(_ request: troupe_request) throws -> [Value] {
  guard try Diagnosis.hasElements(request.argument_count, of: request.arguments, "arguments"), let arguments = request.arguments
  else { return [] }
  return try (0..<request.argument_count).map { index in
    do {
      return try Value(arguments[index], type: nil)
    } catch let error as ArgumentError {
      throw Diagnosis(.invalidArgument, "arguments[\(index)]", problem: error.problem, remedy: error.remedy)
    }
  }
}

@c @implementation
public func troupe_instance_list_free(_ list: UnsafeMutablePointer<troupe_instance_list>?) { CArena.release(list) }

@c @implementation
public func troupe_instance_registration(_ instance: OpaquePointer) -> UnsafePointer<troupe_registration> {
  InstanceHandle.borrow(instance).registration
}

@c @implementation
public func troupe_instance_object(
  _ instance: OpaquePointer, _ table: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeMutableRawPointer? {
  let handle = InstanceHandle.borrow(instance)
  table?.pointee = handle.vtable
  return handle.object
}
