import * as z from 'zod';
import type { ToolDefinition, ToolResult } from '../../engine/engine.ts';
import { formatDuration, trimLine } from '../../job/format.ts';
import type { Task } from '../../job/task.ts';
import { judgeShell } from '../../job/tool-rules.ts';
import type { Captured, CommandResult, Sandbox } from '../../workspace/sandbox/sandbox.ts';
import { judge } from '../guard/judge.ts';
import type { Guard } from '../guard/open.ts';
import { simpleCommands } from './simple-commands.ts';

const input = z.strictObject({
  command: z.string().min(1),
  timeoutSeconds: z.number().positive().optional(),
});

export interface BashOptions {
  readonly sandbox: Sandbox;
  /** Absolute: where commands start. */
  readonly cwd: string;
  readonly timeoutSeconds: number;
  /** No command may ask for more than the job has. */
  readonly longestSeconds: number;
  readonly log: (chunk: Uint8Array) => void;
  readonly guard: Guard;
  /** What of the shell may be used; absent: all of it. */
  readonly rules?: Pick<Task, 'allowTools' | 'denyTools'>;
}

const KEEP_BYTES = 30_000;

/** The worker's shell: its own process tree, no terminal, bounded in time and in output. */
export function bashTool(options: BashOptions): ToolDefinition {
  return {
    name: 'bash',
    description: 'Run a bash command. Returns exit code, stdout and stderr. No git push, merge or rebase.',
    input,
    readOnly: false,
    async run(args, { signal }) {
      const { command, timeoutSeconds } = input.parse(args);
      const seconds = Math.min(timeoutSeconds ?? options.timeoutSeconds, options.longestSeconds);
      options.log(Buffer.from(`$ ${command}\n`));
      const ruled = options.rules && judgeShell(options.rules, simpleCommands(command));
      if (ruled?.allow === false) {
        options.log(Buffer.from(`[refused] ${ruled.why}\n`));
        return { ok: false, text: ruled.why, summary: `${trimLine(command, 80)} → refused` };
      }
      const verdict = judge(command, { ...options.guard.folders, cwd: options.cwd });
      if (verdict.kind === 'refuse') {
        options.log(Buffer.from(`[refused] ${verdict.sentence}\n`));
        options.guard.refused(verdict);
        return { ok: false, text: verdict.sentence, summary: `${trimLine(command, 80)} → refused` };
      }
      const result = await options.sandbox.run({
        argv: ['bash', '-c', command],
        cwd: options.cwd,
        env: options.guard.env,
        readable: options.guard.readable,
        timeoutMs: seconds * 1000,
        keepBytes: KEEP_BYTES,
        log: options.log,
        signal,
      });
      return describe(command, result, seconds);
    },
  };
}

function describe(command: string, result: CommandResult, seconds: number): ToolResult {
  const took = formatDuration(result.durationMs / 1000);
  const parts = [`${ending(result, seconds)} (${took})`];
  if (result.stdout.totalBytes > 0) parts.push(text(result.stdout));
  if (result.stderr.totalBytes > 0) parts.push(`[stderr]\n${text(result.stderr)}`);
  const ok = result.exitCode === 0;
  const summary = `${trimLine(command, 80)} → ${ending(result, seconds)}`;
  return { ok, text: parts.join('\n'), summary };
}

function ending(result: CommandResult, seconds: number): string {
  if (result.timedOut) return `exit 124: ended after the limit of ${seconds} s`;
  if (result.aborted) return 'stopped';
  return result.exitCode === null ? `ended by ${result.signal ?? 'a signal'}` : `exit ${result.exitCode}`;
}

function text(captured: Captured): string {
  return Buffer.from(captured.bytes).toString('utf8').replace(/\n$/, '');
}
