# Completion of troupe for fish. The command knows what can stand where; see CONTRIBUTING.md.

function __troupe_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc) "$typed"
    for line in (troupe --complete $words[2..] 2>/dev/null)
        switch $line
            case ':file*'
                __fish_complete_path "$typed"
            case ':directory*'
                __fish_complete_directories "$typed"
            case '*'
                echo $line
        end
    end
end

complete -c troupe -f -a '(__troupe_complete)'
