# Writes DocC articles of C headers into the directory OUTPUT: MODULE.md has the comment at the top of the first file as the overview, and
# NAME.md has the comment of each macro that has one, since clang's symbol graph has no comments of macros.

# The text of a comment's line.
function text(line) {
  sub(/[ \t]*\*\/[ \t]*$/, "", line)
  sub(/^[ \t]*\/?\*+ ?/, "", line)
  return line
}

# Markdown of the first comment: lines alone in front of an indented paragraph are headings, tags begin the items of a list.
function write_overview(file,    line, section) {
  print "# ``" MODULE "``\n\n@Metadata {\n  @DisplayName(\"" FILENAME_ONLY "\")\n}\n" > file
  sub(/^.* - /, "", comment[1])
  print toupper(substr(comment[1], 1, 1)) substr(comment[1], 2) ".\n\n## Overview\n" > file
  for (line = 2; line <= lines; line++) {
    if (comment[line] ~ /^[A-Z][A-Za-z ]*$/ && comment[line + 1] ~ /^    [^ ]/) {
      section = 1
      print "### " comment[line] "\n" > file
      continue
    }
    if (comment[line] ~ /^[^ ]/) section = 0
    if (section) sub(/^    /, "", comment[line])
    if (section && comment[line] ~ /^  \[/) sub(/^  /, "- ", comment[line])
    print comment[line] > file
  }
}

BEGIN { inside = 0; lines = 0; seen = 0 }

/^[ \t]*\/\*/ && !inside { inside = 1; lines = 0 }

inside {
  content = text($0)
  if (lines > 0 || content != "") comment[++lines] = content
  if (/\*\//) {
    inside = 0
    if (!seen++) {
      FILENAME_ONLY = FILENAME
      sub(/.*\//, "", FILENAME_ONLY)
      write_overview(OUTPUT "/" MODULE ".md")
      lines = 0
    }
  }
  next
}

/^#define [A-Z_0-9]+/ && lines > 0 {
  name = $2
  sub(/\(.*/, "", name)
  if (name !~ PRIVATE) {
    file = OUTPUT "/" name ".md"
    print "# ``" MODULE "/" name "``\n" > file
    for (line = 1; line <= lines; line++) print comment[line] > file
    close(file)
  }
}

{ lines = 0 }
