/// A registration of an object that it does not keep alive: a resolve returns the object, or nothing once it is released.
///
/// It has no factory, so it takes any arguments, as an existing singleton does.
final class WeakEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.

  /// Stores the object as an instance of the registered type. Returns false after its release.
  typealias Load = @Sendable (_ result: UnsafeMutablePointer<T>) throws -> Bool

  fileprivate let load: Load

  init(tags: [Tag], location: CodeLocation?, load: @escaping Load) {
    self.load = load
    super.init(kind: .weak, tags: tags, lifetime: .singleton, location: location)
  }

  /// Keeps a weak reference to an object. The conversion returns it as the registered type.
  convenience init<Object: AnyObject & Sendable>(
    tags: [Tag], location: CodeLocation?, object: Object, as conversion: @escaping @Sendable (Object) throws -> T
  ) {
    self.init(tags: tags, location: location) { [weak object] result in
      guard let object else { return false }
      result.initialize(to: try conversion(object))
      return true
    }
  }

  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry { WeakEntry(tags: tags, location: codeLocation, load: load) }

  override func anyObject() throws -> Any? { try Container.stored(T.self, load) }
}

extension Entry {
  /// Stores the object of an entry of the kind `.weak`. Returns false after its release. The conversion runs as the factory of the entry.
  final func initializeWeak<T>(_ result: UnsafeMutablePointer<T>, for container: Container) throws -> Bool {
    precondition(kind == .weak, "\(self) is not weak")
    let record = EpochDomain.shared.pointee.record
    record.pointee.push(.passUnretained(self))
    defer { record.pointee.pop() }
    do { return try unsafeDowncast(typed(T.self), to: WeakEntry<T>.self).load(result) } catch {
      throw container.failure(error, of: self)
    }
  }
}
