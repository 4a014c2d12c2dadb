export const shells = ['bash', 'zsh', 'fish'] as const;

/** Each asks the program what may follow; where nothing is known, the shell completes file names. */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_tenantctl() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <(tenantctl completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _tenantctl tenantctl
`,
  zsh: `#compdef tenantctl
_tenantctl() {
  local -a found
  found=("\${(@f)$(tenantctl completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _tenantctl tenantctl
`,
  fish: `function __tenantctl
  set -l words (commandline -opc) (commandline -ct)
  tenantctl completion fish -- $words[2..-1] 2>/dev/null
end
complete -c tenantctl -a '(__tenantctl)'
`,
};
