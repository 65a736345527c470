import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Malformed factories") struct FactoryDescriptorTests {
  @Test(
    "A factory that the header does not allow is refused with the status and the reason",
    arguments: [
      ("factory = 0", "INVALID_ARGUMENT: it registers NULL; pass the address of a troupe_factory"),
      (
        "factory->struct_size = 0",
        "INVALID_ARGUMENT: it registers a factory with struct_size 0; set it to sizeof(troupe_factory), which is "
      ),
      ("factory->struct_size = sizeof good - 1", "INVALID_ARGUMENT: it registers a factory with struct_size "),
      ("factory->uuid = 0", "INVALID_ARGUMENT: a factory: has NULL as its uuid"),
      (
        "factory->uuid = \"\"",
        "INVALID_ARGUMENT: it registers a factory with the uuid \"\", which is not one; make one with uuidgen"
      ),
      (
        "factory->uuid = \"ba0f0000-0000-4000-8000-00000000000\"",
        "INVALID_ARGUMENT: it registers a factory with the uuid \"ba0f"
      ),
      ("factory->uuid = \"\\xff\"", "INVALID_ARGUMENT: a factory: has a uuid that is not UTF-8"),
      ("factory->name = 0", "INVALID_ARGUMENT: the factory ba0f0000-0000-4000-8000-000000000001: has NULL as its name"),
      (
        "factory->name = \"\"",
        "INVALID_ARGUMENT: the factory ba0f0000-0000-4000-8000-000000000001: has a name of 0 bytes; give it 1 to 255"
      ),
      (
        "char name[257] = {0}; for (int i = 0; i < 256; i++) name[i] = 'x'; factory->name = name",
        "INVALID_ARGUMENT: the factory ba0f0000-0000-4000-8000-000000000001: has a name of 256 bytes"
      ),
      (
        "factory->name = \"\\xff\"",
        "INVALID_ARGUMENT: the factory ba0f0000-0000-4000-8000-000000000001: has a name that is not UTF-8"
      ),
      ("factory->function = 0", "INVALID_ARGUMENT: the factory \"good\": has NULL as its function"),
      ("factory->signature = 0", "INVALID_ARGUMENT: the factory \"good\": has NULL as its signature"),
      ("factory->signature = \"\\xff\"", "INVALID_ARGUMENT: the factory \"good\": has a signature that is not UTF-8"),
      (
        "factory->lifetime = 7",
        "INVALID_ARGUMENT: the factory \"good\": has the lifetime 7; set it to TROUPE_TRANSIENT, TROUPE_SINGLETON or TROUPE_SCOPED"
      ),
      ("factory->lifetime = -1", "INVALID_ARGUMENT: the factory \"good\": has the lifetime -1"),
      ("factory->tags = 0", "INVALID_ARGUMENT: the factory \"good\": has 1 tags but NULL for them"),
      ("factory->tags = null_tags", "INVALID_ARGUMENT: the factory \"good\": has NULL as its tag"),
      ("factory->tags = bad_tags", "INVALID_ARGUMENT: the factory \"good\": has a tag that is not UTF-8"),
      ("factory->tags = empty_tags", "INVALID_ARGUMENT: the factory \"good\": has an empty tag"),
      ("factory->tag_count = 1025", "INVALID_ARGUMENT: the factory \"good\": has 1025 tags; at most 1024 are allowed"),
      ("factory->tag_count = UINT32_MAX", "INVALID_ARGUMENT: the factory \"good\": has 4294967295 tags"),
      ("factory->metadata = 0", "INVALID_ARGUMENT: the factory \"good\": has 1 entries of metadata but NULL for them"),
      ("factory->metadata = null_key", "INVALID_ARGUMENT: the factory \"good\": has NULL as its metadata key"),
      ("factory->metadata = null_value", "INVALID_ARGUMENT: the factory \"good\": has NULL as its metadata value"),
      ("factory->metadata_count = UINT32_MAX", "INVALID_ARGUMENT: the factory \"good\": has 4294967295 entries of metadata"),
      ("factory->contract = 0", "INVALID_ARGUMENT: the factory \"good\": has a destroy function but no contract"),
      (
        "factory->contract = 0; factory->destroy = 0; factory->lifetime = 1",
        "INVALID_ARGUMENT: the factory \"good\": is a singleton but has no contract"
      ),
      ("factory->contract = \"\\xff\"", "INVALID_ARGUMENT: the factory \"good\": has a contract that is not UTF-8"),
      (
        "factory->contract = \"x\"",
        "INVALID_CONTRACT: the factory \"good\": has the contract \"x\"; write a name, a slash and a number"
      ),
      ("factory->contract = \"\"", "INVALID_CONTRACT: the factory \"good\": has the contract \"\""),
      ("factory->contract = \"a b/1\"", "INVALID_CONTRACT: the factory \"good\": has the contract \"a b/1\""),
      ("factory->vtable = 0", "INVALID_CONTRACT: the factory \"good\": vtable is NULL"),
      (
        "table.struct_size = 8",
        "INVALID_CONTRACT: the factory \"good\": vtable has struct_size 8, and troupe.transform/1 needs at least 32"
      ),
      ("table.feed = 0", "INVALID_CONTRACT: the factory \"good\": vtable has NULL for feed"),
      ("table.finish = 0", "INVALID_CONTRACT: the factory \"good\": vtable has NULL for finish"),
      (
        "factory->signature = \"int ()\"",
        "INVALID_SIGNATURE: the factory \"good\": makes instances of troupe.transform/1 and returns int; it has to return a pointer"
      ),
      (
        "factory->signature = \"string ()\"",
        "INVALID_SIGNATURE: the factory \"good\": makes instances of troupe.transform/1 and returns "
      ),
    ])
  func refused(_ fault: String, _ reason: String) async throws {
    let refusal = try await EntryTests.fault("faulty/malformed-factory.c", ["FAULT": fault])
    #expect(refusal.code == .refused)
    #expect(refusal.reason.hasPrefix("was refused by its own entry, which returned TROUPE_" + reason))
  }

  @Test(
    "A signature that does not parse is refused with the position of the fault",
    arguments: [
      ("", "1"), ("pointer", "8"), ("pointer (", "10"), ("pointer (int, thing x)", "15"), ("pointer ()x", "11"),
    ])
  func signature(_ signature: String, _ position: String) async throws {
    let refusal = try await EntryTests.fault(
      "faulty/malformed-factory.c", ["FAULT": "factory->signature = \(signature.quoted)"])
    #expect(
      refusal.problem.hasPrefix("was refused by its own entry, which returned TROUPE_INVALID_SIGNATURE: the factory \"good\": ")
    )
    #expect(refusal.problem.contains(position), "\(refusal.problem)")
  }

  @Test(
    "A factory that the header allows is registered",
    arguments: [
      "(void)0", "table.message = 0", "factory->struct_size = 4096", "table.struct_size = 4096", "factory->destroy = 0",
      "factory->tags = 0; factory->tag_count = 0", "factory->metadata = 0; factory->metadata_count = 0",
      "factory->lifetime = TROUPE_SINGLETON",
      "factory->contract = \"org.example.other/2\"; factory->vtable = 0", "factory->contract = 0; factory->destroy = 0",
    ])
  func allowed(_ change: String) async throws {
    let directory = try PluginDirectory()
    try directory.add("faulty/malformed-factory.c", ["FAULT": change])
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    #expect(host.states == ["malformed-factory.so active"])
    #expect(host.registrations.map(\.name) == ["good"])
    #expect(log.all.isEmpty)
  }
}
