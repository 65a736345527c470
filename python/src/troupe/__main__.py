"""The command ``python -m troupe``."""

from __future__ import annotations

import argparse
import sys

from . import Error, Host, __version__
from .stubs import write


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m troupe", description="Shows the plugins of directories to Python programs.")
    parser.add_argument("--version", action="version", version=f"troupe {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="list the plugins and their functions")
    stubs = commands.add_parser("stubs", help="write type stubs for the functions to standard output")
    stubs.add_argument("--module", default="plugins", help="the name of the module in the heading (default: plugins)")
    for command in (listing, stubs):
        command.add_argument("directories", nargs="+", metavar="DIRECTORY")
    return parser.parse_args()


def _list(host: Host) -> None:
    registrations = host.registrations
    for plugin in host.plugins:
        print(f"{plugin.id or plugin.path} {plugin.version or ''} ({plugin.state})".replace("  ", " "))
        if plugin.fault is not None:
            print(f"  {plugin.fault}")
        for item in registrations:
            if item.plugin == plugin.id:
                print(f"  {item.name}  {item.signature}")


def main() -> int:
    options = _parse()
    try:
        with Host(options.directories) as host:
            if options.command == "list":
                _list(host)
                return 0
            text, skipped = write(host, options.module)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(text, end="")
    for line in skipped:
        print(f"warning: {line}", file=sys.stderr)
    return 1 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
