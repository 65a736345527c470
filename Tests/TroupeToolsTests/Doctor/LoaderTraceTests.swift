import Testing
import TroupeTools

@Suite("The libraries that the loader lists")
struct LoaderTraceTests {
  @Test(
    "A library's Debian package has its SONAME without the suffix",
    arguments: [
      ("libfoo.so.2", "libfoo2"), ("libGL.so.1", "libgl1"), ("libfoo1.so.2", "libfoo1-2"), ("libicuuc.so.72", "libicuuc72"),
      ("libfoo.so", nil), ("plugin.so.1", nil),
    ])
  func package(library: String, expected: String?) {
    #expect(LoaderTrace.package(of: library) == expected)
  }
}
