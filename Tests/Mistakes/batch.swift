import TroupeContainer

func register(in c: Container) throws {
  try c.batch { registrar in
    registrar.register(Person.self) { _ in Person(name: "Ann") }
    registrar.register(Service.self) { r in
      Service(database: try r.reslove())  // error: has no member 'reslove'
    }
  }
}
