/// Makes a plugin of an assembly.
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
/// The type stands at file scope and has an `init()`. The host makes one instance when it loads the plugin, calls
/// `register(in:)` and, once all plugins have registered, `registered(to:)`. A host need not load it before something that it
/// registers is resolved, unless the type itself declares `registered(to:)`; where only an extension of it does, that is called
/// after the first resolve.
///
/// The macro writes the C function `troupe_plugin_main`, which the host calls, and an ELF note with the manifest, which the
/// host reads without running the plugin. So one image holds one plugin.
///
/// - Parameters:
///   - id: Reverse DNS notation, such as `org.example.greeting`; the plugin's identity from one version to the next.
///   - name: A name for people; the name of the type if there is none.
///   - version: A semantic version.
///   - requires: What it cannot do without, each in the text of a `Requirement`: a plugin's id and, behind a space, the versions
///     that will do, such as `"org.example.counter ^1.0.0"`, or the name of a contract, such as `"org.example.counter/1"`. These
///     plugins are loaded and activated first; without them this one is rejected.
///   - provides: The names of the contracts that it offers, on which others may rely.
///   - settings: The keys of its configuration. The host then refuses other keys and values that do not fit, lists the settings in
///     `troupe inspect`, and supplies the defaults. Without a list the host accepts every configuration.
///   - loadsAtStart: Whether the host loads it at the start, and not at the first resolve of one of its factories.
@attached(
  peer, names: named(`one library holds one @Plugin: remove this one, or build it as a library of its own`))
@attached(extension, conformances: Assembly)
public macro Plugin(
  id: String, name: String? = nil, version: String, requires: [String] = [], provides: [String] = [],
  settings: [PluginSetting] = [], loadsAtStart: Bool = false
) =
  #externalMacro(module: "TroupeMacros", type: "PluginMacro")
