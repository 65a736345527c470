import TroupeContainer

func register(in c: Container) {
  c.register(Service.self, tags: "main", 1, lifetime: .singleton) { r in
    let database: Database = try r.resolve(tags: "main")
    database.open()  // error: has no member 'open'
    return Service(database: database)
  }
}
