import Foundation
import TestSupport
import Testing

/// Jobs that people do with C libraries, by `troupe adopt` and `troupe call` alone: no file is edited. `Tests/Fixtures/jobs/NAME.sh` has the
/// calls, `NAME.c` a program that prints the same. Jobs in Python are tested with its package.
@Suite("Jobs with libraries of the system")
struct JobTests {
  @Test(
    "A job prints what a program in C prints",
    arguments: [
      "archive", "cblas", "git", "gmp", "gsl", "json", "lz4", "lzma", "opus", "pcre2", "popt", "proj", "uuid", "xml", "zstd",
    ])
  func job(_ name: String) throws {
    let directory = try TemporaryDirectory()
    let run = try run(
      [Repo.fixture("jobs/run"), name],
      environment: ["TROUPE": Repo.troupe, "WORK": directory.path, "XDG_CACHE_HOME": directory.file("cache")])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
  }
}
