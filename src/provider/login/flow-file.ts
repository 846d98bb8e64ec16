import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EXIT, UserError } from '../../job/user-error.ts';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureFolder, namesIn } from '../../store/folders.ts';
import { type PathEnvironment, userDirectory } from '../../store/paths.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { LOGIN_KINDS } from '../access.ts';
import type { FlowState } from './device-flow.ts';
import { isSafeBase } from './endpoints.ts';

const base = z.string().refine(isSafeBase);
const state: z.ZodType<FlowState> = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('pending'),
    intervalMs: z.number(),
    nextPollAt: z.number(),
    expiresAt: z.number(),
  }),
  z.object({ state: z.literal('authorized') }),
  z.object({
    state: z.literal('failed'),
    reason: z.enum(['expired', 'denied', 'refused']),
    detail: z.string(),
  }),
]);

const FLOW_ID = /^[0-9a-f]{16}$/;

const flowSchema = z.object({
  schema: z.literal(1),
  id: z.string().regex(FLOW_ID),
  kind: z.enum(LOGIN_KINDS),
  /** The profile or provider the login is for. */
  owner: z.string().min(1),
  userCode: z.string(),
  verificationUri: base,
  /** '' once the flow has ended. */
  deviceCode: z.string(),
  endpoints: z.object({
    copilot: z.object({ web: base, api: base }),
    chatgpt: z.object({ auth: base, api: base }),
  }),
  begunAt: z.number(),
  flow: state,
});
/** A login under way, as it stands in `logins/<id>.json` of the user's folder. Times are milliseconds since 1970. */
export type LoginFlow = Readonly<z.infer<typeof flowSchema>>;

const MAX_BYTES = 64 * 1024;
const KEPT_MS = 24 * 60 * 60_000;

function folder(env: PathEnvironment): string {
  return join(userDirectory(env), 'logins');
}

export function flowPath(env: PathEnvironment, id: string): string {
  return join(folder(env), `${id}.json`);
}

export function newFlowId(): string {
  return randomBytes(8).toString('hex');
}

/** Writes a flow (0600, in one step); what has ended holds no code any more. Throws UserError `storage`. */
export function writeFlow(env: PathEnvironment, flow: LoginFlow): void {
  ensureFolder(folder(env));
  const kept = flow.flow.state === 'pending' ? flow : { ...flow, deviceCode: '' };
  writeAtomic(flowPath(env, flow.id), `${JSON.stringify(kept)}\n`, { durable: true });
}

/** Reads a flow. Throws UserError: exit 2 when there is none of this id, exit 6 when its file is of another form. */
export function readFlow(env: PathEnvironment, id: string): LoginFlow {
  const read = FLOW_ID.test(id) ? readSmallFile(flowPath(env, id), MAX_BYTES) : ({ kind: 'absent' } as const);
  if (read.kind === 'absent') {
    throw new UserError({
      code: 'no_such_flow',
      what: 'there is no login under way with this id',
      value: id,
      remedy: 'begin one: cc-delegate auth login PROFILE --no-wait',
      exit: EXIT.usage,
    });
  }
  const flow = flowSchema.safeParse(read.kind === 'ok' ? jsonOf(read.text) : undefined);
  if (flow.success) return flow.data;
  throw new UserError({
    code: 'unreadable_flow',
    what: 'the file of this login cannot be read',
    value: flowPath(env, id),
    remedy: 'remove it, and log in again: cc-delegate auth login PROFILE',
    exit: EXIT.environment,
  });
}

/** Removes the files of flows that began more than a day ago. Never throws. */
export function sweepFlows(env: PathEnvironment, nowMs: number): void {
  for (const name of namesIn(folder(env))) {
    const id = name.replace(/\.json$/, '');
    if (!FLOW_ID.test(id)) continue;
    try {
      if (readFlow(env, id).begunAt + KEPT_MS < nowMs) unlinkSync(flowPath(env, id));
    } catch {
      // Litter of a few bytes; the login that is asked for is more important.
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON, so not the file's form either.
    return undefined;
  }
}
