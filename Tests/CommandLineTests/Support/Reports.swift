/// A plugin as `list` and `inspect` print it.
struct ListedPlugin: Decodable, Equatable {
  let id, name, version, language, abi: String?
  let path: String
  var library: String?
  let state: String
  let reason: String?
  var refused: [String] = []
}

/// A factory as `inspect` prints it.
struct InspectedFactory: Decodable, Equatable {
  let uuid: String?
  let name: String
  let contract: String?
  let tags: [String]
  let signature, lifetime: String
  let metadata: [String: String]
}

/// What `inspect` prints.
struct Inspection: Decodable {
  let plugin: ListedPlugin
  let factories: [InspectedFactory]
}

/// An instance as `resolve` prints it, as far as it is a text.
struct ListedInstance: Decodable, Equatable {
  let plugin: String
  let uuid: String?
  let name: String
  let contract: String?
  let tags: [String]
  let instance: String
}
