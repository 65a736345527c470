import TroupeContainer

func register(in c: Container) {
  // error: the factory has to be synchronous
  c.register(factory: memoized { (_, name: String) async in Service(database: Database()) })
}
