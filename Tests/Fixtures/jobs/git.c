// header: git2.h
// package: libgit2
#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  git_libgit2_init();
  git_repository *repository;
  git_reference *head;
  printf("%d\n", git_repository_open(&repository, getenv("REPOSITORY")));
  git_repository_head(&head, repository);
  printf("%s\n", git_reference_name(head));
}
