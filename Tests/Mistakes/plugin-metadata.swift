import Troupe

func register(in registrar: any Registrar) {
  registrar.register(
    Database.self, id: "5e1f0002-0000-4000-8000-000000000001", name: "database",
    // error: cannot convert value of type 'Int'
    metadata: ["version": 2]
  ) { _ in Database() }
}
