internal import CTroupe
internal import Glibc
internal import Troupe
internal import TroupeCall

/// The resolver of a plugin in C, `troupe_resolver` in C.
final class ResolverTable: @unchecked Sendable {
  // Sendable because the initializer sets up all members and nothing changes them later.
  private let abiMinor: Int
  private let factories: PluginRegistry
  /// The container that it resolves from; nil for the host's.
  private let scope: Scope?
  private let table: UnsafeMutablePointer<CResolver>

  /// A weak reference to a container below the host's. Instances made in the container may keep the resolver.
  private struct Scope {
    weak let container: Container?
  }

  /// Returns the resolver of a container below the host's, or this one for the host's.
  func from(_ container: Container) -> ResolverTable {
    container === factories.container ? self : ResolverTable(abiMinor: abiMinor, factories: factories, scope: container)
  }

  /// - Parameters:
  ///   - abiMinor: The minor version of the ABI that the plugin is built for.
  ///   - container: A container below the host's; nil for the host's.
  init(abiMinor: Int, factories: PluginRegistry, scope container: Container? = nil) {
    (self.abiMinor, self.factories) = (abiMinor, factories)
    scope = container.map { Scope(container: $0) }
    table = .allocate(capacity: 1)
    table.initialize(
      to: CResolver(
        struct_size: UInt32(MemoryLayout<CResolver>.size), reserved: 0, context: table,
        resolve: { resolver, query, instance in
          guard let table = ResolverTable.from(resolver) else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
          return table.answer { try table.resolve(query, into: instance) }
        },
        resolve_all: { resolver, query, instances, count in
          guard let table = ResolverTable.from(resolver) else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
          return table.answer { try table.resolveAll(query, into: instances, count: count) }
        },
        release: { _, instance in
          if let handle = instance.handle { Unmanaged<CrossingInstance>.fromOpaque(handle).release() }
        },
        message: { _ in ThreadLocalCString.resolverMessage.pointer }))
    table.pointee.context = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { table.deallocate() }

  /// The pointer for the plugin; valid for as long as this object.
  var pointer: UnsafePointer<CResolver> { UnsafePointer(table) }

  private static func from(_ resolver: UnsafePointer<CResolver>?) -> ResolverTable? {
    resolver.map { Unmanaged<ResolverTable>.fromOpaque($0.pointee.context).takeUnretainedValue() }
  }

  /// Runs a request and converts a thrown error to a status and the thread's message.
  private func answer(_ request: () throws -> Void) -> troupe_status {
    do {
      ThreadLocalCString.resolverMessage.set(nil)
      try request()
      // Factories resolved by the request may have left a message.
      ThreadLocalCString.resolverMessage.set(nil)
      return troupe_status(TROUPE_OK)
    } catch {
      ThreadLocalCString.resolverMessage.set("\(error)")
      return Diagnosis.Code(of: error).status
    }
  }

  private func resolve(_ query: UnsafePointer<CQuery>?, into instance: UnsafeMutablePointer<CInstance>?) throws {
    guard let instance else { throw Self.malformed("instance is NULL") }
    let request = try Request(query, abiMinor: abiMinor)
    let container = try container
    let matches = factories.entries(ofContract: request.contract, tags: request.tags, in: container)
    guard let first = matches.first else {
      throw Diagnosis(.notRegistered, problem: "nothing is registered for \(request)")
    }
    // As in the container, a registration with exactly the tags has precedence over those with more.
    let exact = matches.filter { $0.key.tagset.count == request.distinctTags.count }
    guard matches.count == 1 || exact.count == 1 else {
      let names = matches.map(factories.name).joined(separator: ", ")
      throw Diagnosis(
        .ambiguous, problem: "several are registered for \(request): \(names)",
        remedy: "add the UUID of one of them to the tags")
    }
    instance.pointee = try crossing(exact.first ?? first, request, in: container).retained()
  }

  private func resolveAll(
    _ query: UnsafePointer<CQuery>?, into instances: UnsafeMutablePointer<UnsafeMutablePointer<CInstance>?>?,
    count: UnsafeMutablePointer<Int>?
  ) throws {
    guard let instances, let count else { throw Self.malformed("instances or count is NULL") }
    let request = try Request(query, abiMinor: abiMinor)
    let container = try container
    let made = try factories.entries(ofContract: request.contract, tags: request.tags, in: container).map {
      try crossing($0, request, in: container)
    }
    guard !made.isEmpty else {
      (instances.pointee, count.pointee) = (nil, 0)
      return
    }
    // The plugin releases the array with troupe_host.free, which calls free(3).
    guard let memory = malloc(made.count * MemoryLayout<CInstance>.stride) else {
      throw Diagnosis(.missingResource, problem: "there is no memory for \(made.count) instances")
    }
    let array = memory.bindMemory(to: CInstance.self, capacity: made.count)
    for (index, instance) in made.enumerated() { (array + index).initialize(to: instance.retained()) }
    (instances.pointee, count.pointee) = (array, made.count)
  }

  /// The scope's container, nil for the host's. Throws a `Diagnosis` if the scope has ended.
  private var container: Container? {
    get throws {
      // Read once: another thread may release the scope meanwhile.
      let container = scope?.container
      if scope != nil, container == nil {
        throw Diagnosis(.unavailable, problem: "the scope that the resolver belongs to has ended")
      }
      return container
    }
  }

  private func crossing(
    _ entry: Entry, _ request: Request, in container: Container?
  ) throws -> CrossingInstance {
    let instance: Any
    do {
      instance = try factories.instance(of: entry, arguments: .values(request.arguments), in: container)
    } catch let error where !Self.namesFactory(error) {
      throw Diagnosis(.unavailable, factories.name(of: entry), problem: "\(error)")
    }
    if let foreign = (instance as? any ForeignBacked)?.foreign { return CrossingInstance(foreign) }
    guard let exported = factories.contract(named: request.contract)?.export(instance) else {
      throw Diagnosis(
        .unavailable, factories.name(of: entry),
        problem: "is made in Swift, and \(request.contract) cannot be used from C", remedy: "add an export to the contract")
    }
    return CrossingInstance(exported)
  }

  /// Whether the text of an error names its subject.
  private static func namesFactory(_ error: any Error) -> Bool {
    error is ResolutionError || error is ForeignFactoryError || error is CallError || error is Diagnosis
  }

  private static func malformed(_ problem: String, _ remedy: String = "") -> Diagnosis {
    Diagnosis(.invalidArgument, problem: problem, remedy: remedy)
  }

  /// A query, copied and checked.
  private struct Request: CustomStringConvertible {
    let contract: String
    let tags: [String]
    let arguments: [Value]

    init(_ query: UnsafePointer<CQuery>?, abiMinor: Int) throws {
      guard let query else { throw ResolverTable.malformed("query is NULL") }
      guard let source = ABIStruct.query.copy(query, as: CQuery.self, minor: abiMinor) else {
        let (size, minimum) = (ABIStruct.declaredSize(of: query), ABIStruct.query.size(inMinor: abiMinor))
        throw ResolverTable.malformed("query has struct_size \(size)", "set it to sizeof(troupe_query), which is \(minimum)")
      }
      contract = try Self.text(source.contract, "contract")
      guard source.tag_count == 0 || source.tags != nil, source.argument_count == 0 || source.arguments != nil else {
        throw ResolverTable.malformed("query has a count without the array that goes with it")
      }
      guard source.tag_count <= Self.maximumCount, source.argument_count <= Self.maximumCount else {
        throw ResolverTable.malformed("query has more than \(Self.maximumCount) tags or arguments")
      }
      tags = try (0..<Int(source.tag_count)).map { try Self.text(source.tags?[$0], "tag") }
      let values = UnsafeBufferPointer(start: source.arguments, count: Int(source.argument_count))
      arguments = try values.map { try Self.value($0) }
    }

    var distinctTags: Set<AnySendableHashable> { Set(tags.map(PluginRegistry.tag)) }

    /// The largest number of tags, and of arguments, of a query. A larger count is a mistake, and reading so many could crash.
    private static let maximumCount: UInt32 = 1024

    var description: String { contract + (tags.isEmpty ? "" : " with the tags " + tags.joined(separator: ", ")) }

    private static func text(_ pointer: UnsafePointer<CChar>?, _ member: String) throws -> String {
      guard let pointer, let text = String(validatingCString: pointer) else {
        throw ResolverTable.malformed("query has a \(member) that is NULL or not UTF-8")
      }
      return text
    }

    private static func value(_ value: CValue) throws -> Value {
      switch Int(value.kind) {
      case Int(TROUPE_VALUE_BOOL): .bool(value.as.int64 != 0)
      case Int(TROUPE_VALUE_INT64): .integer(Int128(value.as.int64))
      case Int(TROUPE_VALUE_UINT64): .integer(Int128(value.as.uint64))
      case Int(TROUPE_VALUE_DOUBLE): .double(value.as.float64)
      case Int(TROUPE_VALUE_STRING): .string(try value.as.string.map { try text($0, "string argument") })
      case Int(TROUPE_VALUE_POINTER): .pointer(Value.Pointer(value.as.pointer))
      default: throw ResolverTable.malformed("query has an argument of the unknown kind \(value.kind)")
      }
    }
  }
}

/// An instance for a plugin in C: the pointers that C uses, and the reference that keeps them valid.
private final class CrossingInstance {
  private let object: UnsafeMutableRawPointer
  private let vtable: UnsafeRawPointer?
  private let foreign: ForeignInstance?
  private let destroy: (@convention(c) (UnsafeMutableRawPointer) -> Void)?

  init(_ foreign: ForeignInstance) {
    object = foreign.object
    vtable = foreign.vtable
    self.foreign = foreign
    destroy = nil
  }

  init(_ exported: Contract.Exported) {
    object = exported.object
    vtable = exported.vtable
    foreign = nil
    destroy = exported.destroy
  }

  deinit { destroy?(object) }

  /// Returns the C form, which holds a reference until the plugin releases it.
  func retained() -> CInstance {
    CInstance(object: object, vtable: vtable, handle: Unmanaged.passRetained(self).toOpaque())
  }
}
