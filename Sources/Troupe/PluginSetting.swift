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

  /// Declares a text.
  public static func text(_ key: String, default: String, _ description: String) -> PluginSetting { PluginSetting() }

  /// Declares one of some texts.
  public static func choice(
    _ key: String, _ choices: [String], default: String, _ description: String
  ) -> PluginSetting { PluginSetting() }

  /// Declares an integer in a range.
  public static func integer(
    _ key: String, default: Int, in range: ClosedRange<Int> = Int.min...Int.max, _ description: String
  ) -> PluginSetting { PluginSetting() }

  /// Declares a floating-point number in a range.
  public static func number(
    _ key: String, default: Double, in range: ClosedRange<Double> = -.infinity ... .infinity, _ description: String
  ) -> PluginSetting { PluginSetting() }

  /// Declares `true` or `false`.
  public static func boolean(_ key: String, default: Bool, _ description: String) -> PluginSetting { PluginSetting() }
}
