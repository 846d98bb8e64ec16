import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineEvent } from '../../src/engine/engine.ts';
import type { Script } from '../../src/engine/scripted/server.ts';
import type { ScriptedCall, Turn } from '../../src/engine/scripted/turn.ts';
import { needsClient } from '../client/client.ts';
import { makeScene } from './claude/scene.ts';
import { describeConformance } from './conformance.ts';
import { eventsOf, type Finished } from './harness.ts';

/** What is read; what is written is another file, because the client overwrites only what it has read. */
const GIVEN = 'given.txt';
const NAMES: Readonly<Record<string, string>> = { read: 'Read', write: 'Write' };

/** The client decides by itself what it makes of a model's answer; the gateway passes on what it is. */
const WORDS = 'the client has words of its own for it';
const LENGTH = 'the client runs a call that is whole, and asks for the rest of an answer at most three times';
const COMPACTION = 'the client makes its own summary, as a request of the worker: there are more of them';
const OWN_WAY = {
  'an error event about a full context': COMPACTION,
  'a context that is too long, once': COMPACTION,
  'a context that is always too long': COMPACTION,
  'arguments that are no JSON': WORDS,
  'truncated JSON, finished: never repaired': WORDS,
  'the output limit inside a call: not run': WORDS,
  'the output limit after a whole call: not run either': LENGTH,
  'the output limit for ever': LENGTH,
  'a refusal': 'the client asks a second time',
  'an empty answer, once': WORDS,
  'white space alone, once': WORDS,
  'thoughts alone, once': WORDS,
  'empty answers for ever': 'the client asks once more, not twice',
  'bad calls for ever': 'the client has no bound on them; steps, money and the host’s own look have',
  'two calls in turn for ever':
    'the first write says "created", the others "updated": the circle is one turn longer',
} as const;

function ownCall(call: ScriptedCall): ScriptedCall {
  const name = NAMES[call.name];
  if (name === undefined) return call;
  if (typeof call.args !== 'object' || call.args === null || !('path' in call.args)) return { ...call, name };
  const { path, ...others } = call.args;
  return {
    ...call,
    name,
    args: { file_path: name === 'Read' && path === 'a.txt' ? GIVEN : path, ...others },
  };
}

function ownTurn(turn: Turn): Turn {
  return turn.calls === undefined ? turn : { ...turn, calls: turn.calls.map(ownCall) };
}

function ownScript(script: Script): Script {
  if (typeof script === 'function') return async (request) => ownTurn(await script(request));
  if (!('turns' in script)) return script.map(ownTurn);
  const turns = Object.entries(script.turns).map(([role, list]) => [role, list.map(ownTurn)]);
  return { ...script, turns: Object.fromEntries(turns) };
}

/** What the tools did, as the engine's events have it. */
function ownLog({ events }: Finished): string[] {
  const done = new Set(eventsOf(events, 'tool_end').flatMap(({ id, ok }) => (ok ? [id] : [])));
  return eventsOf(events, 'tool_start').flatMap((event) => (done.has(event.id) ? [said(event)] : []));
}

function said({ tool, args }: Extract<EngineEvent, { t: 'tool_start' }>): string {
  if (tool === 'Read') return 'content of a.txt';
  const path = typeof args === 'object' && args !== null && 'file_path' in args ? args.file_path : '?';
  return `wrote ${path}`;
}

describeConformance(
  'claude',
  async (clock, test) => {
    const scene = await makeScene(needsClient(test));
    writeFileSync(join(scene.work, GIVEN), 'given\n');
    return scene.engine(clock);
  },
  ['anthropic'],
  { script: ownScript, log: ownLog, leftOut: OWN_WAY },
);
