/// The levels of checks. Each includes those below it.
package enum CheckLevel {
  package static let all = 1...5
  /// The highest level whose checks every correct plugin passes. Level 5 calls functions with any arguments, and functions may have
  /// conditions.
  package static let standard = 4

  /// The work that a level adds, as the end of a sentence.
  package static func summary(_ level: Int) -> String {
    switch level {
    case 1: "reads the file, and runs none of its code"
    case 2: "loads the plugin, and reads its registrations"
    case 3: "makes instances, and uses transforms and functions once"
    case 4: "repeats that: up to 1,000 times, on eight threads, in every chunking, with errors, without memory"
    default: "calls functions with generated and extreme arguments"
    }
  }
}
