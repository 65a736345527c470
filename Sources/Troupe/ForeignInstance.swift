/// An instance that a plugin's C factory made: a pointer, the contract's table of functions, and the plugin's end of it.
///
/// The one reference to it owns the C object: when the last is gone, the plugin's destroy function runs, on whatever thread
/// that happens, and then the plugin itself may be closed. What may be done with the object on which thread is the
/// contract's business.
public final class ForeignInstance {
  /// How a plugin ends an instance.
  public typealias Destroy = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The contract that the object fulfils, such as `troupe.transform/1`.
  public var contract: String { maker.contract }
  /// What to pass to the functions of the table.
  public let object: UnsafeMutableRawPointer
  /// The contract's table, or nil for a contract that has none.
  public var vtable: UnsafeRawPointer? { maker.vtable }

  private let maker: ForeignMaker

  /// Takes over an object.
  package init(_ object: UnsafeMutableRawPointer, of maker: ForeignMaker) {
    self.object = object
    self.maker = maker
  }

  /// Takes over an object that has a maker of its own.
  package convenience init(
    contract: String, object: UnsafeMutableRawPointer, vtable: UnsafeRawPointer?, destroy: Destroy?, plugin: AnyObject?
  ) {
    self.init(object, of: ForeignMaker(contract: contract, vtable: vtable, destroy: destroy, plugin: plugin))
  }

  deinit { maker.destroy?(object) }
}

/// What all instances of a plugin's C factory have in common. Each instance keeps it alive, and so the plugin.
package final class ForeignMaker: @unchecked Sendable {
  // Sendable because all of it is constant, the pointers are to code and tables of the plugin, and nobody looks into `plugin`.

  fileprivate let contract: String
  fileprivate let vtable: UnsafeRawPointer?
  fileprivate let destroy: ForeignInstance.Destroy?
  private let plugin: AnyObject?

  /// - Parameter plugin: What has to stay alive for as long as an instance, the open image above all.
  package init(contract: String, vtable: UnsafeRawPointer?, destroy: ForeignInstance.Destroy?, plugin: AnyObject?) {
    self.contract = contract
    self.vtable = vtable
    self.destroy = destroy
    self.plugin = plugin
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
