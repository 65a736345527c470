import TroupeContainer

func start(_ c: Container) throws -> String {
  let person = try c.resolve(Person?.self)
  return person.name  // error: must be unwrapped
}
