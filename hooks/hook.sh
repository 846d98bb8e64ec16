#!/bin/sh
# Started by the client for each of its events, with the event's name; its JSON stays on stdin for node. Most of the time
# there is nothing to do: then no other process is started, not even a subshell.
[ "${CC_DELEGATE_WORKER-}" != 1 ] || exit 0

event=${1-}
root=${0%/*}/..
home=${CC_DELEGATE_HOME:-${HOME-}/.cc-delegate}

# Was a permission dialog shown, and its consent not used?
has_dialog() {
  for entry in "$home/grants/${CLAUDE_CODE_SESSION_ID:-none}"/dialog-*.json; do
    [ ! -e "$entry" ] || return 0
  done
  return 1
}

# Has this session a job that runs, a notice that was not told, be it one it took over with another session's jobs, or
# a consent nobody used?
has_news() {
  [ -n "${CLAUDE_CODE_SESSION_ID-}" ] || return 1
  ! has_dialog || return 0
  todo=$CLAUDE_CODE_SESSION_ID
  seen=
  while [ -n "$todo" ]; do
    owner=${todo%% *}
    todo=${todo#"$owner"}
    todo=${todo# }
    seen="$seen $owner "
    folder=$home/deliveries/$owner
    [ -d "$folder" ] || continue
    for entry in "$folder"/*.active; do
      [ ! -e "$entry" ] || return 0
    done
    for entry in "$folder"/*.json; do
      [ ! -e "$entry" ] || [ -e "${entry%.json}.told" ] || return 0
    done
    for entry in "$folder"/*.adopted; do
      [ -e "$entry" ] || continue
      from=${entry##*/}
      from=${from%.adopted}
      # Ids alone, so that they can stand in a list; and each once, whoever took over whose.
      case $from in *[!A-Za-z0-9_-]*) continue ;; esac
      case "$seen $todo " in *" $from "*) ;; *) todo="${todo:+$todo }$from" ;; esac
    done
  done
  return 1
}

say() {
  [ "$event" != SessionStart ] || printf '{"systemMessage":"cc-delegate: %s"}\n' "$1"
  exit 0
}

program=$root/dist/hook.cjs
case $event in
  PreToolUse | UserPromptExpansion) program=$root/dist/policy-hook.cjs ;;
  Stop | UserPromptSubmit | FileChanged) has_news || exit 0 ;;
  AnyCommand) has_dialog || exit 0 ;;
esac
[ -f "$program" ] || say 'it is not built yet; the first cc-delegate command builds it, or: npm ci && npm run build'
command -v node >/dev/null 2>&1 || say 'Node.js 20.19 or later is needed on PATH; jobs and notices do not work without it'

# Reading the extra certificates costs node twice its start, and a hook makes no connection.
unset NODE_EXTRA_CA_CERTS
exec node "$program" "$event"
