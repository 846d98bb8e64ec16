import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';
import type { ScriptedRequest } from '../../src/engine/scripted/server.ts';
import { needsClient } from '../client/client.ts';
import { textOf } from '../helpers/processes.ts';
import { makeWorld, type World, type WorldOptions } from '../helpers/world.ts';

/** What starts a job on the engine `claude`. */
export const CLAUDE = ['--engine', 'claude'] as const;

/** US dollars per million tokens; the client knows no model `scripted`, and would make up a price. */
export const PRICES = { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 } as const;

export interface ClaudeWorldOptions extends WorldOptions {
  /** Laid over the user's settings. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A world whose model speaks Anthropic's protocol, and whose user has the real client on PATH. */
export async function claudeWorld(
  test: Pick<TestContext, 'skip'>,
  options: ClaudeWorldOptions,
): Promise<World> {
  const client = needsClient(test);
  const world = await makeWorld({ ...options, api: 'anthropic' });
  const bin = join(world.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(client, join(bin, 'claude'));
  world.env.PATH = [bin, world.env.PATH].join(delimiter);
  configure(world, (settings) => {
    settings.profiles.test.prices = PRICES;
    Object.assign(settings, options.config);
  });
  return world;
}

interface Settings {
  [key: string]: unknown;
  readonly profiles: { readonly test: Record<string, unknown> };
}

/** Changes the user's settings. */
export function configure(world: World, change: (settings: Settings) => void): void {
  const file = join(world.home, '.cc-delegate', 'config.yaml');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  change(settings);
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
}

/** Calls of the client's tools. */
export function shell(command: string, timeout?: number) {
  return { name: 'Bash', args: timeout === undefined ? { command } : { command, timeout } };
}

export function put(path: string, content: string) {
  return { name: 'Write', args: { file_path: path, content } };
}

export function look(path: string) {
  return { name: 'Read', args: { file_path: path } };
}

/** The files below a folder that hold a text, whatever they are. */
export function filesWith(text: string, folder: string, but: RegExp | null = null): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !but?.test(path) && textOf(path).includes(text));
}

/** What the tools answered before this request, newest round only. */
export function toolResults(request: ScriptedRequest | undefined): string[] {
  const last = request?.body.messages.findLast(({ role }) => role === 'user')?.content;
  if (!Array.isArray(last)) return [];
  return last.flatMap((block: Record<string, unknown>) =>
    block.type === 'tool_result'
      ? [typeof block.content === 'string' ? block.content : JSON.stringify(block.content)]
      : [],
  );
}
