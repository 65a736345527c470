// The header documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import TroupeHost

/// The object behind a `troupe_host_t`.
final class CHost: Sendable {
  let host: PluginHost
  let log: Log

  init(_ options: PluginHost.Options) {
    host = PluginHost(options)
    log = options.log
  }
}

@c @implementation
public func troupe_host_start(
  _ options: UnsafePointer<troupe_host_options>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  CError.pointer(error) {
    let object = CHost(try PluginHost.Options(options))
    try Blocking.run(object.log) { await object.host.start() }
    return Handle.new(object)
  }
}

@c @implementation
public func troupe_host_free(_ host: OpaquePointer?) {
  guard let host else { return }
  troupe_host_shutdown(host)
  Handle<CHost>.release(host)
}

@c @implementation
public func troupe_host_shutdown(_ host: OpaquePointer) { Handle<CHost>.borrow(host).host.shutdown() }

private let version = CText(HostVersions.current.troupe)

@c @implementation
public func troupe_host_version() -> UnsafePointer<CChar> { version.pointer }

@c @implementation
public func troupe_host_reload(
  _ host: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ isReplaced: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  CError.status(error) {
    let object = try Handle<CHost>.borrow(host, as: "host")
    let id = try String(id, as: "id")
    let isChanged = try Blocking.run(object.log) { try await object.host.reload(id) }
    isReplaced?.pointee = isChanged ? 1 : 0
  }
}

@c @implementation
public func troupe_host_refresh(_ host: OpaquePointer) -> Int32 {
  let object = Handle<CHost>.borrow(host)
  // The task throws no error.
  return (try? Blocking.run(object.log) { await object.host.refresh() }) == true ? 1 : 0
}

@c @implementation
public func troupe_host_retire(
  _ host: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  CError.status(error) { try Handle<CHost>.borrow(host, as: "host").host.retire(String(id, as: "id")) }
}
