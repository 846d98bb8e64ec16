import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT } from '../job/user-error.ts';
import { VERSION } from '../job/version.ts';
import { buildCommand, isOutdated } from '../notify/built.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import type { KeySource } from '../provider/find-key.ts';
import { resolveModel } from '../provider/resolve-model.ts';
import type { Settings } from '../provider/settings.ts';
import { stateDirectory, userDirectory } from '../store/paths.ts';
import { gitVersion } from '../workspace/git-version.ts';
import { findRepository, resolveBase, storeIsTracked } from '../workspace/repository.ts';
import { bestLevel } from '../workspace/sandbox/levels.ts';
import { engineChecks } from './doctor/engine-check.ts';
import { type Check, check, type Finding } from './doctor/finding.ts';
import { requestCheck } from './doctor/request.ts';
import { profileChecks, sessionChecks } from './doctor/session-checks.ts';
import { parseVerb } from './parse.ts';
import { fold } from './render/fold.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate doctor [--request]

Checks exactly what a job will use, here and now, and what a session of Claude
Code has of us: one line a check, with the remedy. Exit 0 when it could answer,
whatever it found.

  --request   one tiny real request to the default model too: costs a few tokens`,

  async run(context) {
    const { values } = parseVerb(context.args, { request: { type: 'boolean' } });
    const checks = [
      await check('program', () => programCheck(context)),
      await check('node', nodeCheck),
      await check('git', gitCheck),
      await check('repository', () => repositoryCheck(context)),
      await check('sandbox', () => sandboxCheck(context)),
      await check('model', () => modelCheck(context)),
      ...(await profileChecks(context)),
      ...(await engineChecks(context)),
      ...(values.request === true ? [await check('request', () => realRequest(context))] : []),
      await check('state', () => folderCheck(stateDirectory(context.env))),
      await check('user directory', () => folderCheck(userDirectory(context.env))),
      ...(await sessionChecks(context)),
    ];
    const text = checks.flatMap(renderCheck).join('\n');
    return { json: { ok: checks.every(({ ok }) => ok), checks }, text, exit: EXIT.done };
  },
};

/** One line a check, folded at 80 columns, the remedy on lines of its own. */
function renderCheck({ name, ok, note, text, remedy }: Check): string[] {
  const mark = note ? '!' : ok ? '✓' : '✗';
  const lines = fold(`${mark} ${name}: ${text}`, 80, '    ');
  return remedy === null ? lines : [...lines, ...fold(`  → ${remedy}`, 80, '    ')];
}

function programCheck({ program }: VerbContext): Finding {
  if (!isOutdated(program)) return `cc-delegate ${VERSION}`;
  const text = `cc-delegate ${VERSION}, built from older sources than there are in ${dirname(program)}`;
  return { text, remedy: buildCommand(program), note: true };
}

function nodeCheck(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return process.versions.node;
  return { text: `${process.versions.node} is too old`, remedy: 'install Node 20.19 or newer' };
}

async function gitCheck(): Promise<Finding> {
  const { text, enough } = await gitVersion();
  return enough ? text : { text: `${text} is too old`, remedy: 'install git 2.38 or newer' };
}

async function repositoryCheck(context: VerbContext): Promise<Finding> {
  const repository = await findRepository(context.cwd);
  const base = await resolveBase(repository);
  if (await storeIsTracked(repository))
    return { text: '.cc-delegate is tracked', remedy: 'git rm -r --cached .cc-delegate' };
  return `${repository.checkout} at ${base.slice(0, 8)}`;
}

async function sandboxCheck(context: VerbContext): Promise<Finding> {
  const { allowUnsandboxed, boundary, network, runtime } = settingsOf(context).sandbox;
  const { level, backend, notFull } = await bestLevel(runtime);
  if (notFull === null) return `full (${backend}) · network: ${network}`;
  const text = `${level} (${backend}), not full: ${notFull.why}`;
  if (boundary === 'container') return `${text}; the container is the boundary, as you have set`;
  const reach = `${text}; the worker's commands can reach your files and, whatever is set, the network`;
  if (allowUnsandboxed) return `${reach}; you have allowed it`;
  const accept = 'cc-delegate config set sandbox.allowUnsandboxed true';
  return { text: reach, remedy: `${notFull.remedy}; or accept it: ${accept}` };
}

function modelCheck(context: VerbContext): Finding {
  const warnings: string[] = [];
  const { name, modelSource, primary } = resolveModel({}, settingsOf(context), context.env, (line) =>
    warnings.push(line),
  );
  const key = primary.key === null ? 'no key needed' : `key found (${describe(primary.keySource)})`;
  return [`${name} (${modelSource}) · ${key}`, ...warnings].join(' · ');
}

function realRequest(context: VerbContext): Promise<Finding> {
  const resolution = resolveModel({}, settingsOf(context), context.env, () => undefined);
  return requestCheck(resolution, context.env);
}

function describe(source: KeySource): string {
  switch (source.kind) {
    case 'none':
      return 'none';
    case 'credentials':
      return `saved for ${source.owner.kind} ${source.owner.name}`;
    default:
      return source.variable;
  }
}

/** A folder that is there must be writable; one that is not yet there, the nearest one above it. */
function folderCheck(folder: string): Finding {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return folder;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return {
      text: `${nearest} cannot be written (${code})`,
      remedy: 'make it writable, or point CC_DELEGATE_HOME and CC_DELEGATE_STATE elsewhere',
    };
  }
}

function settingsOf(context: VerbContext): Settings {
  return effectiveConfig({ env: context.env, projectRoot: null }).settings;
}
