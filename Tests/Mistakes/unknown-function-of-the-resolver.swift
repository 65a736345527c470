import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    // error: has no member 'get'
    let database: Database = try r.get()
    return Service(database: database)
  }
}
