#compdef tenantctl
_tenantctl() {
  local -a found
  found=("${(@f)$(tenantctl completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("${(@)found:#}")
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _tenantctl tenantctl
