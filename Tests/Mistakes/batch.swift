import TroupeContainer

func register(in c: Container) throws {
  try c.batch { registrar in
    registrar.register(Person.self) { _ in Person(name: "Ann") }
    registrar.register(Service.self) { r in
      // error: has no member 'reslove'
      Service(database: try r.reslove())
    }
  }
}
