import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { answerMs } from '../../job/client-environment.ts';
import type { RoundVerdict } from '../../job/loop-words.ts';
import type { EngineHost, RunOutcome, RunSpec } from '../engine.ts';
import type { Clock } from '../http/retry.ts';
import { AgentNames } from './agent-names.ts';
import { agentsText, type ModelNames, modelNames } from './agents.ts';
import { clientArgv, offeredTools } from './argv.ts';
import { type Gateway, openGateway } from './gateway/gateway.ts';
import { launchOf } from './launch.ts';
import { LineReader } from './lines.ts';
import type { ClaudeOptions, Launched } from './options.ts';
import { outcomeOf } from './outcome.ts';
import { fillPlace, type Place, PROGRAMS, placeOf } from './place.ts';
import type { Rounds } from './rounds.ts';
import { guardSettings, settingsProblem } from './settings.ts';
import type { Steering } from './steering.ts';
import { Transcript } from './transcript.ts';
import { Watch } from './watch.ts';

export interface RunParts {
  readonly spec: RunSpec;
  readonly host: EngineHost;
  readonly options: ClaudeOptions;
  readonly signal: AbortSignal;
  readonly steering: Steering;
  readonly rounds: Rounds;
  readonly clock: Clock;
}

type Failed = Extract<RunOutcome, { status: 'failed' }>;

/** Longer socket paths are cut off silently (Node 20). */
const LONGEST_SOCKET = 100;
/** How long the results of a round may be behind the question that follows them. */
const RESULTS_MS = 300;
/** The client knows that it is over, and may say so by itself. */
const VERDICT_GRACE_MS = 3_000;
const DRAIN_MS = 2_000;

