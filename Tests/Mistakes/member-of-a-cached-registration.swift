import TroupeContainer

func register(in c: Container) {
  c.annotated(cached: true).register(Service.self) { r in
    let database: Database = try r.resolve()
    // error: has no member 'open'
    database.open()
    return Service(database: database)
  }
}
