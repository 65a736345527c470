import TroupeContainer

func start(_ c: Container) throws -> String {
  let person = try c.resolve(Person?.self)
  // error: must be unwrapped
  return person.name
}
