import TroupeContainer

func start(_ c: Container) throws {
  // error: could not be inferred
  let service = try c.resolve()
  print(service)
}
