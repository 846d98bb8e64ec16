import { EXIT, UserError } from '../../job/user-error.ts';
import type { PathEnvironment } from '../../store/paths.ts';
import type { LoginKind } from '../access.ts';
import { oneAtATime, type Warn } from '../user-file.ts';
import type { Polled } from './asked.ts';
import { beginChatgpt, pollChatgpt } from './chatgpt.ts';
import { beginCopilot, pollCopilot } from './copilot.ts';
import { afterPoll, atTime, beginFlow, type FlowState } from './device-flow.ts';
import { type LoginEndpoints, PUBLIC_ENDPOINTS } from './endpoints.ts';
import { flowPath, type LoginFlow, newFlowId, readFlow, sweepFlows, writeFlow } from './flow-file.ts';
import { NAMES } from './headers.ts';
import { saveLogin } from './saved-logins.ts';

/** What a login is made with; a test brings its own. */
export interface LoginWorld {
  readonly env: PathEnvironment;
  readonly endpoints?: LoginEndpoints | undefined;
  readonly nowMs?: (() => number) | undefined;
  readonly warn: Warn;
}

/**
 * Begins a login: asks the service for a code and writes the flow down. Throws UserError (exit 6) when the service gives
 * none or the disk does not take it.
 */
export async function beginLogin(
  world: LoginWorld,
  wanted: { readonly kind: LoginKind; readonly owner: string },
): Promise<LoginFlow> {
  const { env, endpoints = PUBLIC_ENDPOINTS } = world;
  const nowMs = world.nowMs ?? Date.now;
  sweepFlows(env, nowMs());
  const begun =
    wanted.kind === 'copilot'
      ? await beginCopilot(endpoints.copilot, env)
      : await beginChatgpt(endpoints.chatgpt, env);
  if (begun.kind !== 'ok') throw noCode(wanted.kind, begun.why);
  const { deviceCode, userCode, verificationUri, intervalMs, lifeMs } = begun.value;
  const flow: LoginFlow = {
    schema: 1,
    id: newFlowId(),
    ...wanted,
    userCode,
    verificationUri,
    deviceCode,
    endpoints,
    begunAt: nowMs(),
    flow: beginFlow({ intervalMs, lifeMs }, nowMs()),
  };
  writeFlow(env, flow);
  return flow;
}

/** A flow after one poll, or after none because it was too early; `why` of an answer that says nothing. */
export interface PolledFlow {
  readonly flow: LoginFlow;
  readonly why: string | null;
}

/**
 * Asks once how a login stands, and saves its tokens when it is there: they are safe before the flow is said to be
 * authorized. Before the time the service has set nothing is asked. One process at a time. Throws UserError as the files
 * do, and exit 2 for an id nobody knows.
 */
export async function pollLogin(world: LoginWorld, id: string): Promise<PolledFlow> {
  const { env, warn } = world;
  const nowMs = world.nowMs ?? Date.now;
  readFlow(env, id);
  return oneAtATime(flowPath(env, id), async () => {
    const before = readFlow(env, id);
    if (before.flow.state !== 'pending') return { flow: before, why: null };
    const now = atTime(before.flow, nowMs());
    if (now.state !== 'pending') return { flow: moved(env, before, now), why: null };
    if (nowMs() < now.nextPollAt) return { flow: before, why: null };
    const answer = await poll(before, env);
    if (answer.kind === 'authorized') await saveLogin(env, before.owner, answer.login, warn);
    const why = answer.kind === 'unclear' ? answer.why : null;
    return { flow: moved(env, before, afterPoll(now, answer, nowMs())), why };
  });
}

function poll(flow: LoginFlow, env: PathEnvironment): Promise<Polled> {
  const { endpoints, deviceCode } = flow;
  if (flow.kind === 'copilot') return pollCopilot(endpoints.copilot, deviceCode, env);
  return pollChatgpt(endpoints.chatgpt, flow, env);
}

function moved(env: PathEnvironment, before: LoginFlow, flow: FlowState): LoginFlow {
  const after = { ...before, flow };
  writeFlow(env, after);
  return after;
}

function noCode(kind: LoginKind, why: string): UserError {
  return new UserError({
    code: 'login_unavailable',
    what: `${NAMES[kind]} gave no code to log in with`,
    value: why,
    remedy: 'see that the network and its proxy work, and try again in a minute',
    exit: EXIT.environment,
  });
}
