/// A plugin as printed by `list` and `inspect`.
struct ListedPlugin: Decodable, Equatable {
  let id, name, version: String?
  var description: String? = ""
  let language, abi: String?
  let path: String
  var library: String?
  let state: String
  let reason: String?
  var refused: [String] = []
}

/// A factory as printed by `inspect`.
struct InspectedFactory: Decodable, Equatable {
  let uuid: String?
  let name: String
  let contract: String?
  let tags: [String]
  let signature, lifetime: String
  var description = ""
  var parameters: [String: String] = [:]
  /// Each with the members `arguments` and `result`.
  var examples: [[String: String]] = []
  let metadata: [String: String]
}

/// The output of `inspect`.
struct Inspection: Decodable {
  let plugin: ListedPlugin
  let factories: [InspectedFactory]
}

/// An instance as printed by `resolve`, if it is a text.
struct ListedInstance: Decodable, Equatable {
  let plugin: String
  let uuid: String?
  let name: String
  let contract: String?
  let tags: [String]
  let instance: String
}
