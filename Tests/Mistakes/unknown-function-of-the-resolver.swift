import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    let database: Database = try r.get()  // error: has no member 'get'
    return Service(database: database)
  }
}
