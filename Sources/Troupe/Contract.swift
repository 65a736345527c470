internal import TroupeManifest

/// A named, versioned agreement between plugins: a table of C functions on one side, a Swift type on the other, and an
/// adapter each way.
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
/// A program that embeds the host passes its own contracts to it. Instances that plugins make of a contract that the host
/// does not know are `ForeignInstance`s.
public struct Contract: Sendable {
  /// What a plugin needs of a Swift-made instance to use it from C.
  public struct Exported {
    /// What to pass to the functions of the table; the receiver owns it and gives it to `release` once.
    public let object: UnsafeMutableRawPointer
    /// The table, valid for as long as the process.
    public let vtable: UnsafeRawPointer
    /// Ends the use of `object`.
    public let release: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Collects the three.
    public init(
      object: UnsafeMutableRawPointer, vtable: UnsafeRawPointer,
      release: @escaping @convention(c) (UnsafeMutableRawPointer) -> Void
    ) {
      self.object = object
      self.vtable = vtable
      self.release = release
    }
  }

  /// The name with its version, such as `troupe.transform/1`.
  public let name: String
  /// The Swift type.
  public let type: any Any.Type
  /// The size of the table's first version in bytes, or nil for a contract without a table.
  public let minimumTableSize: Int?

  package let checkTable: @Sendable (UnsafeRawPointer) -> String?
  /// Makes the Swift instance of a C-made one.
  package let adapter: any ForeignAdapter
  package let export: @Sendable (Any) -> Exported?

  /// Makes a contract.
  ///
  /// - Parameters:
  ///   - name: A name in dotted notation, a slash, and the major version, such as `org.example.clock/1`.
  ///   - type: The Swift type under which instances are registered.
  ///   - minimumTableSize: The size of the table's first version in bytes; every table begins with its own size as a `UInt32`,
  ///     and a smaller one is refused. Nil if the contract has no table.
  ///   - checkTable: Says what is wrong with a plugin's table, a missing function say, or nil. The table is at least of the
  ///     minimum size.
  ///   - adopt: Makes the Swift instance of a C-made one.
  ///   - export: Makes the C side of a Swift-made instance, or nil where plugins in C cannot use those.
  public init<Instance>(
    _ name: String, _ type: Instance.Type, minimumTableSize: Int?,
    checkTable: @escaping @Sendable (UnsafeRawPointer) -> String? = { _ in nil },
    export: @escaping @Sendable (Instance) -> Exported? = { _ in nil },
    adopt: @escaping @Sendable (ForeignInstance) throws -> Instance
  ) {
    precondition(ContractName.isName(name), "\"\(name)\" is not the name of a contract, such as org.example.clock/1")
    self.name = name
    self.type = type
    self.minimumTableSize = minimumTableSize
    self.checkTable = checkTable
    adapter = ForeignAdapting(adopt)
    self.export = { instance in (instance as? Instance).flatMap { export($0) } }
  }

  /// What is wrong with a plugin's table, or nil.
  package func fault(inTable table: UnsafeRawPointer?) -> String? {
    guard let minimumTableSize else { return nil }
    guard let table else { return "vtable is NULL" }
    let size = Int(table.load(as: UInt32.self))
    if size < minimumTableSize {
      return "vtable has struct_size \(size), and \(name) needs at least \(minimumTableSize); set it to sizeof"
    }
    return checkTable(table)
  }
}

/// How C-made instances become Swift ones.
package protocol ForeignAdapter<Instance>: Sendable {
  associatedtype Instance

  /// The Swift instance of a C-made one.
  func adopt(_ foreign: ForeignInstance) throws -> Instance
}

/// An adapter that is a closure.
package struct ForeignAdapting<Instance>: ForeignAdapter {
  private let body: @Sendable (ForeignInstance) throws -> Instance

  /// Makes an adapter of a closure.
  package init(_ body: @escaping @Sendable (ForeignInstance) throws -> Instance) { self.body = body }

  package func adopt(_ foreign: ForeignInstance) throws -> Instance { try body(foreign) }
}
