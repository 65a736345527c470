import TroupeContainer

func register(in c: Container) {
  c.annotated(cached: true).register(Service.self) { r in
    let database: Database = try r.resolve()
    database.open()  // error: has no member 'open'
    return Service(database: database)
  }
}
