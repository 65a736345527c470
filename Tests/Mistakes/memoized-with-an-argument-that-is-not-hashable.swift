import TroupeContainer

func register(in c: Container) {
  // error: arguments have to be Hashable and Sendable
  c.register(factory: memoized { (_, person: Person) in Service(database: Database()) })
}
