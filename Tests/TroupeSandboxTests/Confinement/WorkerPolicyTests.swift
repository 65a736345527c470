import Glibc
import Testing
import TroupeFiles

@testable import TroupeSandbox

@Suite("Policies")
struct WorkerPolicyTests {
  @Test("A text sets each member")
  func parsing() throws {
    let policy = try WorkerPolicy(
      parsing:
        "read:/a,read:/b:c,write:/d,require:files,require:network,group:g,memory:512M,file-size:7K,shared-memory:1G,cpu:90,"
        + "deadline:2.5,descriptors:64,threads:8,calls:4,standby,syscalls:get_mempolicy,syscalls:mbind,env:OMP_NUM_THREADS,env:TZ"
    )
    var expected = WorkerPolicy()
    (expected.readable, expected.writable) = (["/a", "/b:c"], ["/d"])
    (expected.required, expected.group) = ([.files, .network], "g")
    (expected.memory, expected.fileSize, expected.sharedMemory) = (512 << 20, 7 << 10, 1 << 30)
    (expected.processorTime, expected.deadline) = (.seconds(90), .seconds(2.5))
    (expected.descriptors, expected.threads, expected.concurrentCalls, expected.keepsStandby) = (64, 8, 4, true)
    (expected.systemCalls, expected.environment) = (["get_mempolicy", "mbind"], ["OMP_NUM_THREADS", "TZ"])
    #expect(policy == expected)
    #if arch(x86_64)
      #expect(policy.callNumbers == [239, 237])
    #else
      #expect(policy.callNumbers == [236, 235])
    #endif
    #expect(policy.variables == ["LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "OMP_NUM_THREADS"])
    #expect(try WorkerPolicy(parsing: "") == WorkerPolicy())
  }

  @Test(
    "A wrong setting is a fault",
    arguments: [
      "read:relative", "read:", "write", "require:walls", "group:", "memory:0", "memory:-1", "memory:1T", "memory:99999999999G",
      "cpu:0",
      "cpu:nan", "deadline:100000", "descriptors:1", "threads:x", "calls:65", "standby:yes", "speed:1", ",", "read:/a,",
      " read:/a", "syscalls:", "syscalls:239", "syscalls:Socket", "syscalls:sys_socket", "env:", "env:A=B", "env:LD_PRELOAD",
      "env:LD_AUDIT",
      "env:LD_DEBUG_OUTPUT", "env:TROUPE_WORKER", "env:TROUPE_PROBE", "env:1X", "env:A B",
    ])
  func faults(text: String) {
    #expect { try WorkerPolicy(parsing: text) } throws: { ($0 as? Diagnosis)?.code == .usage }
  }

  @Test(
    "The fault of a value names the setting, what is expected and what was found",
    arguments: [
      ("read:relative", "read: expected an absolute path, got \"relative\""),
      ("write", "write: expected an absolute path, got \"\""),
      ("require:walls", "require: expected one of privileges, calls, files, network, limits, got \"walls\""),
      ("group:", "group: expected a name, got \"\""),
      ("memory:1T", "memory: expected a size in bytes, or with K, M or G, such as 512M, got \"1T\""),
      ("cpu:0", "cpu: expected a number from 1 to 86400, got \"0\""),
      ("deadline:never", "deadline: expected seconds from 0.001 to 86400, got \"never\""),
      ("calls:65", "calls: expected a number from 1 to 64, got \"65\""),
      ("shared-memory:1K", "shared-memory: expected at least 1M, got \"1024\""),
      ("env:1X", "env: expected the name of a variable, such as OMP_NUM_THREADS, got \"1X\""),
      ("standby:yes", "standby: expected no value, got \"yes\""),
    ])
  func wrongValue(text: String, problem: String) {
    #expect { try WorkerPolicy(parsing: text) } throws: { ($0 as? Diagnosis)?.problem == problem }
  }

  @Test(
    "An unknown setting is a fault with the nearest one and the list of all",
    arguments: [("memroy:1G", "; did you mean memory?"), ("speed:1", ""), (" read:/a", "; did you mean read?")])
  func unknownSetting(text: String, nearest: String) {
    #expect { try WorkerPolicy(parsing: text) } throws: { error in
      let diagnosis = error as? Diagnosis
      let name = text.split(separator: ":")[0]
      return diagnosis?.problem == "a policy has no setting \"\(name)\"\(nearest)"
        && diagnosis?.remedy.hasPrefix("write read:PATH, write:PATH, ") == true
        && diagnosis?.remedy.hasSuffix(", env:NAME or standby") == true
    }
  }

  @Test("An unknown system call is a fault that names the nearest one", arguments: ["get_mempolcy", "getmempolicy"])
  func nearestCall(name: String) {
    #expect { try WorkerPolicy(parsing: "syscalls:\(name)") } throws: {
      ($0 as? Diagnosis)?.problem == "no system call \"\(name)\"; did you mean \"get_mempolicy\"?"
    }
  }

  @Test("A policy of a program is checked as one in a text is")
  func checked() throws {
    let changes: [(inout WorkerPolicy) -> Void] = [
      { $0.readable = ["relative"] }, { $0.writable = [""] }, { $0.descriptors = 1 }, { $0.sharedMemory = 1024 },
    ]
    for change in changes {
      var policy = WorkerPolicy()
      change(&policy)
      #expect { try policy.check() } throws: { ($0 as? Diagnosis)?.code == .usage }
    }
  }

  @Test(
    "The limit of threads covers one for each call, and is bounded", arguments: [(4, 12), (0, 9), (Int.max, (1 << 20) + 8)])
  func threads(threads: Int, all: Int) {
    var policy = WorkerPolicy()
    policy.threads = threads
    #expect(policy.allThreads == all)
  }

  @Test("Each layer has a bit of its own")
  func layers() {
    #expect(WorkerPolicy.Layer.layers(.max) == Set(WorkerPolicy.Layer.allCases))
    for layer in WorkerPolicy.Layer.allCases { #expect(WorkerPolicy.Layer.layers(layer.bit) == [layer]) }
  }
}
