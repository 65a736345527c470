import TroupeContainer

func start(_ c: Container) throws {
  // error: the type is missing
  let person = try c.resolve(args: "Ann")
  print(person)
}
