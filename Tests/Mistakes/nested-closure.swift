import TroupeContainer

func register(in c: Container) {
  c.register((@Sendable () -> String).self) { r in
    let database: Database = try r.resolve()
    return {
      // error: has no member 'nmae'
      database.nmae
    }
  }
}
