internal import Testing
public import TroupeContainer

extension Container {
  /// The container of the current test, made by the trait `.container`.
  ///
  /// The tasks that a test starts inherit it; pass it to a detached task or a thread. Without the trait, the property records an
  /// issue at the line of the test and returns an empty container.
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
