/// An instance that a plugin's C factory made: a pointer, and the contract's table of functions.
///
/// The only `ForeignInstance` of an object owns it. Its release calls the plugin's destroy function on the releasing thread, and may then
/// close the plugin. The contract defines which threads may use the object.
public final class ForeignInstance {
  /// Releases an object.
  public typealias Destroy = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The contract that the object fulfills, such as `troupe.transform/1`.
  public var contract: String { factory.contract }
  /// The first argument for the functions of the table.
  public let object: UnsafeMutableRawPointer
  /// The contract's table, or nil for a contract that has none.
  public var vtable: UnsafeRawPointer? { factory.vtable }

  private let factory: ForeignInstanceFactory

  /// Takes ownership of an object.
  package init(_ object: UnsafeMutableRawPointer, of factory: ForeignInstanceFactory) {
    self.object = object
    self.factory = factory
  }

  /// Takes ownership of an object that is the only one of its factory.
  package convenience init(
    contract: String, object: UnsafeMutableRawPointer, vtable: UnsafeRawPointer?, destroy: Destroy?, plugin: AnyObject?
  ) {
    self.init(object, of: ForeignInstanceFactory(contract: contract, vtable: vtable, destroy: destroy, plugin: plugin))
  }

  deinit {
    factory.lock?.lock(for: factory.destroy.map { unsafeBitCast($0, to: UnsafeRawPointer.self) })
    factory.destroy?(object)
    factory.lock?.unlock()
  }
}

/// The data that all instances of one C factory share. Each instance retains it, and with it the plugin's image.
package final class ForeignInstanceFactory: @unchecked Sendable {
  // Sendable because all of it is constant, the pointers are to code and tables of the plugin, and no code reads `plugin`.

  fileprivate let contract: String
  fileprivate let vtable: UnsafeRawPointer?
  fileprivate let destroy: ForeignInstance.Destroy?
  private let plugin: AnyObject?
  fileprivate let lock: (any InstanceLock)?

  /// - Parameters:
  ///   - plugin: Retained by each instance, above all for the open image.
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
  /// - Parameter function: The function that the caller runs with it.
  func lock(for function: UnsafeRawPointer?)
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
