import TroupeContainer

func check(_ c: Container) throws {
  try c.withOverrides { overrides in
    overrides.register(Service.self) { r in
      let database: Database = try r.resolve()
      // error: has no member 'open'
      database.open()
      return Service(database: database)
    }
  } operation: {
    print(try c.resolve(Service.self))
  }
}
