import TroupeContainer

final class Settings { var name = "" }

func register(in c: Container, settings: Settings) {
  c.register(Person.self) { _ in
    // error: 'Settings'
    Person(name: settings.name)
  }
}
