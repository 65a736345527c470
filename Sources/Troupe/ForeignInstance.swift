/// An instance that a plugin's C factory made: a pointer, the contract's table of functions, and the plugin's end of it.
///
/// The one reference to it owns the C object: when the last is gone, the plugin's destroy function runs, on whatever thread
/// that happens, and then the plugin itself may be closed. What may be done with the object on which thread is the
/// contract's business.
public final class ForeignInstance {
  /// How a plugin ends an instance.
  public typealias Destroy = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The contract that the object fulfils, such as `troupe.transform/1`.
  public let contract: String
  /// What to pass to the functions of the table.
  public let object: UnsafeMutableRawPointer
  /// The contract's table, or nil for a contract that has none.
  public let vtable: UnsafeRawPointer?

  private let destroy: Destroy?
  private let plugin: AnyObject?

  /// Takes over an object.
  ///
  /// - Parameter plugin: What has to stay alive for as long as the object, the open image above all.
  package init(
    contract: String, object: UnsafeMutableRawPointer, vtable: UnsafeRawPointer?, destroy: Destroy?, plugin: AnyObject?
  ) {
    self.contract = contract
    self.object = object
    self.vtable = vtable
    self.destroy = destroy
    self.plugin = plugin
  }

  deinit {
    destroy?(object)
    withExtendedLifetime(plugin) {}
  }
}

/// A Swift value that stands for a C-made instance.
public protocol ForeignBacked {
  /// The C-made instance.
  var foreign: ForeignInstance { get }
}

extension ForeignInstance: ForeignBacked {
  /// Itself.
  public var foreign: ForeignInstance { self }
}
