import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    let database: Database = try r.resolve()
    // error: missing return
    Service(database: database)
  }
}
