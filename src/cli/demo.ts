import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedModel } from '../engine/scripted/server.ts';
import { isJobId, type JobId } from '../job/ids.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT } from '../job/user-error.ts';
import { readEvents } from '../store/events.ts';
import { openStore } from '../store/open.ts';
import { runPaths } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { SCRIPT, TASK, TEST } from './demo/project.ts';
import { type Stage, setStage } from './demo/stage.ts';
import { stepLine } from './demo/step-line.ts';
import { atMost, parseVerb } from './parse.ts';
import { style } from './render/style.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate demo [--keep]

A whole delegation, offline, in a throw-away repository: real git, runner, HTTP,
tests and diff; only the model is scripted.

  --keep   leave the repository there to look at`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { keep: { type: 'boolean' } });
    atMost(positionals, 0);
    const model = await startScriptedModel({ script: SCRIPT });
    const stage = await setStage(context);
    const teller = new Teller(context);
    try {
      const id = await play(stage, teller, model.url);
      teller.end(values.keep === true ? stage.repository : null);
      return {
        json: { id, kept: values.keep === true ? stage.repository : null },
        text: '',
        exit: EXIT.done,
      };
    } finally {
      await model.close();
      if (values.keep !== true) stage.remove();
    }
  },
};

async function play(stage: Stage, teller: Teller, url: string): Promise<JobId> {
  teller.act('1  A repository whose tests are red');
  await teller.shell(stage, TEST, ['node', '--test'], /^# (pass|fail)/);

  teller.act('2  The task goes to a cheaper model');
  await configure(stage, url);
  const args = ['start', TASK, '--test', TEST];
  teller.command(`cc-delegate start "${TASK.slice(0, 38)}…" --test "${TEST}"`);
  const started = await stage.delegate(args);
  teller.lines(started);
  const id = /t_[0-9a-z]+_[0-9a-z]{6}/.exec(started)?.[0] ?? '';
  if (!isJobId(id)) throw new Error(`start printed no id: ${started}`);
  const short = id.slice(-6);

  teller.act('3  It works in a clone of its own, in the background');
  await follow(stage, teller, id);

  teller.act('4  We judge it: our test run, in a clean checkout of its result');
  await teller.delegate(stage, ['result', short]);
  await teller.delegate(stage, ['diff', short, '--stat']);

  teller.act('5  One diff comes back');
  await teller.delegate(stage, ['apply', short]);
  await teller.shell(stage, 'git diff --staged', ['git', 'diff', '--staged', '--no-color', '-U0'], /^[+-] /);
  await teller.shell(stage, TEST, ['node', '--test'], /^# (pass|fail)/);
  await teller.delegate(stage, ['undo']);
  await teller.shell(stage, 'git status --short', ['git', 'status', '--short'], /./);
  return id;
}

async function configure(stage: Stage, url: string): Promise<void> {
  await stage.delegate([
    ...['config', 'profile', 'set', 'cheap', '--provider', 'openai-compatible', '--model', 'scripted-coder'],
    ...['--base-url', url, '--price-input', '0.3', '--price-output', '1.2', '--price-cache-read', '0.03'],
  ]);
  // The worker is our own script, so its commands need no sandbox.
  await stage.delegate(['config', 'set', 'sandbox.allowUnsandboxed', 'true']);
}

/** Prints the worker's steps as they happen, until the job has ended. */
async function follow(stage: Stage, teller: Teller, id: JobId): Promise<void> {
  const store = openStore(stage.repository, { create: false });
  let from = 0;
  for (;;) {
    const job = readJob(store, id);
    const ended = job.kind !== 'ok' || isTerminal(job.record.state);
    const news = readEvents(runPaths(store, id).events, { from });
    for (const event of news.events) teller.line(stepLine(event));
    from = news.next;
    if (ended) return;
    await sleep(60);
  }
}

/** Tells the story on stdout, or keeps quiet for `--json`. */
class Teller {
  readonly #say: (text: string) => void;

  constructor(context: VerbContext) {
    this.#say = context.json ? () => undefined : context.stdout;
  }

  act(title: string): void {
    this.#say(`\n${style('bold', title)}\n`);
  }

  command(text: string): void {
    this.#say(`${style('cyan', `$ ${text}`)}\n`);
  }

  line(text: string | null): void {
    if (text !== null) this.#say(`  ${text}\n`);
  }

  lines(text: string): void {
    for (const line of text.split('\n')) this.#say(`  ${line}\n`);
  }

  async delegate(stage: Stage, args: readonly string[]): Promise<void> {
    this.command(`cc-delegate ${args.join(' ')}`);
    this.lines(await stage.delegate(args));
  }

  /** Runs a command and shows those of its lines that matter. */
  async shell(
    stage: Stage,
    shown: string,
    [file, ...args]: [string, ...string[]],
    worth: RegExp,
  ): Promise<void> {
    this.command(shown);
    const out = await stage.run(file, args, { expect: 'any' });
    const lines = out.split('\n').filter((line) => worth.test(line));
    this.lines(lines.length === 0 ? '(nothing: as before)' : lines.join('\n'));
  }

  end(kept: string | null): void {
    this.act('What was real, and what was not');
    this.lines(
      [
        'real       repository, clone, detached runner, HTTP, tools, tests, diff, apply, undo',
        'scripted   the model: its answers were written beforehand',
        'with yours cc-delegate config profile set NAME --provider … --model …',
        '           cc-delegate config key set NAME      (then: cc-delegate doctor)',
        ...(kept === null ? [] : [`kept       ${kept}`]),
      ].join('\n'),
    );
  }
}
