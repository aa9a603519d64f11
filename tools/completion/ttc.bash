# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bash completion of ttc, ttrun, ttc-translate, ttc-opt and ttc-plan. Commands and options are read
# from the --help of the tool that is to be run, so they are always the tool's own.
# zsh: autoload -U bashcompinit && bashcompinit, then source this file.

# _ttc_commands TOOL: the commands that its help lists.
_ttc_commands() {
  "$1" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# _ttc_options TOOL [COMMAND]: the options that its help lists, "--name" or "--name=VALUE".
_ttc_options() {
  "$@" --help 2>/dev/null | sed -n 's/^ *\(--\{0,1\}[a-z][a-z0-9-]*\)\(\[\{0,1\}=[^] ]*\)\{0,1\}.*/\1\2/p' |
    grep -v '^--mlir-' | sed 's/\[=/=/'
}

# _ttc_values OPTION: of the lines of _ttc_options on standard input, the values that the option
# may have, where they are listed: <a|b> or a|b.
_ttc_values() {
  sed -n "s/^$1=<\{0,1\}\([^>]*|[^>]*\)>\{0,1\}\$/\1/p" | tr '|' '\n' | grep -v '[A-Z.]'
}

_ttc() {
  local tool=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local option= ask
  # --name=value is three words, or two where nothing stands after the sign.
  if [ "$current" = = ]; then
    option=$before current=
  elif [ "$before" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  # The tool, and the command, whose help is asked.
  ask=("$tool")
  case ${tool##*/} in
    ttc | ttrun)
      if [ "$COMP_CWORD" = 1 ] && [ -z "$option" ]; then
        COMPREPLY=($(compgen -W "$(_ttc_commands "$tool")" -- "$current") $(compgen -f -- "$current"))
        return
      fi
      case ${COMP_WORDS[1]} in
        compile | *.onnx) ask+=(translate) ;;
        *.mlir) ask+=(opt) ;;
        *) ask+=("${COMP_WORDS[1]}") ;;
      esac
      ;;
  esac

  if [ -n "$option" ]; then
    COMPREPLY=($(compgen -W "$(_ttc_options "${ask[@]}" | _ttc_values "$option")" -- "$current"))
    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
  elif [ "${current:0:1}" = - ]; then
    COMPREPLY=($(compgen -W "$(_ttc_options "${ask[@]}" | sed 's/=.*/=/' | sort -u)" -- "$current"))
    [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}

complete -o filenames -F _ttc ttc ttrun ttc-translate ttc-opt ttc-plan ttc-plan-check
