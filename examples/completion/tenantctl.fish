function __tenantctl
  set -l words (commandline -opc) (commandline -ct)
  tenantctl completion fish -- $words[2..-1] 2>/dev/null
end
complete -c tenantctl -a '(__tenantctl)'
