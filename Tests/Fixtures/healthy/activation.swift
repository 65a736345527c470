import Troupe

// Resolves at its activation a factory of another plugin, and logs the result.
@Plugin(id: "org.example.activation", version: "1.0.0")
final class ActivationPlugin: Assembly {
  private var plugin: PluginContext?

  func register(in registrar: any Registrar) {
    plugin = registrar.plugin
    registrar.plugin.log(.debug, "registering")
  }

  func registered(to resolver: any Resolver) async throws {
    let upper: any Transform = try await resolver.resolve([any Transform].self, tags: "case")[0]
    let output = Collected()
    try upper.feed([104, 105].span, to: output)
    plugin?.log(.info, "hi in capitals is \(String(decoding: output.bytes, as: UTF8.self))")
  }
}

final class Collected: TransformOutput {
  var bytes: [UInt8] = []

  func write(_ bytes: Span<UInt8>) throws {
    for index in bytes.indices { self.bytes.append(bytes[index]) }
  }
}
