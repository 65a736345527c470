import Troupe

func register(in registrar: any Registrar) {
  // error: cannot convert value of type '@Sendable () -> Database' to expected argument type
  registrar.register(id: "5e1f0002-0000-4000-8000-000000000001", name: "database") { Database() }
}
