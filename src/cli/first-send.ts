import { createInterface } from 'node:readline/promises';
import { EXIT, UserError } from '../job/user-error.ts';
import { callerOf } from '../notify/consent/caller.ts';
import {
  type Destination,
  destinationsText,
  rememberSent,
  sentFrom,
  unagreed,
} from '../notify/consent/first-send.ts';
import type { Grant } from '../notify/consent/grant.ts';
import { burn } from '../notify/consent/grants.ts';
import { destinationsOf } from '../provider/destinations.ts';
import { userDirectory } from '../store/paths.ts';
import type { JobPlan } from './job-plan.ts';
import type { VerbContext } from './verb.ts';

/** Asks the person at the terminal; null: there is none. */
export type AskPerson = ((question: string) => Promise<string>) | null;

/**
 * The first job of a repository with a provider names once what leaves this machine. A person at a terminal is asked, and
 * says no with exit 5: then nothing was made. For a model the client's dialog has asked; where nobody could be
 * asked, it is said, and asked as soon as somebody can be. Returns the notices of this call.
 */
export async function firstSend(
  context: VerbContext,
  verb: string,
  plan: Pick<JobPlan, 'model' | 'place'>,
  ask: AskPerson = askerOf(context),
): Promise<string[]> {
  const userDir = userDirectory(context.env);
  const repo = plan.place.home;
  const sent = sentFrom(userDir, repo);
  const destinations = unagreed(sent, destinationsOf(plan.model));
  if (destinations.length === 0) return [];
  const { yes, isTold } = await agreement(context, verb, userDir, destinations, ask);
  const now = Date.now();
  if (yes.length > 0) remember(userDir, repo, { destinations: yes, asked: true, now });
  const others = destinations.filter((each) => !yes.includes(each));
  const known = sent.map((each) => ({ ...each, asked: true }));
  const isNew = unagreed(known, others).length > 0;
  if (others.length === 0 || (!isTold && !isNew)) return [];
  remember(userDir, repo, { destinations: others, asked: isTold, now });
  return [`the files the worker reads go to ${destinationsText(others)}`];
}

/** `yes`: what a person has agreed to. `isTold`: by their own script, in which nobody can answer. */
interface Agreement {
  readonly yes: readonly Destination[];
  readonly isTold: boolean;
}

const NOBODY_ASKED: Agreement = { yes: [], isTold: false };

async function agreement(
  context: VerbContext,
  verb: string,
  userDir: string,
  destinations: readonly Destination[],
  ask: AskPerson,
): Promise<Agreement> {
  if (context.consent !== null) return agreedIn(context.consent, destinations);
  const caller = callerOf(context.env, userDir);
  if (caller.kind === 'person') {
    if (ask === null) return { yes: [], isTold: true };
    const answer = await ask(
      `The files the worker reads go to ${destinationsText(destinations)}.\nThis is the first job of this repository with that. Go on? [y/N] `,
    );
    if (/^\s*y(es)?\s*$/i.test(answer)) return { yes: destinations, isTold: false };
    throw refusal(destinations);
  }
  if (caller.session === null || !caller.isAttended) return NOBODY_ASKED;
  const need = { verb, why: 'sends files for the first time', words: [] };
  const call = { argv: [verb, ...context.args], need, now: Date.now() };
  return agreedIn(burn(userDir, caller.session, call), destinations);
}

/** A yes is one to what the dialog named: it may have known less than we do, or something else. */
function agreedIn(consent: Grant | null, destinations: readonly Destination[]): Agreement {
  const named = consent?.kind === 'dialog' ? (consent.to ?? []) : [];
  const isNamed = ({ provider, host }: Destination) =>
    named.some((each) => each.provider === provider && each.host === host);
  return { yes: destinations.filter(isNamed), isTold: false };
}

function remember(userDir: string, repo: string, news: Parameters<typeof rememberSent>[2]): void {
  try {
    rememberSent(userDir, repo, news);
  } catch (error) {
    // A full or read-only disk: it is asked again the next time, which is no reason not to work now.
    if (!(error instanceof UserError)) throw error;
  }
}

function askerOf({ stdin }: VerbContext): AskPerson {
  if (!stdin.isTTY || !process.stderr.isTTY) return null;
  return async (question) => {
    const lines = createInterface({ input: stdin, output: process.stderr });
    const left = new AbortController();
    // Ctrl-C and Ctrl-D are no yes.
    lines.once('close', () => left.abort());
    try {
      return await lines.question(question, { signal: left.signal });
    } catch (error) {
      if (left.signal.aborted) return '';
      throw error;
    } finally {
      lines.close();
    }
  };
}

function refusal(destinations: readonly Destination[]): UserError {
  return new UserError({
    code: 'not_sent',
    what: 'nothing was started and nothing was sent',
    value: destinationsText(destinations),
    remedy: 'use another profile (--profile NAME), or a model on this machine',
    exit: EXIT.refused,
  });
}
