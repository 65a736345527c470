public import TroupeFiles

extension WorkerPolicy {
  /// Reads a policy such as `read:/srv/models,memory:512M,require:files`: settings of the strict policy, separated by commas.
  ///
  /// | setting | member |
  /// |---|---|
  /// | `read:PATH`, `write:PATH` | ``readable``, ``writable``; may be repeated |
  /// | `require:LAYER` | ``required``; may be repeated |
  /// | `group:NAME` | ``group`` |
  /// | `memory:SIZE`, `file-size:SIZE`, `shared-memory:SIZE` | in bytes, or with `K`, `M` or `G` |
  /// | `cpu:SECONDS`, `deadline:SECONDS` | ``processorTime``, ``deadline`` |
  /// | `descriptors:COUNT`, `threads:COUNT`, `calls:COUNT` | ``descriptors``, ``threads``, ``concurrentCalls`` |
  /// | `standby` | ``keepsStandby`` |
  ///
  /// - Throws: A `Diagnosis` with the code `usage` that names the setting.
  public init(parsing text: String) throws(Diagnosis) {
    self.init()
    for setting in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) where !text.isEmpty {
      let parts = setting.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      try set(parts[0], parts.count == 2 ? parts[1] : "", setting)
    }
  }

  private mutating func set(_ name: String, _ value: String, _ setting: String) throws(Diagnosis) {
    switch name {
    case "read": readable.append(try Self.path(value, setting))
    case "write": writable.append(try Self.path(value, setting))
    case "require":
      guard let layer = Layer(rawValue: value) else {
        throw Self.fault(setting, "write one of \(Layer.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      required.insert(layer)
    case "group" where !value.isEmpty: group = value
    case "memory": memory = try Self.size(value, setting)
    case "file-size": fileSize = try Self.size(value, setting)
    case "shared-memory": sharedMemory = try Self.size(value, setting)
    case "cpu": processorTime = try Self.seconds(value, setting)
    case "deadline": deadline = try Self.seconds(value, setting)
    case "descriptors": descriptors = try Self.count(value, 8...1 << 20, setting)
    case "threads": threads = try Self.count(value, 4...1 << 20, setting)
    case "calls": concurrentCalls = try Self.count(value, 1...64, setting)
    case "standby" where value.isEmpty: keepsStandby = true
    default:
      throw Self.fault(
        setting,
        "write read:PATH, write:PATH, require:LAYER, group:NAME, memory:SIZE, file-size:SIZE, shared-memory:SIZE, cpu:SECONDS, "
          + "deadline:SECONDS, descriptors:COUNT, threads:COUNT, calls:COUNT or standby")
    }
  }

  private static func path(_ text: String, _ setting: String) throws(Diagnosis) -> String {
    guard text.utf8.first == UInt8(ascii: "/") else { throw fault(setting, "write an absolute path") }
    return text
  }

  private static func size(_ text: String, _ setting: String) throws(Diagnosis) -> Int {
    let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let shift = text.last.flatMap { shifts[$0] } ?? 0
    guard let number = Int(shift > 0 ? String(text.dropLast()) : text), number > 0, number <= Int.max >> shift else {
      throw fault(setting, "write a size such as 512M")
    }
    return number << shift
  }

  private static func seconds(_ text: String, _ setting: String) throws(Diagnosis) -> Duration {
    guard let seconds = Double(text), 0.001...86_400 ~= seconds else {
      throw fault(setting, "write seconds from 0.001 to 86400")
    }
    return .seconds(seconds)
  }

  private static func count(_ text: String, _ range: ClosedRange<Int>, _ setting: String) throws(Diagnosis) -> Int {
    guard let number = Int(text), range ~= number else {
      throw fault(setting, "write a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func fault(_ setting: String, _ remedy: String) -> Diagnosis {
    Diagnosis(.usage, problem: "\"\(setting.shortened())\" is no setting of a policy", remedy: remedy)
  }
}
