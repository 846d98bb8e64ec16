#!/bin/sh
# Started by the client for each of its events, with the event's name; its JSON stays on stdin for node. Most of the time
# there is nothing to do: then no other process is started, not even a subshell.
[ "${CC_DELEGATE_WORKER-}" != 1 ] || exit 0

event=${1-}
root=${0%/*}/..
home=${CC_DELEGATE_HOME:-${HOME-}/.cc-delegate}

# Has this session a job that runs, another session's notices, a notice that was not told, or a consent nobody used?
has_news() {
  [ -n "${CLAUDE_CODE_SESSION_ID-}" ] || return 1
  for entry in "$home/grants/$CLAUDE_CODE_SESSION_ID"/dialog-*.json; do
    [ ! -e "$entry" ] || return 0
  done
  folder=$home/deliveries/$CLAUDE_CODE_SESSION_ID
  [ -d "$folder" ] || return 1
  for entry in "$folder"/*.active "$folder"/*.adopted; do
    [ ! -e "$entry" ] || return 0
  done
  for entry in "$folder"/*.json; do
    [ ! -e "$entry" ] || [ -e "${entry%.json}.told" ] || return 0
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
esac
[ -f "$program" ] || say 'it is not built yet; the first cc-delegate command builds it, or: npm ci && npm run build'
command -v node >/dev/null 2>&1 || say 'Node.js 20.19 or later is needed on PATH; jobs and notices do not work without it'

# Reading the extra certificates costs node twice its start, and a hook makes no connection.
unset NODE_EXTRA_CA_CERTS
exec node "$program" "$event"
