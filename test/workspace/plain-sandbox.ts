import { spawn } from 'node:child_process';
import type { Captured, Command, CommandResult, Sandbox } from '../../src/workspace/sandbox/sandbox.ts';

/** A sandbox that contains nothing: a real process of its own group, for tests of what runs in one. */
export function plainSandbox(): Sandbox {
  return { level: 'none', backend: 'plain', run, serve, dispose: async () => [] };
}

function serve(): never {
  throw new Error('nothing that is tested here starts a service');
}

function run(command: Command): Promise<CommandResult> {
  const [program, ...args] = command.argv;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: { PATH: process.env.PATH, HOME: '/nonexistent', ...command.env },
      detached: true,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, command.timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      const durationMs = performance.now() - started;
      const streams = { stdout: captured(stdout), stderr: captured(stderr) };
      resolve({ exitCode, signal, timedOut, aborted: false, ...streams, durationMs });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(command.input ?? new Uint8Array());
  });
}

function captured(chunks: readonly Buffer[]): Captured {
  const bytes = Buffer.concat(chunks);
  return { bytes, totalBytes: bytes.length, truncated: false };
}
