import TroupeContainer

final class Place: Hashable {
  static func == (a: Place, b: Place) -> Bool { a === b }
  func hash(into hasher: inout Hasher) {}
}

func start(_ c: Container) throws {
  // error: 'Sendable'
  print(try c.resolve(Database.self, tags: Place()))
}
