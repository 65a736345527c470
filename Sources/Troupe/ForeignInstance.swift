/// An instance that a plugin's C factory made: a pointer, and the contract's table of functions.
///
/// The only `ForeignInstance` of an object owns it. Its release calls the plugin's destroy function on the releasing thread, and may then
/// close the plugin. The contract defines which threads may use the object.
public final class ForeignInstance {
  /// The type of a destroy function.
  public typealias Destroy = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The contract that the object fulfils, such as `troupe.transform/1`.
  public var contract: String { maker.contract }
  /// The first argument for the functions of the table.
  public let object: UnsafeMutableRawPointer
  /// The contract's table, or nil for a contract that has none.
  public var vtable: UnsafeRawPointer? { maker.vtable }

  private let maker: ForeignInstanceFactory

  /// Takes ownership of an object.
  package init(_ object: UnsafeMutableRawPointer, of maker: ForeignInstanceFactory) {
    self.object = object
    self.maker = maker
  }

  /// Takes ownership of an object with a maker of its own.
  package convenience init(
    contract: String, object: UnsafeMutableRawPointer, vtable: UnsafeRawPointer?, destroy: Destroy?, plugin: AnyObject?
  ) {
    self.init(object, of: ForeignInstanceFactory(contract: contract, vtable: vtable, destroy: destroy, plugin: plugin))
  }

  deinit {
    maker.lock?.lock()
    maker.destroy?(object)
    maker.lock?.unlock()
  }
}

/// The common data of all instances of a plugin's C factory. Each instance keeps it alive, and with it the plugin.
package final class ForeignInstanceFactory: @unchecked Sendable {
  // Sendable because all of it is constant, the pointers are to code and tables of the plugin, and no code reads `plugin`.

  fileprivate let contract: String
  fileprivate let vtable: UnsafeRawPointer?
  fileprivate let destroy: ForeignInstance.Destroy?
  private let plugin: AnyObject?
  fileprivate let lock: (any InstanceLock)?

  /// - Parameters:
  ///   - plugin: The objects to keep alive for as long as an instance, above all the open image.
  ///   - lock: Held by the destroy function; nil if several threads may run it at once.
  package init(
    contract: String, vtable: UnsafeRawPointer?, destroy: ForeignInstance.Destroy?, plugin: AnyObject?,
    lock: (any InstanceLock)? = nil
  ) {
    self.lock = lock
    self.contract = contract
    self.vtable = vtable
    self.destroy = destroy
    self.plugin = plugin
  }
}

/// The lock of a library whose functions one thread at a time may run.
package protocol InstanceLock: AnyObject, Sendable {
  func lock()
  func unlock()
}

/// A Swift instance that wraps an instance made in C.
public protocol ForeignBacked {
  /// The instance made in C.
  var foreign: ForeignInstance { get }
}

extension ForeignInstance: ForeignBacked {
  /// This instance.
  public var foreign: ForeignInstance { self }
}
