import Troupe

func register(in registrar: any Registrar) {
  // error: missing argument for parameter 'name'
  registrar.register(Database.self, id: "5e1f0002-0000-4000-8000-000000000001") { _ in Database() }
}
