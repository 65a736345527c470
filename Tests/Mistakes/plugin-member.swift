import Troupe

func register(in registrar: any Registrar) {
  registrar.register(Service.self, id: "5e1f0002-0000-4000-8000-000000000001", name: "service", tags: "services") { r in
    let database: Database = try r.resolve()
    // error: has no member 'open'
    database.open()
    return Service(database: database)
  }
}
