// A program that embeds the host writes `import TroupeHost`, and gets the modules for plugins, for values of calls and for manifests.
@_exported public import Troupe
@_exported public import TroupeCall
@_exported public import TroupeFiles
@_exported public import TroupeSandbox
@_exported public import TroupeManifest
