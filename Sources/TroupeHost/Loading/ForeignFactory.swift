internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// A C function of a plugin, as a factory of the container.
struct ForeignFactory: @unchecked Sendable {
  // Sendable because it is constant: `code` points to code and tables of the image, which `image` keeps open, and the header
  // requires plugins to allow the use of both from all threads.
  private let description: RegistrationDescription
  private let code: FactoryCode
  private let prepared: PreparedCall
  private let image: PluginImage
  private let resolver: ResolverTable
  private let isInterrupted: (@Sendable () -> Bool)?
  /// The common data of its instances.
  private let maker: ForeignInstanceFactory
  private let failure: ForeignFactoryError

  init(
    _ description: RegistrationDescription, _ code: FactoryCode, prepared: PreparedCall, image: PluginImage,
    resolver: ResolverTable, isInterrupted: (@Sendable () -> Bool)?
  ) {
    (self.description, self.code, self.prepared) = (description, code, prepared)
    (self.image, self.resolver, self.isInterrupted) = (image, resolver, isInterrupted)
    maker = Self.maker(description, code, keeping: image, prepared.lock)
    failure = ForeignFactoryError(plugin: description.plugin, factory: description.name)
  }

  private static func maker(
    _ description: RegistrationDescription, _ code: FactoryCode, keeping kept: AnyObject, _ lock: CallLock?
  ) -> ForeignInstanceFactory {
    ForeignInstanceFactory(
      contract: description.contract ?? "", vtable: code.vtable, destroy: code.destroy, plugin: kept, lock: lock)
  }

  /// The image and the resolver that an instance with a resolver of its own keeps alive.
  private final class KeepAlive {
    let image: PluginImage
    let resolver: ResolverTable

    init(_ image: PluginImage, _ resolver: ResolverTable) { (self.image, self.resolver) = (image, resolver) }
  }

  private func maker(keeping resolver: ResolverTable) -> ForeignInstanceFactory {
    Self.maker(description, code, keeping: KeepAlive(image, resolver), prepared.lock)
  }

  /// Returns the registration of a factory: under the contract's Swift type, or as a `ForeignInstance` if the contract is unknown.
  func entry(_ contract: Contract?) -> Entry {
    guard let contract else { return entry(IdentityAdapter()) }
    return entry(contract.adapter)
  }

  private struct IdentityAdapter: ForeignAdapter {
    func wrap(_ foreign: ForeignInstance) -> ForeignInstance { foreign }
  }

  private func entry<Adapter: ForeignAdapter>(_ adapter: Adapter) -> Entry {
    let (type, lifetime) = (Adapter.Instance.self, description.lifetime)
    let tags = TagList(description.tags, description.uuid)
    let signature = code.type.signature
    if signature.parameters.contains(where: { $0.type == .resolver }) {
      if signature.callerParameters.isEmpty {
        return .plain(type, tags: tags, lifetime: lifetime) { try make([], resolvingFrom: $0.container, by: adapter) }
      }
      return .dynamic(type, tags: tags, lifetime: lifetime) { resolver, arguments in
        try make(arguments, resolvingFrom: resolver.container, by: adapter)
      }
    }
    guard prepared.makesFromWords else {
      return .dynamic(type, tags: tags, lifetime: lifetime) { _, arguments in try make(arguments, by: adapter) }
    }
    // Each closure captures its values directly, which avoids reference counting.
    let (prepared, maker, failure) = (prepared, maker, failure)
    if signature.callerParameters.isEmpty {
      return .plain(type, tags: tags, lifetime: lifetime) { _ in
        ThreadLocalCString.failure.clear()
        let made = try prepared.make(
          UnsafeBufferPointer<PreparedCall.Unboxed>(start: nil, count: 0), discard: { Self.destroy($0, of: maker) })
        return try adapter.wrap(Self.instance(made ?? 0, of: maker, else: failure))
      }
    }
    return .dynamic(type, tags: tags, lifetime: lifetime) { arguments in
      ThreadLocalCString.failure.clear()
      let made = try prepared.make(arguments, discard: { Self.destroy($0, of: maker) })
      guard let address = made else { return nil }
      return try adapter.wrap(Self.instance(address, of: maker, else: failure))
    } factory: { _, arguments in
      try make(arguments, by: adapter)
    }
  }

  /// The plain function of a registration without a contract.
  var plainFunction: ForeignFunction {
    ForeignFunction(
      description,
      LocalFunction(
        prepared, body: code.body.map(ColumnLoop.init(body:)), image: image,
        resolver: UnsafeRawPointer(resolver.pointer), isInterrupted: isInterrupted))
  }

  /// Calls the function with any arguments.
  ///
  /// - Parameter container: The resolving container, for a function that takes a resolver. That resolver lives as long as the instance.
  private func make<Adapter: ForeignAdapter>(
    _ arguments: [Any], resolvingFrom container: Container? = nil, by adapter: Adapter
  ) throws -> Adapter.Instance {
    let resolver = container.map(resolver.from) ?? resolver
    let maker = resolver === self.resolver ? maker : maker(keeping: resolver)
    ThreadLocalCString.failure.clear()
    let address = try withExtendedLifetime(resolver) {
      try prepared.make(
        FactoryArguments.values(of: arguments), resolver: UnsafeRawPointer(resolver.pointer),
        discard: { Self.destroy($0, of: maker) })
    }
    return try adapter.wrap(Self.instance(address, of: maker, else: failure))
  }

  /// Destroys the result of a failed call.
  private static func destroy(_ address: UInt, of maker: ForeignInstanceFactory) {
    if let object = UnsafeMutableRawPointer(bitPattern: address) { _ = ForeignInstance(object, of: maker) }
  }

  /// Takes ownership of the result of the function. Throws the failure, with the text of `fail`, for NULL.
  private static func instance(
    _ address: UInt, of maker: ForeignInstanceFactory, else failure: ForeignFactoryError
  ) throws -> ForeignInstance {
    guard let object = UnsafeMutableRawPointer(bitPattern: address) else {
      var failure = failure
      if let text = ThreadLocalCString.failure.take() { (failure.reason, failure.hasReason) = (text, true) }
      throw failure
    }
    return ForeignInstance(object, of: maker)
  }
}

/// A C factory that returned NULL.
public struct ForeignFactoryError: Error, CustomStringConvertible {
  /// The id of the plugin.
  public let plugin: String
  /// The name of the factory.
  public let factory: String
  /// The text of `troupe_host.fail`.
  public internal(set) var reason = "it returned NULL and gave no reason"
  package internal(set) var hasReason = false

  init(plugin: String, factory: String, reason: String? = nil) {
    (self.plugin, self.factory, hasReason) = (plugin, factory, reason != nil)
    if let reason { self.reason = reason }
  }

  /// One line for the user.
  public var description: String { "\(factory) of \(plugin): \(reason)" }
}

extension CallLock: InstanceLock {}
