package import TroupeFiles

/// The plugins that a worker loads, and its policy.
package struct WorkerRequest: Sendable, Equatable {
  /// The versions of the host, see `ProbeRequest`.
  package var host: String
  /// The plugin files to load, in this order. The last ones are the isolated plugins; the others are those that they need.
  package var paths: [String]
  package var ids: [String]
  package var configuration: [String: [String: String]]
  package var pins: [Pins.Entry]?
  package var opensCopies: Bool
  package var maximumBufferSize: UInt64
  /// The descriptors that the policy grants, see `WorkerGrants`.
  package var readable: [Int32]
  package var writable: [Int32]
  /// The limits; 0 for none.
  package var memory: UInt64
  package var processorTime: UInt64
  package var descriptors: UInt64
  package var fileSize: UInt64
  package var threads: UInt64
  /// The numbers of the system calls that the filter allows besides its own.
  package var calls: [Int32]
  /// The layers to use, and those without which nothing is loaded: see policy.h.
  package var layers: UInt32
  package var required: UInt32
  package var logLevel: Int32

  package init(
    host: String, paths: [String], ids: [String], configuration: [String: [String: String]], pins: [Pins.Entry]?,
    opensCopies: Bool, maximumBufferSize: UInt64, policy: WorkerPolicy, grants: WorkerGrants, layers: UInt32,
    logLevel: Int32
  ) {
    (self.host, self.paths, self.ids, self.configuration, self.pins) = (host, paths, ids, configuration, pins)
    (self.opensCopies, self.maximumBufferSize) = (opensCopies, maximumBufferSize)
    (readable, writable) = (grants.readable, grants.writable)
    // The shared memory is part of the address space.
    memory = UInt64(max(1, policy.memory)) + UInt64(max(0, policy.sharedMemory))
    processorTime = policy.processorTime.map { UInt64(clamping: max(1, $0.components.seconds)) } ?? 0
    (descriptors, fileSize) = (UInt64(max(1, policy.descriptors)), UInt64(max(1, policy.fileSize)))
    threads = UInt64(policy.allThreads)
    calls = policy.callNumbers
    (self.layers, self.logLevel) = (layers, logLevel)
    required = policy.required.reduce(0) { $0 | $1.bit }
  }
}

/// The registrations, or the fault, of each plugin of a worker.
package struct WorkerReport: Sendable, Equatable {
  /// The result for one isolated plugin: its registrations, or the fault for which it cannot be used.
  package struct Plugin: Sendable, Equatable {
    package var id: String
    package var summary: PluginSummary?
    package var diagnosis: Diagnosis?

    package init(id: String, summary: PluginSummary) {
      (self.id, self.summary) = (id, summary)
    }

    package init(id: String, diagnosis: Diagnosis) { (self.id, self.diagnosis) = (id, diagnosis) }
  }

  /// In the order of the request. The registrations of all plugins have consecutive numbers from 0.
  package var plugins: [Plugin]
  /// The content of `/proc/self/maps` after loading.
  package var maps: [UInt8]

  package init(plugins: [Plugin], maps: [UInt8]) {
    (self.plugins, self.maps) = (plugins, maps)
  }
}

extension WorkerRequest: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(
      host, paths, ids, configuration, pins, opensCopies, maximumBufferSize, readable, writable, memory, processorTime,
      descriptors,
      fileSize, threads, calls, layers, required, logLevel)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (
      host, paths, ids, configuration, pins, opensCopies, maximumBufferSize, readable, writable, memory, processorTime,
      descriptors,
      fileSize, threads, calls, layers, required, logLevel
    ) = try reader.values()
  }
}

extension WorkerReport: Recordable {
  /// The size of the largest report in bytes. 10,000 registrations with their texts have about 3 MB.
  private static let maximumSize = 8 << 20

  package func write(to writer: inout RecordWriter) { writer.write(plugins, maps) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    // A host makes several objects of each registration.
    guard reader.left <= Self.maximumSize else { throw ReadError("the report has \(reader.left) bytes", memory: reader.left) }
    (plugins, maps) = try reader.values()
  }
}

extension WorkerReport.Plugin: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(id, summary, diagnosis) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (id, summary, diagnosis) = try reader.values()
    guard summary?.registrations.allSatisfy({ $0.plugin == id }) ?? true else {
      throw ReadError("the registrations of \(id) are of another plugin")
    }
  }
}
