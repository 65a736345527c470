import TroupeContainer

func register(in c: Container) {
  c.register(Service.self, isolation: MainActor.shared) { r in
    let database: Database = try r.resolve()
    database.open()  // error: has no member 'open'
    return Service(database: database)
  }
}
