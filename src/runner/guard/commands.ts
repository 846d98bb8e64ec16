import { basename } from 'node:path';
import { judgeText, remember } from './builtins.ts';
import type { Call, JudgeSource } from './call.ts';
import { judgeGit, type SideRuns } from './judge-git.ts';
import { couldBe } from './marks.ts';
import { forge, judgeOther } from './others.ts';
import { resolvePath } from './place.ts';
import { judgeScan } from './scan.ts';
import { deeper, type Scope } from './scope.ts';
import { type Again, judgeShell, judgeStarter } from './starters.ts';
import type { Refusal } from './verdict.ts';

/** Judges one command: what it is, and what it would start. */
export function judgeCall(call: Call, scope: Scope, source: JudgeSource): Refusal | null {
  scope.budget -= 1;
  const [program] = call.argv;
  if (program === undefined || scope.budget <= 0) return null;
  const name = nameOf(program, scope);
  const again: Again = (argv, more = {}) =>
    deeper(scope, () => judgeCall({ ...call, ...more, argv }, scope, source));
  const runs: SideRuns = { source: (text) => source(text, null), argv: (argv) => again(argv) };

  if (name === 'git' || name === 'hub') {
    return (
      judgeGit(call.argv.slice(1), scope, call.gitDir, runs) ?? (name === 'hub' ? forge(call.argv) : null)
    );
  }
  if (/^git-[a-z]/.test(name))
    return judgeGit([name.slice(4), ...call.argv.slice(1)], scope, call.gitDir, runs);
  if (SHELLS.has(name)) return judgeShell(call, scope, source);
  remember(name, call, scope);
  return (
    judgeStarter(name, call, source, again) ??
    judgeText(name, call, scope, source) ??
    judgeScan(name, call.argv, scope) ??
    judgeOther(name, call.argv, scope)
  );
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'rbash']);

function nameOf(program: string, scope: Scope): string {
  const path = resolvePath(scope.cwd, program);
  const copied = scope.programs.get(program.includes('/') ? (path ?? program) : program);
  if (copied !== undefined) return copied;
  const last = basename(program);
  return couldBe(last, 'git') ? 'git' : last;
}
