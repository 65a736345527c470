// Not exact. The compiler names the line and lists the functions; it does not say that the label `args:` is missing.

import TroupeContainer

func start(_ c: Container) throws {
  // error: no exact matches in call to instance method 'resolve'
  let person = try c.resolve(Person.self, "Ann")
  print(person)
}
