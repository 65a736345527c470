call git_libgit2_init --then git_repository_open '[null]' "$REPOSITORY" | field result
call git_libgit2_init --then git_repository_open '[null]' "$REPOSITORY" --then git_repository_head '[null]' '$2.1' --then git_reference_name '$3.1'
