import Troupe

// Uses factories of other plugins in any language through the shared types.
@Plugin(id: "org.example.chain", version: "1.0.0")
final class ChainPlugin: Assembly {
  func register(in registrar: any Registrar) {
    // A pipeline of all transforms with the tag "text".
    registrar.register(
      (any Transform).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e01", name: "chain", tags: "chain"
    ) { resolver in
      var row: [any Transform] = try resolver.resolve(tags: "text")
      row.reverse()
      return Chain(row)
    }
    // The results of casting the instances, each made in another image.
    registrar.register(String.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e02", name: "census", tags: "census") { resolver in
      let transforms: [any Transform] = try resolver.resolve(tags: "text")
      let cast = transforms.map { $0 as Any }.filter { $0 is any Transform }
      return "\(transforms.count) transforms, \(cast.count) after a cast"
    }
  }
}

/// A pipeline of transforms, the last one first.
final class Chain: Transform {
  private let row: [any Transform]

  init(_ row: [any Transform]) { self.row = row }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try links(output).last?.write(bytes)
  }

  func finish(to output: any TransformOutput) throws {
    let links = links(output)
    for index in row.indices.reversed() { try row[index].finish(to: index == 0 ? output : links[index - 1]) }
  }

  private func links(_ output: any TransformOutput) -> [Link] {
    var links: [Link] = []
    for stage in row { links.append(Link(stage, links.last ?? output)) }
    return links
  }
}

/// A stage with its output.
final class Link: TransformOutput {
  private let stage: any Transform
  private let next: any TransformOutput

  init(_ stage: any Transform, _ next: any TransformOutput) {
    self.stage = stage
    self.next = next
  }

  func write(_ bytes: Span<UInt8>) throws { try stage.feed(bytes, to: next) }
}
