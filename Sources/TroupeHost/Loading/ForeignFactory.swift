internal import Troupe
internal import TroupeCall

/// A C function of a plugin as the container sees it.
struct ForeignFactory: @unchecked Sendable {
  // Sendable because all of it is constant: the descriptor's pointers are to code and tables of the image, which `image`
  // keeps open, and the header has plugins stand that they are used from any thread.
  private let descriptor: FactoryDescriptor
  private let prepared: PreparedCall
  private let image: PluginImage
  private let resolver: UnsafeRawPointer

  init(_ descriptor: FactoryDescriptor, prepared: PreparedCall, image: PluginImage, resolver: UnsafeRawPointer) {
    self.descriptor = descriptor
    self.prepared = prepared
    self.image = image
    self.resolver = resolver
  }

  /// The registration of a factory: under the contract's Swift type, or as a `ForeignInstance` if nobody knows the contract.
  func entry(_ contract: Contract?, tags: Set<AnySendableHashable>) -> Entry {
    Entry.dynamic(contract?.type ?? ForeignInstance.self, tags: tags, lifetime: descriptor.declaration.lifetime) {
      _, arguments in
      let instance = try make(arguments)
      return try contract?.adopt(instance) ?? instance
    }
  }

  /// The registrations of a plain function: the function itself, and what it returns for arguments given at resolve.
  func functionEntries(tags: Set<AnySendableHashable>) -> [Entry] {
    let function = ForeignFunction(descriptor.declaration, prepared: prepared, image: image, resolver: resolver)
    return [
      Entry.dynamic(ForeignFunction.self, tags: tags, lifetime: .transient) { _, _ in function },
      Entry.dynamic(Value.self, tags: tags, lifetime: .transient) { _, arguments in
        try function.call(FactoryArguments.values(of: arguments))
      },
    ]
  }

  private func make(_ arguments: [Any]) throws -> ForeignInstance {
    ThreadText.failure.set(nil)
    let result = try prepared.call(FactoryArguments.values(of: arguments), resolver: resolver)
    let message = ThreadText.failure.take()
    guard case .pointer(let pointer) = result, let object = pointer.rawPointer else {
      throw FactoryFailure(description: message ?? "it returned NULL and gave no reason")
    }
    return ForeignInstance(
      contract: descriptor.declaration.contract ?? "", object: object, vtable: descriptor.vtable, destroy: descriptor.destroy,
      plugin: image
    )
  }
}

/// A C factory that returned NULL.
struct FactoryFailure: Error, CustomStringConvertible {
  let description: String
}
