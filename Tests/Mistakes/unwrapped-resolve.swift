import TroupeContainer

func register(in c: Container) {
  // swift-format-ignore: NeverForceUnwrap
  // error: it returns no optional, but throws
  c.register { r in Service(database: r.resolve(Database.self)!) }
}
