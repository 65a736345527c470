import TroupeContainer

func start(_ c: Container) async throws {
  // error: 'await'
  let service = try c.resolve(Service.self)
  print(service)
}
