import TroupeContainer

final class Controller {
  let database: Database? = nil
}

func register(in c: Container) {
  // error: the property cannot be set
  c.into(injectable: Controller.self).inject(\.database).register()
}
