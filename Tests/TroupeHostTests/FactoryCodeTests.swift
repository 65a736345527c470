import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Malformed factories") struct FactoryCodeTests {
  /// Expects that the entry returns a status, with this text, for the fixture after a change.
  private func expectRefusal(_ change: String, _ status: String, _ text: String) async throws {
    let refusal = try await EntryTests.diagnosis("faulty/malformed-factory.c", ["FAULT": change])
    #expect(refusal.code == .refused)
    #expect(refusal.problem.contains("returned TROUPE_\(status): ") && refusal.reason.contains(text), "\(refusal)")
  }

  @Test(
    "A factory that the header does not allow is refused with the reason",
    arguments: [
      ("factory = 0", "it registers NULL; pass the address of a troupe_factory"),
      ("factory->struct_size = 0", "a factory with struct_size 0; set it to sizeof(troupe_factory), which is "),
      ("factory->struct_size = sizeof good - 1", "struct_size "),
      ("factory->uuid = 0", "a factory: has NULL as its uuid"),
      ("factory->uuid = \"\"", "it registers a factory with the uuid \"\", which is not one; make one with uuidgen"),
      ("factory->uuid = \"ba0f0000-0000-4000-8000-00000000000\"", "the uuid \"ba0f"),
      ("factory->uuid = \"\\xff\"", "a factory: has a uuid that is not UTF-8"),
      ("factory->name = 0", "the factory ba0f0000-0000-4000-8000-000000000001: has NULL as its name"),
      ("factory->name = \"\"", "has a name of 0 bytes; give it 1 to 255"),
      ("char name[257] = {0}; for (int i = 0; i < 256; i++) name[i] = 'x'; factory->name = name", "256 bytes"),
      ("factory->name = \"\\xff\"", "has a name that is not UTF-8"),
      ("factory->function = 0", "the factory \"good\": has NULL as its function"),
      ("factory->signature = 0", "NULL as its signature"),
      ("factory->signature = \"\\xff\"", "a signature that is not UTF-8"),
      ("factory->lifetime = 7", "has the lifetime 7; set it to TROUPE_TRANSIENT, TROUPE_SINGLETON or TROUPE_SCOPED"),
      ("factory->lifetime = -1", "lifetime -1"), ("factory->tags = 0", "has 1 tags but NULL for them"),
      ("factory->tags = null_tags", "NULL as its tag"), ("factory->tags = bad_tags", "a tag that is not UTF-8"),
      ("factory->tags = empty_tags", "has an empty tag"),
      ("factory->tag_count = 1025", "has 1025 tags; at most 1024 are allowed"),
      ("factory->tag_count = UINT32_MAX", "4294967295 tags"),
      ("factory->metadata = 0", "has 1 entries of metadata but NULL for them"),
      ("factory->metadata = null_key", "NULL as its metadata key"),
      ("factory->metadata = null_value", "NULL as its metadata value"),
      ("factory->metadata_count = UINT32_MAX", "4294967295 entries of metadata"),
      ("factory->contract = 0", "has a destroy function but no contract"),
      ("factory->contract = 0; factory->destroy = 0; factory->lifetime = 1", "is a singleton but has no contract"),
      ("factory->contract = \"\\xff\"", "a contract that is not UTF-8"),
    ])
  func refused(_ change: String, _ text: String) async throws {
    try await expectRefusal(change, "INVALID_ARGUMENT", text)
  }

  @Test(
    "A contract that is malformed, or whose table does not fit, is refused with the reason",
    arguments: [
      ("factory->contract = \"x\"", "has the contract \"x\"; write a name, a slash and a number"),
      ("factory->contract = \"\"", "contract \"\""), ("factory->contract = \"a b/1\"", "contract \"a b/1\""),
      ("factory->vtable = 0", "vtable is NULL"), ("table.struct_size = 8", "vtable has struct_size 8, "),
      ("table.feed = 0", "NULL for feed"), ("table.finish = 0", "NULL for finish"),
    ])
  func contract(_ change: String, _ text: String) async throws {
    try await expectRefusal(change, "INVALID_CONTRACT", text)
  }

  @Test("A factory of instances that does not return a pointer is refused", arguments: ["int", "string"])
  func result(_ type: String) async throws {
    try await expectRefusal(
      "factory->signature = \"\(type) ()\"", "INVALID_SIGNATURE", "makes instances of troupe.transform/1 and returns ")
  }

  @Test(
    "A signature that does not parse is refused with the position of the fault",
    arguments: [
      ("", "1"), ("pointer", "8"), ("pointer (", "10"), ("pointer (int, thing x)", "15"), ("pointer ()x", "11"),
    ])
  func signature(_ signature: String, _ position: String) async throws {
    try await expectRefusal("factory->signature = \(signature.quoted)", "INVALID_SIGNATURE", "column \(position): ")
  }

  @Test(
    "A vectorized body for a contract, for other types than numbers, and beside a rule for failures is refused",
    arguments: [
      "", "factory->signature = \"void (int)\"; ", "factory->signature = \"int (const char *)\"; ",
      "factory->signature = \"int (int) errno\"; ", "factory->signature = \"int (out int *x)\"; ",
    ])
  func body(_ change: String) async throws {
    let plain = change.isEmpty ? "" : "factory->contract = 0; factory->destroy = 0; " + change
    try await expectRefusal(
      plain + "factory->map = (troupe_loop)factory->function", "INVALID_SIGNATURE", "has a vectorized body")
  }

  @Test(
    "A factory that the header allows is registered",
    .inProcess,
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
