import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { makeFolder } from '../helpers/repository.ts';
import type { ClientHome } from './client.ts';
import { isRunning, killTree } from './process-tree.ts';

const COLUMNS = 150;
const LINES = 45;

/** The line a person types into, empty: the client is ready. */
const PROMPT = /^\s*❯/m;

export interface InteractiveOptions {
  readonly cwd: string;
  readonly plugin?: string;
  readonly args?: readonly string[];
}

/** A client in a terminal that a test types into. */
export interface Interactive {
  /** Types, without an Enter. Line breaks in it would be Enters: use `paste` for those. */
  type(text: string): void;
  /** Puts a text in as a terminal's paste. */
  paste(text: string): void;
  enter(): void;
  /** Keys by their names for tmux: `Escape`, `Up`, `C-c`. */
  keys(...names: string[]): void;
  /** Types a line, waits until the client shows its end, and presses Enter. */
  submit(text: string): Promise<void>;
  /** What the terminal shows now. */
  screen(): string;
  /** Resolves with the screen once it matches; `seconds` (30) at the most. */
  waitForScreen(pattern: RegExp, seconds?: number): Promise<string>;
  /** Ends the client at once. */
  close(): Promise<void>;
  readonly pid: number;
}

/** Opens the client in a tmux of its own and waits until it takes input. Closed when the test ends. */
export async function openInteractive(home: ClientHome, options: InteractiveOptions): Promise<Interactive> {
  const socket = join(makeFolder('cc-delegate-tmux-'), 's');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: home.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const command = [
    home.client,
    ...(options.plugin === undefined ? [] : ['--plugin-dir', options.plugin]),
    ...['--model', 'claude-haiku-4-5'],
    ...(options.args ?? []),
  ];
  const size = ['-x', String(COLUMNS), '-y', String(LINES)];
  tmux('new-session', '-d', '-s', 'client', ...size, '-c', options.cwd, ...command);
  const [server = 0, pid = 0] = tmux('display', '-p', '-t', 'client', '#{pid} #{pane_pid}')
    .trim()
    .split(' ')
    .map(Number);
  const session = new TmuxClient(tmux, server, pid);
  onTestFinished(() => session.close());
  await session.waitForScreen(PROMPT);
  return session;
}

class TmuxClient implements Interactive {
  readonly #tmux: (...args: string[]) => string;
  readonly #server: number;
  readonly pid: number;

  constructor(tmux: (...args: string[]) => string, server: number, pid: number) {
    this.#tmux = tmux;
    this.#server = server;
    this.pid = pid;
  }

  type(text: string): void {
    this.#tmux('send-keys', '-t', 'client', '-l', '--', text);
  }

  paste(text: string): void {
    this.#tmux('set-buffer', '--', text);
    this.#tmux('paste-buffer', '-p', '-t', 'client');
  }

  enter(): void {
    this.keys('Enter');
  }

  keys(...names: string[]): void {
    this.#tmux('send-keys', '-t', 'client', ...names);
  }

  async submit(text: string): Promise<void> {
    this.type(text);
    await this.waitForScreen(new RegExp(escaped(text.slice(-30))));
    this.enter();
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p', '-t', 'client');
  }

  async waitForScreen(pattern: RegExp, seconds = 30): Promise<string> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const screen = isRunning(this.pid) ? this.screen() : '(the client has ended)';
      if (pattern.test(screen)) return screen;
      if (performance.now() > deadline || !isRunning(this.pid)) {
        throw new Error(`waited in vain for ${pattern} on:\n${screen}`);
      }
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    killTree(this.pid);
    killTree(this.#server);
    while (isRunning(this.pid) || isRunning(this.#server)) await sleep(10);
  }
}

/** A line may be broken where it has a blank. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
}
