public import CTroupe
// A plugin writes `import Troupe` and gets the container, the builder and its scopes.
@_exported public import TroupeContainer
@_exported public import TroupeScopes

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
///   - loadsAtStart: True if the host loads it at the start, and not at the first resolve of one of its factories.
@attached(
  peer, names: named(`one library holds one @Plugin: remove this one, or build it as a library of its own`))
@attached(extension, conformances: Assembly)
public macro Plugin(
  id: String, name: String? = nil, version: String, description: String = "", requires: [String] = [], provides: [String] = [],
  settings: [PluginSetting] = [], loadsAtStart: Bool = false
) =
  #externalMacro(module: "TroupeMacros", type: "PluginMacro")

// MARK: Settings

/// A setting in the list `settings:` of `@Plugin`.
///
/// ```swift
/// @Plugin(
///   id: "org.example.wrap", version: "1.0.0",
///   settings: [
///     .integer("width", default: 76, in: 1...1000, "Bytes in a line"),
///     .choice("break", ["word", "character"], default: "word", "Where a line may end"),
///   ])
/// ```
///
/// The macro reads the list from the source and writes it to the manifest. Every argument therefore has to be a literal. Read the values
/// with `PluginContext.configuration(_:as:)`.
public struct PluginSetting: Sendable {
  private init() {}

  /// A setting whose value is any text.
  public static func text(_ key: String, default: String, _ description: String) -> PluginSetting { PluginSetting() }

  /// A setting whose value is one of `choices`.
  public static func choice(
    _ key: String, _ choices: [String], default: String, _ description: String
  ) -> PluginSetting { PluginSetting() }

  /// A setting whose value is an integer in `range`.
  public static func integer(
    _ key: String, default: Int, in range: ClosedRange<Int> = Int.min...Int.max, _ description: String
  ) -> PluginSetting { PluginSetting() }

  /// A setting whose value is a floating-point number in `range`.
  public static func number(
    _ key: String, default: Double, in range: ClosedRange<Double> = -.infinity ... .infinity, _ description: String
  ) -> PluginSetting { PluginSetting() }

  /// A setting whose value is `true` or `false`.
  public static func boolean(_ key: String, default: Bool, _ description: String) -> PluginSetting { PluginSetting() }
}

// MARK: Entry

/// Passes the assembly of a Swift plugin from its C entry to the host. The code that `@Plugin` adds calls it.
///
/// The entry gets the C registrar, as in any language. A Swift host offers the service `troupe.assembly/1` there; behind its pointer is an
/// `AssemblyReceiver`, a Swift object of the same library, so that the assembly crosses without a conversion.
public enum PluginEntry {
  /// The argument of the entry.
  public typealias Registrar = CRegistrar
  /// The result of the entry.
  public typealias Status = troupe_status

  /// Creates the assembly and passes it to the host.
  public static func run(_ registrar: UnsafePointer<Registrar>, make: () -> any Assembly) -> Status {
    let host = registrar.pointee.host
    guard let service = host.pointee.service(host, AssemblyReceiver.service) else {
      host.pointee.fail(host, "this host takes no plugins in Swift")
      return Status(TROUPE_FAILED)
    }
    return Unmanaged<AssemblyReceiver>.fromOpaque(service).takeUnretainedValue().receive(make())
  }
}

/// The host's side of `PluginEntry`, reached as the service `troupe.assembly/1`.
package final class AssemblyReceiver {
  /// The id of the service.
  package static let service = "troupe.assembly/1"

  package let receive: (any Assembly) -> troupe_status

  package init(receive: @escaping (any Assembly) -> troupe_status) {
    self.receive = receive
  }
}
