import Foundation
import TroupeHost

/// The cost of a resolve whose factory is in C.
enum ForeignBenchmark {
  /// The example plugin that makes counters, as `make` builds it.
  private static let counter = URL(filePath: #filePath).appending(path: "../../../../.build/plugins/counter.so").standardized

  static func run(_ report: inout Report) throws {
    let host = PluginHost(PluginHost.Options(files: [counter.path]))
    try host.load()
    guard let registration = host.registrations.first(where: { $0.name == "counter" }), let uuid = registration.uuid else {
      fatalError("\(counter.path) offers no counter; build it with make")
    }
    let container = host.container
    let made = try Measuring.nanoseconds {
      _ = try container.resolve(ForeignInstance.self, tags: uuid, "counter", args: Int64(1), Int64(1))
    }
    report.add("C-made with two arguments, against one argument", nanoseconds: made, made / report.nanoseconds("one argument"))
  }
}
