import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import type { Grant } from '../notify/consent/grant.ts';
import { isIgnored } from '../workspace/ignored.ts';
import { neverSent } from '../workspace/never-send.ts';
import { realPathOrNull } from '../workspace/real-path.ts';
import type { Repository } from '../workspace/repository.ts';
import { callerIsModel } from './model-caller.ts';
import { repositoryAround } from './repository-around.ts';
import type { VerbContext } from './verb.ts';

/**
 * Files whose text goes to another company's model, as typed; undefined ones were not given. What lies outside of the
 * repository, by a link too, or is ignored in it, a model may hand over only on the person's word for this very file.
 * What the user has set to be never sent is nobody's to hand over. Throws UserError (exit 5). A file that is not there is its reader's to tell.
 */
export async function refuseUnshared(
  context: VerbContext,
  files: readonly (string | undefined)[],
): Promise<void> {
  const given = files.filter((file) => file !== undefined);
  if (given.length > 0) await refuseNeverSent(context, given);
  const open = given.filter((file) => !isAgreed(context.consent, file));
  if (open.length === 0 || !callerIsModel(context.env)) return;
  const repository = await repositoryAround(context.cwd);
  const root = realpathSync(repository?.checkout ?? context.cwd);
  for (const file of open) {
    const why = await whyUnshared(repository, root, resolve(context.cwd, file));
    if (why !== null) throw refusal(file, why);
  }
}

async function refuseNeverSent(context: VerbContext, files: readonly string[]): Promise<void> {
  const { readConfig } = await import('../provider/config-file.ts');
  const globs = readConfig(context.env).neverSend ?? [];
  if (globs.length === 0) return;
  const isNeverSent = neverSent(globs);
  const repository = await repositoryAround(context.cwd);
  const root = realpathSync(repository?.checkout ?? context.cwd);
  for (const file of files) {
    const path = resolve(context.cwd, file);
    // As it was named, and by what the name leads to; elsewhere the names of folders and file are what can fit.
    const places = [path, realPathOrNull(path) ?? path].map((each) => insideOf(root, each));
    if (!places.some(isNeverSent)) continue;
    throw new UserError({
      code: 'never_sent',
      what: 'this file is never sent to a model, by your setting neverSend',
      value: file,
      remedy: 'leave it out, or look at the setting: cc-delegate config show',
      exit: EXIT.refused,
    });
  }
}

function insideOf(root: string, path: string): string {
  const inside = relative(root, path);
  return inside.split(sep)[0] === '..' ? path : inside;
}

/** A dialog has shown the person the whole call; a typed command is consent to the files it names. */
function isAgreed(consent: Grant | null, file: string): boolean {
  if (consent === null) return false;
  return (
    consent.kind === 'dialog' || consent.words.some((word) => word === file || word.endsWith(`=${file}`))
  );
}

async function whyUnshared(
  repository: Repository | null,
  root: string,
  path: string,
): Promise<string | null> {
  const real = realPathOrNull(path);
  if (real === null) return null;
  const inside = relative(root, real);
  const isInside = real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
  // git's own files hold addresses with passwords in them.
  if (!isInside || inside.split(sep).some((part) => part.toLowerCase() === '.git'))
    return 'from outside of the repository';
  return repository !== null && (await isIgnored(repository, inside)) ? 'that git ignores' : null;
}

function refusal(file: string, why: string): UserError {
  return new UserError({
    code: 'needs_the_user',
    what: `only the user may hand over files ${why}`,
    value: file,
    remedy: 'leave it out, or ask the user to run this in a terminal',
    exit: EXIT.refused,
  });
}
