# Completion of troupe for bash. The command knows what can stand where; see CONTRIBUTING.md.

_troupe() {
  local index word line summary typed="" words=() separated=0
  # Bash breaks words at = and :, and completes only the last piece. The command gets the whole words.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ ${#words[@]} -gt 0 && ($separated = 1 || $word == [=:]*) ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    separated=0
    [[ $word == *[=:] ]] && separated=1
  done
  word=${COMP_WORDS[COMP_CWORD]}
  [[ $word == [=:] ]] && word=""
  typed=${words[${#words[@]} - 1]}
  typed=${typed%"$word"}
  COMPREPLY=()
  while IFS=$'\t' read -r line summary; do
    case $line in
      :file) compopt -o filenames; while read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word") ;;
      :directory) compopt -o filenames; while read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$word") ;;
      *) COMPREPLY+=("${line#"$typed"}") ;;
    esac
  done < <(troupe --complete "${words[@]}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace
  return 0
}

complete -F _troupe troupe
