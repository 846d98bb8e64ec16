import { createInterface } from 'node:readline';
import { workspaceFiles } from '../files.ts';
import type { FileResult } from '../files-result.ts';
import type { Call, Reply } from './protocol.ts';

/**
 * `files WORKSPACE [GLOBS [FOLDERS]]`: the file tools, inside the sandbox; GLOBS is the list `neverSend` and FOLDERS
 * those that may be read as well, both in JSON. Reads calls from stdin and answers on stdout, a line each, until stdin
 * ends. Builtins only: it has to be up in the time a bare node takes. Here the mount table says what a path can reach,
 * so a race between a check and a use gains a worker nothing.
 */
const [workspace = process.cwd(), globs = '[]', folders = '[]'] = process.argv.slice(2);
const files = workspaceFiles(workspace, JSON.parse(globs), JSON.parse(folders));

for await (const line of createInterface({ input: process.stdin })) {
  // Not awaited: a slow search holds up no read beside it.
  void answer(JSON.parse(line));
}

/** The caller is the runner, which made the line from arguments it has checked. */
async function answer(call: Call): Promise<void> {
  const reply = await act(call).then(
    (result): Reply => ({ id: call.id, result }),
    (error: unknown): Reply => ({ id: call.id, fault: String(error) }),
  );
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

function act({ tool, args }: Call): Promise<FileResult> {
  const act: (given: never) => Promise<FileResult> = files[tool];
  return act(args as never);
}
