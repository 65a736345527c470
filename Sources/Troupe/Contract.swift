internal import TroupeManifest

/// A named, versioned interface between plugins: a table of C functions, a Swift type, and adapters in both directions.
///
/// A plugin in C makes an object and a table of functions, a vtable as in C++. With the contract's adapters, Swift code gets an instance of
/// the contract's Swift type for it, and C code gets an object and a table for an instance made in Swift:
///
///     C plugin     object, vtable ──wrap───▶ Clock      Swift plugin
///     C plugin     object, vtable ◀──export── Clock     Swift plugin
///
/// ```swift
/// // struct example_clock { uint32_t struct_size; uint32_t reserved; int64_t (*now)(void *clock); };
/// final class Clock: ForeignBacked {
///   let foreign: ForeignInstance
///   init(_ foreign: ForeignInstance) { self.foreign = foreign }
/// }
/// let clock = Contract("org.example.clock/1", Clock.self, minimumTableSize: 16) { Clock($0) }
/// ```
///
/// A program that embeds the host passes its own contracts to it. Instances of a contract that the host does not know are
/// `ForeignInstance`s.
public struct Contract: Sendable {
  /// An instance made in Swift, for code in C.
  public struct Exported {
    /// The first argument for the functions of the table. The receiver owns it and passes it to `destroy` once.
    public let object: UnsafeMutableRawPointer
    /// The table, valid for as long as the process.
    public let vtable: UnsafeRawPointer
    /// Releases `object`.
    public let destroy: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Creates the C side of an instance.
    public init(
      object: UnsafeMutableRawPointer, vtable: UnsafeRawPointer,
      destroy: @escaping @convention(c) (UnsafeMutableRawPointer) -> Void
    ) {
      self.object = object
      self.vtable = vtable
      self.destroy = destroy
    }
  }

  /// The name with its version, such as `troupe.transform/1`.
  public let name: String
  /// The Swift type under which instances are registered.
  public let type: any Any.Type
  /// The size of the table's first version in bytes, or nil for a contract without a table.
  public let minimumTableSize: Int?

  /// The table's struct, if the ABI defines it: its minimum size depends on the plugin's minor version.
  package private(set) var tableStruct: ABIStruct?
  package let checkTable: @Sendable (UnsafeRawPointer) -> String?
  /// Converts an instance made in C to a Swift instance.
  package let adapter: any ForeignAdapter
  package let export: @Sendable (Any) -> Exported?

  /// Creates a contract.
  ///
  /// - Parameters:
  ///   - name: A name in dotted notation, a slash, and the major version, such as `org.example.clock/1`.
  ///   - type: The Swift type under which instances are registered.
  ///   - minimumTableSize: The size of the table's first version in bytes. Every table begins with its own size as a `UInt32`; the host
  ///     refuses a smaller table. Nil if the contract has no table.
  ///   - checkTable: Returns the problem of a plugin's table, such as a missing function, or nil. The table has at least the minimum
  ///     size.
  ///   - wrap: Converts an instance made in C to a Swift instance.
  ///   - export: Returns the C side of an instance made in Swift; nil if plugins in C cannot use such instances.
  public init<Instance>(
    _ name: String, _ type: Instance.Type, minimumTableSize: Int?,
    checkTable: @escaping @Sendable (UnsafeRawPointer) -> String? = { _ in nil },
    export: @escaping @Sendable (Instance) -> Exported? = { _ in nil },
    wrap: @escaping @Sendable (ForeignInstance) throws -> Instance
  ) {
    precondition(ContractName.isName(name), "\"\(name)\" is not the name of a contract, such as org.example.clock/1")
    self.name = name
    self.type = type
    self.minimumTableSize = minimumTableSize
    self.checkTable = checkTable
    adapter = ClosureAdapter(wrap)
    self.export = { instance in (instance as? Instance).flatMap { export($0) } }
  }

  /// Creates a contract whose table the ABI defines.
  package init<Instance>(
    _ name: String, _ type: Instance.Type, tableStruct: ABIStruct,
    checkTable: @escaping @Sendable (UnsafeRawPointer) -> String?,
    export: @escaping @Sendable (Instance) -> Exported?, wrap: @escaping @Sendable (ForeignInstance) throws -> Instance
  ) {
    self.init(
      name, type, minimumTableSize: tableStruct.size(inMinor: 0), checkTable: checkTable, export: export, wrap: wrap)
    self.tableStruct = tableStruct
  }

  /// Returns what is wrong with a plugin's table.
  ///
  /// - Parameter abiMinor: The minor version of the ABI that the plugin is built for.
  package func problem(inTable table: UnsafeRawPointer?, abiMinor: Int) -> String? {
    guard let minimum = tableStruct?.size(inMinor: abiMinor) ?? minimumTableSize else { return nil }
    guard let table else { return "vtable is NULL" }
    let size = ABIStruct.declaredSize(of: table)
    if size < minimum {
      return "vtable has struct_size \(size), and \(name) needs at least \(minimum); set it to sizeof"
    }
    return checkTable(table)
  }
}

/// Converts instances made in C to instances of a contract's Swift type.
package protocol ForeignAdapter<Instance>: Sendable {
  associatedtype Instance

  func wrap(_ foreign: ForeignInstance) throws -> Instance
}

package struct ClosureAdapter<Instance>: ForeignAdapter {
  private let body: @Sendable (ForeignInstance) throws -> Instance

  package init(_ body: @escaping @Sendable (ForeignInstance) throws -> Instance) { self.body = body }

  package func wrap(_ foreign: ForeignInstance) throws -> Instance { try body(foreign) }
}
