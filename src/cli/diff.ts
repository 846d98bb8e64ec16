import { createReadStream, existsSync } from 'node:fs';
import { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { count, stripControls, visiblePath } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import type { ReceiptFile } from '../job/receipt.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { runPaths } from '../store/paths.ts';
import { readReceipt } from '../store/receipt-file.ts';
import { packetOf } from './diff-packet.ts';
import { type FoundRecord, findNamedJob } from './find-job.ts';
import { atMost, parseVerb } from './parse.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate diff [ID] [--stat | --name-only | --packet]

The patch of a job, byte for byte, against the commit it started from.

  --stat       how much in which file, and what to look at
  --name-only  the paths
  --packet     for a reviewing model, at most 60,000 characters: verdict, files
               by risk, each diff as far as it fits; what is left out is named`,

  async run(context) {
    const options = {
      stat: { type: 'boolean' },
      'name-only': { type: 'boolean' },
      packet: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseVerb(context.args, options);
    atMost(positionals, 1);
    const found = await findNamedJob(context, positionals[0], 'any');
    const { record } = found;
    const { patch, receipt } = runPaths(found.store, record.id);
    if (!existsSync(patch)) throw noPatch(found);
    const read = readReceipt(receipt);
    const files = read.kind === 'ok' ? read.value.files : [];
    const json = { id: record.id, patchPath: patch, files };
    if (values.packet === true) {
      const packet = packetOf(context, record, read.kind === 'ok' ? read.value : null, patch);
      const { text, ...lists } = packet;
      return { json: { id: record.id, patchPath: patch, packet: text, ...lists }, text, exit: EXIT.done };
    }
    if (values['name-only'] === true)
      return { json, text: files.map(({ path }) => visiblePath(path)).join('\n'), exit: EXIT.done };
    if (values.stat === true) return { json, text: stat(files), exit: EXIT.done };
    if (!context.json) await copy(patch);
    return { json, text: '', exit: EXIT.done };
  },
};

/** Bytes, not text: what is printed can be fed to `git apply`. */
async function copy(patch: string): Promise<void> {
  const stream = createReadStream(patch);
  // A terminal is no program that applies it, and would obey what a file may hold.
  const shown = process.stdout.isTTY ? stream.pipe(visible()) : stream;
  shown.pipe(process.stdout, { end: false });
  await finished(shown);
}

function visible(): Transform {
  const decoder = new StringDecoder('utf8');
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, stripControls(decoder.write(chunk))),
    flush: (done) => done(null, stripControls(decoder.end())),
  });
}

function stat(files: readonly ReceiptFile[]): string {
  const width = Math.max(4, ...files.map(({ path }) => visiblePath(path).length));
  const lines = files.map((file) => {
    const amount = file.binary ? 'binary' : `+${file.insertions} −${file.deletions}`;
    const flags = file.flags.length > 0 ? `  ${file.flags.join(' ')}` : '';
    return `${file.status} ${visiblePath(file.path).padEnd(width)}  ${amount}${flags}`;
  });
  return [...lines, count(files.length, 'file')].join('\n');
}

function noPatch({ record }: FoundRecord): UserError {
  const active = !isTerminal(record.state);
  return new UserError({
    code: active ? 'wrong_state' : 'no_patch',
    what: active ? `this job is ${record.state}, its work is not taken in yet` : 'this job left no patch',
    value: record.id,
    remedy: active ? `cc-delegate wait ${shortId(record.id)}` : `see: cc-delegate log ${shortId(record.id)}`,
    exit: EXIT.wrongState,
  });
}
