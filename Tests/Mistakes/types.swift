// The types that the mistakes use.

final class Database: Sendable {
  let name = "main"
}

final class Service: Sendable {
  let database: Database
  init(database: Database) { self.database = database }
}

struct Person: Sendable {
  var name: String
}

protocol Animal: Sendable {}
