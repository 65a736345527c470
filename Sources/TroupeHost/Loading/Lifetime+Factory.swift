internal import TroupeContainer
internal import TroupeFiles

extension Lifetime {
  init(_ lifetime: FactoryLifetime) {
    switch lifetime {
    case .transient: self = .transient
    case .singleton: self = .singleton
    case .scoped: self = .scoped
    }
  }
}

extension FactoryLifetime {
  init(_ lifetime: Lifetime) {
    switch lifetime {
    case .transient: self = .transient
    case .singleton: self = .singleton
    case .scoped: self = .scoped
    }
  }
}
