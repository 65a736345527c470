import TroupeContainer

func register(in c: Container) {
  c.register { r -> Service in
    let database: Database = try r.resolve()
    database.open()  // error: has no member 'open'
    return Service(database: database)
  }
}
