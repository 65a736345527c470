internal import TroupeFiles
internal import TroupeSandbox

/// Asks a child process to run one check of a file.
struct CheckRequest: Sendable, Hashable {
  let check: String
  let path: String
  let required: [String]
  let others: [String]
  let seed: UInt64
  let reproduces: Bool
  /// The time for repeated work. The process has more, since loading and each single call take time, too.
  let time: Duration

  init(
    check: String, path: String, required: [String] = [], others: [String] = [], seed: UInt64 = 0, reproduces: Bool = false,
    time: Duration
  ) {
    (self.check, self.path, self.required, self.others) = (check, path, required, others)
    (self.seed, self.reproduces, self.time) = (seed, reproduces, time)
  }
}

extension CheckRequest: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(check)
    writer.write(path)
    writer.write(required)
    writer.write(others)
    writer.write(seed)
    writer.write(reproduces)
    writer.write(Int64(time / .microseconds(1)))
  }

  init(from reader: inout RecordReader) throws(ReadError) {
    self.init(
      check: try String(from: &reader), path: try String(from: &reader), required: try [String](from: &reader),
      others: try [String](from: &reader), seed: try UInt64(from: &reader), reproduces: try Bool(from: &reader),
      time: .microseconds(try Int64(from: &reader)))
  }
}

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
