/// A registration of an object that it does not keep alive. It has no factory, so it takes any arguments, as an existing singleton
/// does.
final class WeakEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.

  /// Returns the object as the registered type; nil after its release.
  private let object: @Sendable () throws -> T?

  private init(tags: [Tag], place: Place?, object: @escaping @Sendable () throws -> T?) {
    self.object = object
    super.init(kind: .weak, tags: tags, lifetime: .singleton, place: place)
  }

  /// Creates a weak entry; the closure converts the object to the registered type.
  convenience init<Object: AnyObject & Sendable>(
    tags: [Tag], place: Place?, object: Object, as conversion: @escaping @Sendable (Object) throws -> T
  ) {
    self.init(tags: tags, place: place) { [weak object] in try object.map(conversion) }
  }

  /// Creates an entry for the object of a weak entry under another type. A resolve throws if the object does not have that type.
  convenience init(tags: [Tag], place: Place?, casting original: Entry) {
    let key = AnyKey(metatype: T.self, tags: tags)
    self.init(tags: tags, place: place) {
      guard let object = try original.anyObject() else { return nil }
      guard let instance = object as? T else { throw ResolutionError(key, .invalidInstanceType, at: place) }
      return instance
    }
  }

  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry { WeakEntry(tags: tags, place: placeInSource, object: object) }
  override func takes(_ arguments: [Any]) -> Bool { true }
  override func anyObject() throws -> Any? { try object() }

  override func anyInstance(from container: Container, _ request: Container.Request) throws -> Any {
    if let object = try object(for: container) { return object }
    throw ResolutionError.notFound(key, in: container)
  }

  /// Returns the object; nil after its release. The conversion runs as the entry's factory.
  func object(for container: Container) throws -> T? {
    try BuildPath.within(self, Readers.shared.pointee.record) {
      do { return try object() } catch { throw container.failure(error, of: self) }
    }
  }
}

extension Entry {
  /// Returns the object of an entry of the kind `.weak`; nil after its release.
  final func weakObject<T>(_ type: T.Type, for container: Container) throws -> T? {
    precondition(kind == .weak, "\(self) is not weak")
    return try unsafeDowncast(typed(T.self), to: WeakEntry<T>.self).object(for: container)
  }
}
