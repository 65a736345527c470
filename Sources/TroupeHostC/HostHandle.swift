// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import TroupeHost

/// The object behind a `troupe_host_t`: a `PluginHost`, and the log for warnings while a thread of the program waits for it.
final class HostHandle: Handle, Sendable {
  let host: PluginHost
  let log: Log
  /// The program knows `TROUPE_TYPE_REFERENCE` and `TROUPE_VALUE_REFERENCE`.
  let hasReferences: Bool

  init(_ options: PluginHost.Options, hasReferences: Bool) {
    host = PluginHost(options)
    log = options.log
    self.hasReferences = hasReferences
  }
}

@c @implementation
public func troupe_host_start(
  _ options: UnsafePointer<troupe_host_options>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  ErrorHandle.pointer(error) {
    let handle = HostHandle(
      try PluginHost.Options(options), hasReferences: try troupe_host_options.hasReferences(options))
    try BlockingTask.run(handle.log) { await handle.host.start() }
    return handle.retainedPointer()
  }
}

@c @implementation
public func troupe_host_free(_ host: OpaquePointer?) {
  guard let host else { return }
  troupe_host_shutdown(host)
  HostHandle.release(host)
}

@c @implementation
public func troupe_host_shutdown(_ host: OpaquePointer) { HostHandle.borrow(host).host.shutdown() }

private let version = OwnedCString(HostVersions.current.troupe)

@c @implementation
public func troupe_host_version() -> UnsafePointer<CChar> { version.pointer }

@c @implementation
public func troupe_host_reload(
  _ host: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ isReplaced: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error) {
    let handle = try HostHandle.borrow(host, as: "host")
    let id = try String(id, as: "id")
    // The thread would wait for the operation that it is part of.
    try handle.host.checkCanBlock(id, "reloaded")
    let isChanged = try BlockingTask.run(handle.log) { try await handle.host.reload(id) }
    isReplaced?.pointee = isChanged ? 1 : 0
  }
}

@c @implementation
public func troupe_host_refresh(_ host: OpaquePointer) -> Int32 {
  let handle = HostHandle.borrow(host)
  guard (try? handle.host.checkCanBlock("the plugins", "refreshed")) != nil else { return 0 }
  // The task throws no error.
  return (try? BlockingTask.run(handle.log) { await handle.host.refresh() }) == true ? 1 : 0
}

@c @implementation
public func troupe_host_retire(
  _ host: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error) { try HostHandle.borrow(host, as: "host").host.retire(String(id, as: "id")) }
}
