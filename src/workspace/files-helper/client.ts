import * as z from 'zod';
import { parseJson } from '../../job/json.ts';
import type { WorkspaceFiles } from '../files.ts';
import { FILE_ERROR_CODES, type FileResult } from '../files-result.ts';
import type { Captured, Sandbox, Service } from '../sandbox/sandbox.ts';
import type { Call, FileTool, Reply } from './protocol.ts';

const RESULT = z.union([
  z.object({ ok: z.literal(true), text: z.string(), summary: z.string() }),
  z.object({
    ok: z.literal(false),
    code: z.enum(FILE_ERROR_CODES),
    text: z.string(),
    summary: z.string(),
  }),
]) satisfies z.ZodType<FileResult>;

const REPLY = z.union([
  z.object({ id: z.number(), result: RESULT }),
  z.object({ id: z.number(), fault: z.string() }),
]) satisfies z.ZodType<Reply>;

/** A line longer than this is no answer of ours: results are cut at 50,000 characters. */
const LONGEST_LINE = 4 * 1024 * 1024;

export interface FilesInside {
  readonly sandbox: Sandbox;
  /** Absolute, the same inside. */
  readonly workspace: string;
  /** The built helper, `files.mjs`. */
  readonly program: string;
  /** Globs of files that are not read to anybody. */
  readonly neverSend?: readonly string[];
  /** Folders beside the workspace that may be read: absolute, real, and seen by the sandbox's commands. */
  readonly beside?: readonly string[];
  /** How long one call may take. */
  readonly timeoutMs: number;
}

/**
 * The worker's file tools, run by a helper inside the sandbox that is started at the first use and lives as long
 * as the sandbox. If it ends in the middle of a call, that call is answered with an error for the model, and
 * the next one starts it anew. What it says is believed in form only: it shares a folder with the worker.
 */
export function filesInside(options: FilesInside): WorkspaceFiles {
  const helper = new Helper(options);
  return {
    read: (args) => helper.call('read', args, args.path),
    write: (args) => helper.call('write', args, args.path),
    edit: (args) => helper.call('edit', args, args.path),
    grep: (args) => helper.call('grep', args, args.pattern),
    glob: (args) => helper.call('glob', args, args.pattern),
  };
}

interface Waiting {
  readonly asked: string;
  readonly resolve: (result: FileResult) => void;
  readonly reject: (fault: Error) => void;
}

class Helper {
  readonly #options: FilesInside;
  readonly #waiting = new Map<number, Waiting>();
  #service: Promise<Service> | null = null;
  #calls = 0;

  constructor(options: FilesInside) {
    this.#options = options;
  }

  async call(tool: FileTool, args: unknown, asked: string): Promise<FileResult> {
    const service = await this.#started();
    this.#calls += 1;
    const call: Call = { id: this.#calls, tool, args };
    const limit = setTimeout(() => void service.stop(), this.#options.timeoutMs);
    try {
      return await new Promise<FileResult>((resolve, reject) => {
        this.#waiting.set(call.id, { asked, resolve, reject });
        service.stdin.write(`${JSON.stringify(call)}\n`);
      });
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(call.id);
    }
  }

  #started(): Promise<Service> {
    this.#service ??= this.#start().catch((error: unknown) => {
      this.#service = null;
      throw error;
    });
    return this.#service;
  }

  async #start(): Promise<Service> {
    const { sandbox, workspace, program, neverSend = [], beside = [] } = this.#options;
    const service = await sandbox.serve({
      argv: [process.execPath, program, workspace, JSON.stringify(neverSend), JSON.stringify(beside)],
      cwd: workspace,
      readable: [program],
    });
    this.#listen(service);
    void service.ended.then(({ notStarted, stderr }) => this.#lost(notStarted ?? textOf(stderr)));
    return service;
  }

  #listen(service: Service): void {
    let rest = '';
    service.stdout.setEncoding('utf8');
    service.stdout.on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line, service);
      if (rest.length > LONGEST_LINE) void service.stop();
    });
  }

  #take(line: string, service: Service): void {
    const reply = REPLY.safeParse(parseJson(line));
    const waiting = reply.success ? this.#waiting.get(reply.data.id) : undefined;
    // Not an answer to anything that was asked: whoever speaks there is not our helper.
    if (!reply.success || waiting === undefined) void service.stop();
    else if ('result' in reply.data) waiting.resolve(reply.data.result);
    else waiting.reject(new Error(`a file tool failed: ${reply.data.fault}`));
  }

  #lost(said: string): void {
    this.#service = null;
    for (const { asked, resolve } of this.#waiting.values()) {
      const why = said.trim() === '' ? 'out of time or memory' : said.trim().slice(-500);
      const text = `${asked}: the file tools were ended (${why}); try again, or use bash`;
      resolve({ ok: false, code: 'ended', text, summary: `${asked}: ended` });
    }
  }
}

function textOf({ bytes }: Captured): string {
  return Buffer.from(bytes).toString('utf8');
}
