import { appendFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { count } from '../../job/format.ts';
import { activeLine, lookAt, seeToLost } from '../active-jobs.ts';
import { adoptOthers, type Source } from '../adoption.ts';
import { makeBell } from '../bell.ts';
import { outdatedProgram } from '../built.ts';
import { activeFor, claim, type Kept, keptFor, tidy } from '../deliveries.ts';
import { allOwners, ownersFor, reclaim } from '../heirs.ts';
import { takeOverKey } from '../key-takeover.ts';
import { refreshLauncher } from '../line/launcher.ts';
import { modeContext } from '../mode-context.ts';
import { howManyFit, noticeText, toldText } from '../notice.ts';
import { isTerminalOwner, terminalOwner } from '../places.ts';
import { policyDrift } from '../policy-drift.ts';
import { repositoryOf } from '../repository-of.ts';
import { clientProcess, type Session, saveSession } from '../sessions.ts';
import { sweep } from '../sweep.ts';
import { answer, type HookAnswer, type HookCall, isAttended, NOTHING, sessionOf } from './call.ts';
import { missing } from './prerequisites.ts';

/**
 * A session begins, goes on, or was cleared: it is written down and gets a bell, the jobs of those before it that are
 * nobody's become its own, and the model is told what runs, what asks and what has ended. What was told before, and
 * nobody has looked at, is told again here and nowhere else.
 */
export function sessionStart(call: HookCall): HookAnswer {
  const id = sessionOf(call);
  if (id === null) return NOTHING;
  const { userDir, env, now } = call;
  const watched = orNothing(() => begin(call, id)) ?? [];
  const repo = repositoryOf(cwdOf(call), env);
  const jobs = orNothing(() => jobsOf(call, id, repo)) ?? NO_JOBS;
  const mode = orNothing(() => modeContext(userDir)) ?? '';
  const additionalContext = [mode, jobs.text].filter((text) => text !== '').join('\n\n');
  const systemMessage = [
    missing(env),
    orNothing(() => outdatedProgram(call.program)),
    orNothing(() => policyDrift(userDir)),
    orNothing(() => keyMessage(call, id)),
    jobs.message,
  ]
    .filter((text) => text !== null && text !== undefined && text !== '')
    .join('\n');
  orNothing(() => sweep(userDir, now));
  // An update may have brought another status line.
  refreshLauncher(userDir, dirname(call.program));
  return answer({
    ...(systemMessage !== '' && { systemMessage }),
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      ...(additionalContext !== '' && { additionalContext }),
      ...(watched.length > 0 && { watchPaths: watched }),
    },
  });
}

/** Without a person in front of the session nothing is taken over: nobody would see it. */
function keyMessage({ userDir, env, program, now }: HookCall, session: string): string | null {
  return isAttended(env) ? takeOverKey({ userDir, session, env, program, now }) : null;
}

/** A part that fails must not take the others with it: a session begins all the same. */
function orNothing<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    process.stderr.write(`cc-delegate: ${String(error)}\n`);
    return null;
  }
}

/** Writes the session down; returns what the client is to watch. */
function begin(call: HookCall, id: string): string[] {
  const { userDir, env, input } = call;
  // The client starts us, and the shell before us made way for us.
  const client = clientProcess(Number(env.CLAUDE_PID ?? process.ppid));
  const cwd = cwdOf(call);
  reclaim(userDir, id);
  if (client !== null) {
    const startedAt = new Date(call.now).toISOString();
    const repo = repositoryOf(cwd, env);
    const session: Session = { sessionId: id, ...client, cwd, repo, startedAt, endedAt: null };
    saveSession(userDir, session);
    // A run without a person takes nobody's jobs over: it is about something else, and soon gone.
    if (isAttended(env)) adoptOthers(userDir, session, sourceOf(input.source));
  }
  const bell = makeBell(userDir, id);
  exportTo(env.CLAUDE_ENV_FILE, {
    CC_DELEGATE_BELL: bell,
    CC_DELEGATE_SESSION: id,
    ...(env.CC_DELEGATE_HOME && { CC_DELEGATE_HOME: env.CC_DELEGATE_HOME }),
  });
  return isAttended(env) ? [bell] : [];
}

function cwdOf({ input }: HookCall): string {
  return resolve(typeof input.cwd === 'string' ? input.cwd : '.');
}

const SOURCES: readonly Source[] = ['startup', 'resume', 'clear', 'compact', 'fork'];

function sourceOf(source: unknown): Source {
  return SOURCES.find((known) => known === source) ?? 'unknown';
}

/** For every later command of the session's shell; nothing but names of our own. */
function exportTo(file: string | undefined, variables: Readonly<Record<string, string>>): void {
  if (file === undefined || file === '') return;
  const lines = Object.entries(variables).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`,
  );
  appendFileSync(file, lines.join(''));
}

interface Jobs {
  /** For the model. */
  readonly text: string;
  /** For the person. */
  readonly message: string;
}

const NO_JOBS: Jobs = { text: '', message: '' };

function jobsOf({ userDir, program, env, now }: HookCall, id: string, repo: string | null): Jobs {
  const isLookedFor = repo !== null && isAttended(env) && allOwners(userDir).some(isTerminalOwner);
  const terminals = isLookedFor ? [terminalOwner(repo)] : [];
  const owners = [...ownersFor(userDir, id), ...terminals];
  const active = activeFor(userDir, owners);
  const asking = new Set(
    keptFor(userDir, owners).flatMap(({ notice }) => (notice.percent === null ? [notice.job] : [])),
  );
  seeToLost(userDir, program, env, active);
  const running = active.flatMap((job) => {
    const look = asking.has(job.job) ? null : lookAt(job, now);
    return look?.kind === 'runs' ? [activeLine(look.glance)] : [];
  });
  // Of a job that runs there is a line with what it has spent; that half of it is gone was news once.
  const kept = keptFor(userDir, owners).filter(({ notice, isTold }) => notice.percent === null || !isTold);
  const lines = [...kept.map(({ notice }) => noticeText(notice, now)), ...running];
  if (lines.length === 0) return NO_JOBS;
  const fit = howManyFit(lines);
  // Told here, whoever marked them before; so that nobody tells them a second time.
  for (const told of kept.slice(0, fit)) if (!told.isTold) claim(userDir, told);
  tidy(userDir, id, now);
  return { text: toldText(lines.slice(0, fit), lines.length - fit), message: message(kept, running.length) };
}

function message(kept: readonly Kept[], running: number): string {
  const asking = kept.filter(({ notice }) => notice.question !== null).length;
  const ended = kept.filter(({ notice }) => notice.question === null && notice.percent === null).length;
  const parts = [
    ...(running > 0 ? [`${count(running, 'job')} running`] : []),
    ...(asking > 0 ? [`${count(asking, 'job')} asking`] : []),
    ...(ended > 0 ? [`${count(ended, 'job')} ended, not looked at yet`] : []),
  ];
  return `cc-delegate: ${parts.join(', ')} (cc-delegate list)`;
}
