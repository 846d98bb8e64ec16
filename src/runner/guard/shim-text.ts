import type { Condition } from './conditions.ts';
import { COMMON_VERBS, RULES, type Rule, VALUE_OPTIONS } from './git-rules.ts';
import { SENTENCES } from './verdict.ts';

export interface ShimOptions {
  /** Where the shim is. */
  readonly folder: string;
  /** The real git, absolute, as the worker sees it. */
  readonly git: string;
  readonly workspace: string;
  readonly checkout: string;
  readonly own: readonly string[];
}

/**
 * The worker's `git`: reads its arguments by the rules of the table, in sh and with builtins only, so that a
 * git called by a script, a Makefile or a test is refused with the same sentence (exit code 1); then the
 * real git takes its place. A verb it does not know may be an alias: only then is git asked.
 */
export function shimText({ folder, git, workspace, checkout, own }: ShimOptions): string {
  const cases = groupByVerbs(RULES).map(
    ([verbs, rules]) => `    ${verbs})\n${rules.map(check).join('\n')}\n      ;;`,
  );
  return `#!/bin/sh
# The worker's git, written by cc-delegate from src/runner/guard/git-rules.ts.
set -f
git=${quote(git)}
if [ ! -x "$git" ]; then
  PATH=\${PATH#${quote(folder)}:}
  git=$(command -v git) && [ "$git" != ${quote(`${folder}/git`)} ] || { echo 'git: not found' >&2; exit 127; }
fi
${HELPERS}
judge() {
  depth=$((depth + 1))
  [ "$depth" -le 8 ] || return 0
  take= verb= globals=0 first= count=0 clusters= longs=' ' words=' ' plain=
  for word do
    if [ -n "$take" ]; then
      at "$take" "$word"
      take= globals=$((globals + 1))
    elif [ -z "$verb" ]; then
      case $word in
        ${VALUE_OPTIONS.join('|')}) take=$word globals=$((globals + 1)) ;;
        --git-dir=*) at --git-dir "\${word#*=}"; globals=$((globals + 1)) ;;
        -*) globals=$((globals + 1)) ;;
        *) verb=$word ;;
      esac
    else
      case $plain$word in
        --) plain=+ ;;
        --*) longs="$longs$word " ;;
        -?*) clusters="$clusters \${word#-}" ;;
        *) [ "$count" -gt 0 ] || first=$word; count=$((count + 1)) words="$words$word " ;;
      esac
    fi
  done
  case $here in
    ${within(workspace)}) whose=workspace ;;
    ${within(checkout)}) whose=elsewhere ;;
${own.map((folder) => `    ${within(folder)}) whose=own ;;`).join('\n')}
    /*) whose=elsewhere ;;
    *) whose=unknown ;;
  esac
  case $verb in
${cases.join('\n')}
    ${COMMON_VERBS.join('|')}) ;;
    ?*) alias_of "$@" ;;
  esac
}
depth=0
here=\${GIT_DIR:-$PWD}
case $here in /*) ;; *) here=$PWD/$here ;; esac
judge "$@"
exec "$git" "$@"
`;
}

const HELPERS = `refuse() { printf '%s\\n' "$1" >&2; exit 1; }
# Follows -C and --git-dir.
at() {
  case $1 in
    -C|--git-dir) here=$(cd -P -- "$here" 2>/dev/null && cd -P -- "$2" 2>/dev/null && printf '%s' "$PWD") ;;
  esac
}
letter() {
  for cluster in $clusters; do
    [ -z "$2" ] || cluster=\${cluster%%[$2]*}
    case $cluster in *[$1]*) return 0 ;; esac
  done
  return 1
}
long() { for option do case $longs in *" $option "*) return 0 ;; esac; done; return 1; }
word() { for each do case $words in *" $each "*) return 0 ;; esac; done; return 1; }
first() { for each do [ "$first" != "$each" ] || return 0; done; return 1; }
begins() { for each do case $first in "$each"*) return 0 ;; esac; done; return 1; }
# What git says the verb stands for, judged with what follows it.
alias_of() {
  kept=0
  for word do
    shift
    [ "$kept" -ge "$globals" ] || set -- "$@" "$word"
    kept=$((kept + 1))
  done
  text=$("$git" "$@" config --get "alias.$verb" 2>/dev/null) || return 0
  case $text in
    '!'*) previous=
      for word in \${text#!}; do
        case $previous in git|*/git) judge "$word" ;; esac
        previous=$word
      done ;;
    *) judge $text ;;
  esac
}`;

function groupByVerbs(rules: readonly Rule[]): [string, readonly Rule[]][] {
  const verbs = [...new Set(rules.flatMap((rule) => rule.verbs))];
  const groups = new Map<string, { readonly verbs: string[]; readonly rules: readonly Rule[] }>();
  for (const verb of verbs) {
    const matching = rules.filter((rule) => rule.verbs.includes(verb));
    const key = matching.map((rule) => rules.indexOf(rule)).join();
    const group = groups.get(key);
    if (group) group.verbs.push(verb);
    else groups.set(key, { verbs: [verb], rules: matching });
  }
  return [...groups.values()].map((group) => [group.verbs.join('|'), group.rules]);
}

const WHERE: Readonly<Record<Rule['where'], string>> = {
  anywhere: '',
  'not-own': '[ "$whose" != own ] && ',
  elsewhere: '[ "$whose" = elsewhere ] && ',
};

function check({ family, when, where }: Rule): string {
  return `      ${WHERE[where]}${test(when)} && refuse ${quote(SENTENCES[family])}`;
}

/** A condition as a command of sh that succeeds when it holds. */
function test(condition: Condition): string {
  switch (condition.kind) {
    case 'always':
      return 'true';
    case 'first':
      return `first ${condition.words.join(' ')}`;
    case 'firstNot':
      return `! first ${condition.words.join(' ')}`;
    case 'firstBegins':
      return `begins ${condition.prefixes.join(' ')}`;
    case 'word':
      return `word ${condition.words.join(' ')}`;
    case 'count':
      return `[ "$count" -ge ${condition.atLeast} ]`;
    case 'letter':
      return `letter ${condition.letters} ${quote(condition.stop)}`;
    case 'long':
      return `long ${condition.options.join(' ')}`;
    case 'any':
      return `{ ${condition.of.map(test).join(' || ')}; }`;
    case 'all':
      return `{ ${condition.of.map(test).join(' && ')}; }`;
  }
}

function within(folder: string): string {
  return `${quote(folder)}|${quote(folder)}/*`;
}

/** One word of sh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
