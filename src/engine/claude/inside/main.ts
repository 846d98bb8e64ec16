import { readFileSync } from 'node:fs';
import { runClient } from './client.ts';
import { runHook } from './hook.ts';
import { parseRunFile } from './run-file.ts';
import { runTool } from './tool.ts';

/**
 * The one program of ours beside the client, three in one file: `run FILE` holds the client, `hook LONGEST ANSWER` is
 * its guard, `tool NAME …` is what the worker calls to speak to its supervisor. Builtins only.
 */
async function main([what, ...args]: readonly string[]): Promise<number> {
  switch (what) {
    case 'run':
      return runClient(parseRunFile(readFileSync(args[0] ?? '', 'utf8')), process.env);
    case 'hook': {
      const limits = { longestMs: Number(args[0]), answerMs: Number(args[1]) };
      return say(await runHook(await readStdin(), process.env, limits));
    }
    case 'tool':
      return say(await runTool(args[0] ?? '', args.slice(1), process.env, readStdin));
    default:
      process.stderr.write('this is a part of cc-delegate; it is started by its runner\n');
      return 2;
  }
}

function say(said: { readonly exitCode: number; readonly stdout: string; readonly stderr: string }): number {
  process.stdout.write(said.stdout);
  process.stderr.write(said.stderr);
  return said.exitCode;
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
    // The client's stdin is ours: an open one would keep us here.
    process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
  },
  (error: unknown) => {
    process.stderr.write(`cc-delegate: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
