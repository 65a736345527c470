// A program that embeds the host writes `import TroupeHost` and has what plugins have, the values of calls and what a manifest
// says.
@_exported public import Troupe
@_exported public import TroupeCall
@_exported public import TroupeManifest
