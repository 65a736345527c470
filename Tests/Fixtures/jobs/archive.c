// header: archive.h archive_entry.h
// package: libarchive
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  struct archive *a = archive_read_new();
  archive_read_support_format_all(a);
  archive_read_support_filter_all(a);
  struct archive_entry *entry;
  printf("%d\n", archive_read_open_filename(a, getenv("ARCHIVE"), 10240));
  archive_read_next_header(a, &entry);
  printf("%s\n%lld\n", archive_entry_pathname(entry), (long long)archive_entry_size(entry));
  char text[20] = {0};
  printf("%ld\n", (long)archive_read_data(a, text, 20));
}
