import TroupeContainer

func register(in c: Container) {
  c.register { r -> Service in
    let database: Database = try r.resolve()
    // error: has no member 'open'
    database.open()
    return Service(database: database)
  }
}
