# SPDX-License-Identifier: Apache-2.0
# Completion of rdmactl for fish: all words come from `rdmactl complete`.

function __rdmactl_words
    set -l typed (commandline -opc)
    set -l program $typed[1]
    set -l word (commandline -ct)
    set -e typed[1]
    set typed (string replace -r '^~/' "$HOME/" -- $typed)
    set -l lead (string match -r -- '^--[^=]*=' $word)
    for line in ($program complete -- $typed "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -- "$lead" '' "$word") | string replace -r '^' -- "$lead"
            case :directories
                __fish_complete_directories (string replace -- "$lead" '' "$word") | string replace -r '^' -- "$lead"
            case :open
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c rdmactl -f -a '(__rdmactl_words)'
