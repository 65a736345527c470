internal import Testing
public import TroupeContainer

extension Container {
  /// The container that the trait `.container` has made for the current test.
  ///
  /// The tasks that a test starts inherit it; pass it to a detached task or a thread. Without the trait this records an issue at the
  /// line of the test and returns an empty container.
  public static var current: Container {
    if let container = ofTest { return container }
    Issue.record(
      """
      this test has no container; give it or its suite the trait .container, and pass Container.current to detached tasks and \
      threads, which do not inherit it
      """, sourceLocation: Test.current?.sourceLocation ?? #_sourceLocation)
    return Container()
  }

  /// The container of the current task's test; nil without the trait.
  @TaskLocal static var ofTest: Container?
}
