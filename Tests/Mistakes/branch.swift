import TroupeContainer

func register(in c: Container) {
  c.register(Service.self, lifetime: .singleton) { r in
    let person: Person? = try r.resolve()
    if let person {
      // error: has no member 'nmae'
      return Service(database: try r.resolve(tags: person.nmae))
    }
    return Service(database: try r.resolve())
  }
}
