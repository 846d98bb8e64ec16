import { setTimeout as wait } from 'node:timers/promises';
import { EXIT } from '../../job/user-error.ts';
import type { LoginEndpoints } from '../../provider/login/endpoints.ts';
import type { LoginFlow } from '../../provider/login/flow-file.ts';
import { loginCommand, NAMES } from '../../provider/login/headers.ts';
import { beginLogin, type LoginWorld, pollLogin } from '../../provider/login/log-in.ts';
import type { CommandContext, Output } from '../command.ts';
import { atMost, parseVerb, usage } from '../parse.ts';
import { invitation } from '../render/auth.ts';
import { type LoginTarget, loginTarget } from './login-target.ts';

/** What a test brings in place of the services and the clock. */
export interface LoginTools {
  readonly endpoints?: LoginEndpoints;
  readonly nowMs?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** `auth login PROFILE [--no-wait]`. What the person needs goes to stderr at once; the answer comes when it is known. */
export async function login(
  context: CommandContext,
  args: readonly string[],
  tools: LoginTools,
): Promise<Output> {
  const { values, positionals } = parseVerb(args, { 'no-wait': { type: 'boolean' } });
  atMost(positionals, 1);
  const [name] = positionals;
  if (name === undefined) throw usage('whose login', '', 'name a profile, or: copilot, chatgpt');
  const target: LoginTarget = loginTarget(context.env, name);
  const world = worldOf(context, tools);
  const begun = await beginLogin(world, target);
  for (const line of invitation(begun)) context.stderr(line);
  if (values['no-wait'] === true) return outputOf(begun, now(tools));
  context.stderr('Waiting; Ctrl-C stops it, and then nothing is saved.');
  const ended = await untilEnded(context, world, begun, tools);
  return outputOf(ended, now(tools));
}

/** `auth poll FLOW`: one question, or none where it is too early for one. */
export async function poll(
  context: CommandContext,
  args: readonly string[],
  tools: LoginTools,
): Promise<Output> {
  const { positionals } = parseVerb(args, {});
  atMost(positionals, 1);
  const [id] = positionals;
  if (id === undefined) throw usage('which login', '', 'auth poll FLOW, as auth login --no-wait printed it');
  const { flow, why } = await pollLogin(worldOf(context, tools), id);
  if (why !== null) context.stderr(noNews(flow, why));
  return outputOf(flow, now(tools));
}

async function untilEnded(
  context: CommandContext,
  world: LoginWorld,
  begun: LoginFlow,
  tools: LoginTools,
): Promise<LoginFlow> {
  const sleep = tools.sleep ?? wait;
  let flow = begun;
  let said: string | null = null;
  while (flow.flow.state === 'pending') {
    await sleep(Math.max(0, flow.flow.nextPollAt - now(tools)));
    const polled = await pollLogin(world, flow.id);
    flow = polled.flow;
    // Said once, not at every try.
    if (polled.why !== null && polled.why !== said) context.stderr(noNews(flow, polled.why));
    said = polled.why;
  }
  return flow;
}

function noNews({ kind }: LoginFlow, why: string): string {
  return `cc-delegate: no news from ${NAMES[kind]}: ${why}`;
}

function worldOf(context: CommandContext, { endpoints, nowMs }: LoginTools): LoginWorld {
  return { env: context.env, endpoints, nowMs, warn: (line) => context.stderr(`cc-delegate: ${line}`) };
}

function now(tools: LoginTools): number {
  return (tools.nowMs ?? Date.now)();
}

function outputOf(login: LoginFlow, nowMs: number): Output {
  const { id, kind, owner, flow, userCode, verificationUri } = login;
  const json = { flow: id, kind, owner, state: flow.state };
  switch (flow.state) {
    case 'authorized':
      return { json, text: `logged in to ${NAMES[kind]} for ${owner}`, exit: EXIT.done };
    case 'failed': {
      const { reason, detail } = flow;
      const remedy = loginCommand(owner);
      const text = `not logged in to ${NAMES[kind]}: ${detail}\n  again: ${remedy}`;
      return { json: { ...json, reason, detail, remedy }, text, exit: EXIT.badNews };
    }
    case 'pending': {
      const retryInSeconds = Math.max(0, Math.ceil((flow.nextPollAt - nowMs) / 1000));
      const expiresAt = new Date(flow.expiresAt).toISOString();
      const text = [
        `waiting for you to enter ${userCode} at ${verificationUri}`,
        `  then: cc-delegate auth poll ${id}   (in ${retryInSeconds} s or later)`,
      ];
      return {
        json: { ...json, userCode, verificationUri, expiresAt, retryInSeconds },
        text: text.join('\n'),
        exit: EXIT.done,
      };
    }
  }
}
