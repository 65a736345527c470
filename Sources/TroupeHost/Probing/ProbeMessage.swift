/// What a probe is told to do.
struct ProbeRequest: Hashable, Sendable {
  /// The plugin's file.
  let path: String
  /// The library that is opened for it, without links: the file itself or, for a file that adopts one, that.
  let library: String
  /// Its id.
  let id: String
  /// The files of the plugins that it needs, each behind those that it needs in turn.
  let needs: [String]
  /// For each of these plugins, by its id, what its configuration says.
  let configuration: [String: [String: String]]
  /// How much memory the process may map, in bytes, or nil if there is no limit.
  let memory: UInt64?
  /// How many descriptors it may have open.
  let descriptors: UInt64
  /// What plugins may contain, or nil if that is all the same.
  let pins: [Pins.Entry]?
}

/// What the loading of a plugin has come to.
enum LoadingStep: UInt8, Sendable {
  /// Its library is being opened, which runs its constructors.
  case opening
  /// Its entry runs.
  case entering
  /// Its library is being closed, which runs its destructors.
  case closing

  /// Where something happened, as part of a sentence.
  var place: String {
    switch self {
    case .opening: "when its library was opened"
    case .entering: "in its entry"
    case .closing: "when its library was closed"
    }
  }
}

/// How the loading of a plugin ended, as the probe that did it says.
enum ProbeReport: Hashable, Sendable {
  /// It registered.
  case registered(PluginSummary)
  /// It was rejected for a reason that anybody can give: it cannot be opened, or its entry gave up.
  case rejected(PluginFault)
  /// It did something to the whole process: what, each as the end of a sentence.
  case meddled([String])
  /// It registered something that nobody can use.
  case unusable(PluginFault)
  /// The file is not the one any more that was asked about, or something that it needs could not be loaded.
  case failed(String)
}

extension ProbeRequest: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(path)
    writer.write(library)
    writer.write(id)
    writer.write(needs)
    writer.write(configuration)
    writer.write(memory)
    writer.write(descriptors)
    writer.write(pins)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    path = try String(from: &reader)
    library = try String(from: &reader)
    id = try String(from: &reader)
    needs = try [String](from: &reader)
    configuration = try [String: [String: String]](from: &reader)
    memory = try UInt64?(from: &reader)
    descriptors = try UInt64(from: &reader)
    pins = try [Pins.Entry]?(from: &reader)
  }
}

extension ProbeReport: Recordable {
  func write(to writer: inout RecordWriter) {
    switch self {
    case .registered(let summary):
      writer.write(number: UInt8(0))
      writer.write(summary)
    case .rejected(let fault):
      writer.write(number: UInt8(1))
      writer.write(fault)
    case .meddled(let what):
      writer.write(number: UInt8(2))
      writer.write(what)
    case .failed(let why):
      writer.write(number: UInt8(3))
      writer.write(why)
    case .unusable(let fault):
      writer.write(number: UInt8(4))
      writer.write(fault)
    }
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    switch try reader.number() as UInt8 {
    case 0: self = .registered(try PluginSummary(from: &reader))
    case 1: self = .rejected(try PluginFault(from: &reader))
    case 2: self = .meddled(try [String](from: &reader))
    case 3: self = .failed(try String(from: &reader))
    case 4: self = .unusable(try PluginFault(from: &reader))
    case let other: throw RecordError("\(other) is no kind of report")
    }
  }
}

/// A step of the loading of a plugin, with the plugin's id.
struct ProbeStep: Recordable, Hashable, Sendable {
  let step: LoadingStep
  let plugin: String

  init(_ step: LoadingStep, _ plugin: String) {
    self.step = step
    self.plugin = plugin
  }

  func write(to writer: inout RecordWriter) {
    writer.write(number: step.rawValue)
    writer.write(plugin)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    let number: UInt8 = try reader.number()
    guard let step = LoadingStep(rawValue: number) else { throw RecordError("\(number) is no step") }
    self.step = step
    plugin = try String(from: &reader)
  }
}

/// A signal that was about to end a probe.
struct ProbeSignal: Hashable, Sendable {
  let number: Int32
  /// What the plugin was about to do, if the probe refused it: one of the causes in probe.h; 0 otherwise.
  let cause: Int32
  /// The instruction at which it came.
  let instruction: UInt64
  /// Return addresses, the innermost first, those of the handler among them.
  let frames: [UInt64]

  /// No probe sends more frames; looking each up in all that is mapped takes its time.
  static let maximumFrameCount = 64
}

extension ProbeSignal: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(number: number)
    writer.write(number: cause)
    writer.write(number: instruction)
    writer.write(frames)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    number = try reader.number()
    cause = try reader.number()
    instruction = try reader.number()
    frames = try [UInt64](from: &reader)
    guard frames.count <= Self.maximumFrameCount else { throw RecordError("no probe sends \(frames.count) frames") }
  }
}

/// How the process in which a plugin ran came to its end, as the one says that watched it: `troupe_probe_end` of `CProbe`.
struct ProbeEnd: Recordable, Hashable, Sendable {
  /// As waitpid(2) gives it.
  var status: Int32 = 0
  /// What was refused it, or a process that it had started: one of the causes in probe.h; 0 for nothing.
  var refused: Int32 = 0
  /// Whether it could not say anything any more.
  var isMute = false

  func write(to writer: inout RecordWriter) {
    writer.write(number: status)
    writer.write(number: refused)
    writer.write(number: isMute ? 1 : 0 as Int32)
  }

  init(status: Int32 = 0, refused: Int32 = 0, isMute: Bool = false) {
    (self.status, self.refused, self.isMute) = (status, refused, isMute)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    status = try reader.number()
    refused = try reader.number()
    isMute = try reader.number() as Int32 != 0
  }
}

extension PluginFault: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(path)
    writer.write(code.rawValue)
    writer.write(problem)
    writer.write(remedy)
    writer.write(backtrace)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    let path = try String(from: &reader)
    let name = try String(from: &reader)
    guard let code = Code(rawValue: name) else { throw RecordError("\(name.debugDescription) is no kind of fault") }
    self.init(
      path: path, code: code, problem: try String(from: &reader), remedy: try String(from: &reader),
      backtrace: try [String](from: &reader))
  }
}
