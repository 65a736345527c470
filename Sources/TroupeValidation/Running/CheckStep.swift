internal import TroupeFiles
internal import TroupeProbing

/// An activity of the plugin, reported by the process of a check before it begins.
struct CheckStep: ReportedStep, Hashable {
  /// The end of a sentence, such as `when it was loaded`.
  let activity: String
  let isExit: Bool

  init(_ activity: String, isExit: Bool = false) { (self.activity, self.isExit) = (activity, isExit) }

  func write(to writer: inout RecordWriter) {
    writer.write(activity)
    writer.write(isExit)
  }

  init(from reader: inout RecordReader) throws(ReadError) {
    activity = try String(from: &reader)
    isExit = try Bool(from: &reader)
  }
}

/// The environment variable that makes a process of the command run one check. Its value is the descriptor of the channel.
enum CheckVariable {
  static let name = "TROUPE_CHECK"
}
