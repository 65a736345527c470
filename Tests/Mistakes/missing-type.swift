import TroupeContainer

func start(_ c: Container) throws {
  let service = try c.resolve()  // error: could not be inferred
  print(service)
}
