import TroupeContainer

func register(in c: Container) {
  // error: this makes neither the registered type nor one that conforms to it
  c.register((any Animal).self, factory: auto(Service.init))
}
