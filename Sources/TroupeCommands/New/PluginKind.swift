/// A kind of plugin that a template makes.
package enum TemplateKind: String, CaseIterable, Encodable, Sendable {
  case transform, functions, service

  /// A short description.
  package var summary: String {
    switch self {
    case .transform: "stages of a stream: state between pieces, settings, an argument, an error"
    case .functions: "functions for calls: numbers, text, a buffer, a struct, outputs, an error, a callback"
    case .service: "a contract and objects with lifetimes, metadata and settings, and a stage that resolves them"
    }
  }
}