/** One run of the client, from its files to its outcome. Rejects on a bug, or when a file cannot be written. */
export class ClaudeRun {
  readonly #parts: RunParts;
  readonly #agent: string;
  readonly #token = randomBytes(32).toString('hex');
  readonly #names = new AgentNames();
  #own: Failed | null = null;
  #launched: Launched | null = null;
  #isFull = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#agent = parts.spec.agent ?? 'main';
  }

  async run(): Promise<RunOutcome> {
    const { spec, options, signal } = this.#parts;
    const socket = join(options.socketFolder, `${randomBytes(4).toString('hex')}.sock`);
    if (Buffer.byteLength(socket) >= LONGEST_SOCKET)
      return failed(`the path of the socket is too long: ${socket}`);
    const opened = Transcript.open(spec.conversation, randomUUID());
    for (const text of opened.problems) this.#warn(text);
    const place = placeOf(options.folder);
    const { wanted, named } = this.#prepare(place, socket, opened);
    const problem = settingsProblem(place.settings, wanted);
    if (problem !== null) return failed(`${problem}; the client was not started`);
    const gateway = await this.#openGateway(socket, named, opened.transcript);
    try {
      if (signal.aborted) return { status: 'aborted' };
      return await this.#hold(gateway, place, named, opened.transcript);
    } finally {
      await gateway.close();
    }
  }

  /** Writes the files the client is started with. */
  #prepare(place: Place, socket: string, opened: { session: string; lines: string | null }) {
    const { spec, host, options } = this.#parts;
    const { node, inside, longestCommandMs } = options;
    const wanted = guardSettings({
      node,
      inside,
      longestCommandMs,
      answerMs: answerMs(options),
    });
    const named = modelNames(spec, options);
    const tools = offeredTools(options);
    const agents = tools.includes('Task') ? agentsText(named.subAgents, tools) : null;
    const argv = clientArgv(options, {
      settingsFile: place.settings,
      systemFile: place.system,
      agentsFile: agents === null ? null : place.agents,
      session: { id: opened.session, resume: opened.lines !== null },
      model: named.main.name,
    });
    fillPlace(place, options, {
      settings: wanted,
      system: spec.system,
      agents,
      session: opened.lines,
      programs: PROGRAMS.filter((name) => host.tools.some((tool) => tool.name === name)),
      run: {
        client: [options.client, ...argv],
        socket,
        token: this.#token,
        programs: place.programs,
        configFolder: options.configFolder,
        cwd: options.cwd,
        session: opened.session,
        restore: opened.lines === null ? null : place.session,
      },
    });
    return { wanted, named };
  }

  #openGateway(socket: string, named: ModelNames, transcript: Transcript): Promise<Gateway> {
    const { spec, host, options, signal, clock } = this.#parts;
    return openGateway({
      socket,
      token: this.#token,
      host: {
        ...host,
        mayCall: async (call) => {
          const ofWorker = call.role === named.main.role && call.attempt === 1;
          if (ofWorker) this.#heed(await this.#parts.rounds.next(RESULTS_MS));
          return this.#own === null ? host.mayCall(call) : { kind: 'cancelled' };
        },
      },
      slots: [named.main, ...(named.small === null ? [] : [named.small]), ...named.subAgents],
      retry: spec.retry,
      idleMs: spec.idleMs,
      signal,
      clock,
      clean: options.clean,
      guard: options.guard,
      onSession: (bytes, offset, session) => {
        if (!transcript.isOf(session)) return false;
        this.#keep(transcript, bytes, offset);
        return true;
      },
    });
  }

  #keep(transcript: Transcript, bytes: Uint8Array, offset: number): void {
    if (transcript.append(bytes, offset) || this.#isFull) return;
    this.#isFull = true;
    this.#warn(
      'the conversation is too long to be kept whole: a later turn begins with what was said up to here',
    );
  }

  async #hold(
    gateway: Gateway,
    place: Place,
    named: ModelNames,
    transcript: Transcript,
  ): Promise<RunOutcome> {
    const { spec, options, signal, steering } = this.#parts;
    const launched = await options.launch(
      launchOf(options, spec, { names: named, token: this.#token, place }),
    );
    this.#launched = launched;
    const watch = this.#watch(transcript);
    const lines = new LineReader(
      (line) => watch.line(line),
      () => watch.tooLong(),
    );
    launched.stdout.on('data', (chunk: Uint8Array) => lines.push(chunk));
    const read = finished(launched.stdout).catch(() => {
      // Cut off: what was said until then counts.
    });
    const stop = (): void => void launched.stop();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    let grace: NodeJS.Timeout | undefined;
    void gateway.whenVerdict.then(() => {
      steering.close();
      grace = setTimeout(stop, VERDICT_GRACE_MS);
    });
    steering.open(launched.stdin, spec.prompt);
    const end = await launched.ended;
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
    await Promise.race([read, new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
    lines.end();
    steering.close();
    const { result } = watch;
    const { maxTurns } = options;
    return outcomeOf({
      own: this.#own,
      gateway: gateway.verdict,
      aborted: signal.aborted,
      result,
      end,
      maxTurns,
    });
  }

  #watch(transcript: Transcript): Watch {
    const { host, options, steering, rounds, clock } = this.#parts;
    return new Watch({
      host,
      agent: this.#agent,
      names: this.#names,
      steering,
      rounds,
      cwd: options.cwd,
      clean: options.clean,
      now: () => clock.now(),
      onSession: (session) => transcript.follow(session),
      onRound: (verdict) => this.#heed(verdict),
      onCut: () => {
        if (options.request !== null) steering.send(toldAgain(options.request), null);
      },
    });
  }

  #heed(verdict: RoundVerdict): void {
    if (verdict.kind === 'warn') {
      this.#warn(verdict.event);
      this.#parts.steering.send(verdict.say, null);
    }
    if (verdict.kind !== 'stop' || this.#own !== null) return;
    this.#own = { status: 'failed', kind: 'loop', message: verdict.message };
    this.#parts.steering.close();
    void this.#launched?.stop();
  }

  #warn(text: string): void {
    this.#parts.host.emit({ agent: this.#agent, t: 'warn', text });
  }
}

/** Where the endpoint takes less than the client thinks, it leaves out the oldest messages: the request (2.1.332). */
function toldAgain(request: string): string {
  return `The conversation was cut. The request you work on, word for word:\n\n${request}\n\nGo on with it where you are.`;
}

function failed(message: string): Failed {
  return { status: 'failed', kind: 'engine', message };
}
