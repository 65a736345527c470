import TroupeContainer

func register(in c: Container) {
  c.register([String].self) { r in
    let people: [Person] = try r.resolve()
    return people.map { person in
      // error: has no member 'nmae'
      person.nmae
    }
  }
}
