import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    let database: Database = try r.resolve()
    return Service(db: database)  // error: incorrect argument label
  }
}
