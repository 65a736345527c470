/// Makes an assembly a plugin.
///
/// ```swift
/// import Troupe
///
/// @Plugin(id: "org.example.greeting", version: "1.0.0")
/// final class Greeting: Assembly {
///   init() {}
///
///   func register(in registrar: any Registrar) {
///     registrar.register(String.self, id: "7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b11", name: "hello", tags: "greeting") { _ in
///       "Hello"
///     }
///   }
/// }
/// ```
///
/// Apply it to a type at file scope with an `init()`. The host creates one instance when it loads the plugin, calls `register(in:)` and,
/// once all plugins have registered, `registered(to:)`. The host may load the plugin as late as the first resolve of one of its
/// factories, unless the type itself declares `registered(to:)`. If only an extension of the type declares it, the host calls it after
/// the first resolve.
///
/// The macro adds the C function `troupe_plugin_main`, which the host calls, and an ELF note with the manifest, which the host reads
/// without running the plugin. Therefore one image contains one plugin.
///
/// - Parameters:
///   - id: Reverse DNS notation, such as `org.example.greeting`; the plugin's identity from one version to the next.
///   - name: A name for the user; by default the name of the type.
///   - version: A semantic version.
///   - description: A description for users, at most 1024 bytes.
///   - requires: The requirements, each in the text form of a `Requirement`: a plugin's id, a space and the accepted versions, such as
///     `"org.example.counter ^1.0.0"`, or the name of a contract, such as `"org.example.counter/1"`. The host loads and activates these
///     plugins first, and rejects this one without them.
///   - provides: The names of the contracts that it provides, which other plugins may require.
///   - settings: The keys of its configuration. The host then refuses other keys and values that do not fit, lists the settings in
///     `troupe inspect`, and supplies the defaults. Without a list the host accepts every configuration.
///   - loadsAtStart: Whether the host loads it at the start, and not at the first resolve of one of its factories.
@attached(
  peer, names: named(`one library holds one @Plugin: remove this one, or build it as a library of its own`))
@attached(extension, conformances: Assembly)
public macro Plugin(
  id: String, name: String? = nil, version: String, description: String = "", requires: [String] = [], provides: [String] = [],
  settings: [PluginSetting] = [], loadsAtStart: Bool = false
) =
  #externalMacro(module: "TroupeMacros", type: "PluginMacro")
