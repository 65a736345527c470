import Testing
import TroupeFiles

@testable import TroupeIsolation

@Suite("Policies")
struct WorkerPolicyTests {
  @Test("A text sets each member")
  func parsing() throws {
    let policy = try WorkerPolicy(
      parsing:
        "read:/a,read:/b:c,write:/d,require:files,require:network,group:g,memory:512M,file-size:7K,shared-memory:1G,cpu:90,"
        + "deadline:2.5,descriptors:64,threads:8,calls:4,standby")
    var expected = WorkerPolicy()
    (expected.readable, expected.writable) = (["/a", "/b:c"], ["/d"])
    (expected.required, expected.group) = ([.files, .network], "g")
    (expected.memory, expected.fileSize, expected.sharedMemory) = (512 << 20, 7 << 10, 1 << 30)
    (expected.processorTime, expected.deadline) = (.seconds(90), .seconds(2.5))
    (expected.descriptors, expected.threads, expected.concurrentCalls, expected.keepsStandby) = (64, 8, 4, true)
    #expect(policy == expected)
    #expect(try WorkerPolicy(parsing: "") == WorkerPolicy())
  }

  @Test(
    "A wrong setting is a fault",
    arguments: [
      "read:relative", "read:", "write", "require:walls", "group:", "memory:0", "memory:-1", "memory:1T", "memory:99999999999G",
      "cpu:0",
      "cpu:nan", "deadline:100000", "descriptors:1", "threads:x", "calls:65", "standby:yes", "speed:1", ",", "read:/a,",
      " read:/a",
    ])
  func faults(text: String) {
    #expect { try WorkerPolicy(parsing: text) } throws: { ($0 as? Diagnosis)?.code == .usage }
  }

  @Test("Each layer has a bit of its own")
  func layers() {
    #expect(WorkerPolicy.Layer.layers(.max) == Set(WorkerPolicy.Layer.allCases))
    for layer in WorkerPolicy.Layer.allCases { #expect(WorkerPolicy.Layer.layers(layer.bit) == [layer]) }
  }
}
