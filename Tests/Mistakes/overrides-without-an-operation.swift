import TroupeContainer

func check(_ c: Container) throws {
  // error: a second closure is missing
  try c.withOverrides { $0.register { _ in Database() } }
}
