import TroupeContainer

func start(_ c: Container) async throws {
  let service = try c.resolve(Service.self)  // error: 'await'
  print(service)
}
