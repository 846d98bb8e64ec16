import { count } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { stateDirectory, storeFolder, userDirectory } from '../store/paths.ts';
import { removeRules, rulesState } from './claude-settings/allow-rules.ts';
import { statusLineState, uninstallStatusLine } from './claude-settings/status-line.ts';
import type { Output } from './command.ts';
import { atMost, parseVerb } from './parse.ts';
import { findOwn, type Own } from './uninstall/find-own.ts';
import { keptStores } from './uninstall/kept-stores.ts';
import { STATE_FORMS, USER_FORMS } from './uninstall/own-forms.ts';
import { type RepositoryState, type Survey, survey } from './uninstall/survey.ts';
import {
  removeIfEmpty,
  removeOwn,
  removeStores,
  removeUsersOwn,
  takeBackRepository,
  usersOwn,
} from './uninstall/take-back.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate uninstall [--dry-run] [--force] [--purge]

Takes back what cc-delegate has put outside of your repositories' files: status
line, allow rules, workspaces, refs and branches of jobs, its own state. Records
and patches stay in each repository's .cc-delegate folder, settings and keys in
the user's folder. What is not of cc-delegate's own form stays wherever it is.
Nothing happens while a job is active. For the user alone.

  --dry-run   only say what would go
  --force     also the workspaces and branches of work that was never applied
  --purge     settings, keys and the spend record too, and the records and
              answers that are in no repository: of questions asked outside of
              one, of bare ones`,

  async run(context) {
    const flag = { type: 'boolean' } as const;
    const { values, positionals } = parseVerb(context.args, { 'dry-run': flag, force: flag, purge: flag });
    atMost(positionals, 0);
    const found = await survey(context);
    const plan = planOf(context, found, values.purge === true);
    if (values['dry-run'] === true) return report(plan, found, [], true);
    refuseWhileActive(found);
    if (values.force !== true) refuseUnapplied(found);
    const kept = await act(context, plan, found);
    return report(plan, found, kept, false);
  },
};

interface Plan {
  readonly statusLine: boolean;
  readonly rules: readonly string[];
  readonly own: readonly Own[];
  readonly usersOwn: readonly string[];
  /** Folders with a store each. */
  readonly stores: readonly string[];
  /** The user's folder and the state directories. */
  readonly roots: readonly string[];
}

function planOf(context: VerbContext, found: Survey, purge: boolean): Plan {
  const userDir = userDirectory(context.env);
  const stateDirs = [
    ...new Set([stateDirectory(context.env), ...found.repositories.map(({ stateDir }) => stateDir)]),
  ];
  return {
    statusLine: statusLineState(context.env).kind === 'ours',
    rules: rulesState(context.env).ours,
    own: [...stateDirs.map((folder) => findOwn(folder, STATE_FORMS)), findOwn(userDir, USER_FORMS)],
    usersOwn: purge ? usersOwn(userDir) : [],
    stores: purge ? keptStores(userDir, stateDirs) : [],
    roots: [...stateDirs, userDir],
  };
}

/** Claude's settings first: they name files of ours. */
async function act(context: VerbContext, plan: Plan, found: Survey): Promise<string[]> {
  await removeRules(context.env);
  await uninstallStatusLine(context.env);
  const kept: string[] = [];
  for (const state of found.repositories) kept.push(...(await takeBackRepository(state)));
  for (const own of plan.own) await removeOwn(own);
  await removeStores(plan.stores, plan.roots);
  await removeUsersOwn(plan.usersOwn);
  for (const root of plan.roots) await removeIfEmpty(root);
  return kept;
}

function pathsOf({ own, usersOwn, stores }: Plan): string[] {
  return [...own.flatMap(({ shown }) => shown), ...usersOwn, ...stores.map(storeFolder)];
}

function refuseWhileActive({ repositories }: Survey): void {
  const active = repositories.flatMap((state) => state.active);
  if (active.length === 0) return;
  throw new UserError({
    code: 'jobs_active',
    what: active.length === 1 ? 'a job is still active' : 'jobs are still active',
    value: active.map(({ id, repo }) => `${id} (${repo})`).join(', '),
    remedy: `first: ${active.map(({ id }) => `cc-delegate cancel ${shortId(id)}`).join('; ')}`,
    exit: EXIT.wrongState,
  });
}

function refuseUnapplied({ repositories }: Survey): void {
  const lines = repositories.flatMap(({ path, unapplied }) =>
    unapplied.map(({ id, what }) => `${shortId(id)} ${what} (${path})`),
  );
  if (lines.length === 0) return;
  throw new UserError({
    code: 'unapplied_work',
    what: 'there is work that was neither applied nor discarded',
    value: lines.join(', '),
    remedy: 'apply or discard it (cc-delegate apply ID, discard ID), or: cc-delegate uninstall --force',
    exit: EXIT.wrongState,
  });
}

function report(plan: Plan, found: Survey, kept: readonly string[], isDry: boolean): Output {
  const { repositories, skipped } = found;
  const paths = pathsOf(plan);
  const shared = plan.own.flatMap((own) => own.shared);
  const lines = [
    ...(plan.statusLine ? ['the status line in Claude Code'] : []),
    ...(plan.rules.length > 0 ? [count(plan.rules.length, 'allow rule')] : []),
    ...repositories.filter(hasSomething).map(repositoryLine),
    ...paths,
  ];
  const said = isDry ? 'would remove' : 'removed';
  const text = [
    ...(lines.length === 0 ? ['there is nothing to take back'] : lines.map((line) => `${said}  ${line}`)),
    ...skipped.map(({ path, why }) => `skipped  ${path}: ${why}`),
    ...kept.map((line) => `kept     ${line}`),
    ...(isDry ? repositories.flatMap(hindrances) : []),
    ...shared.map((path) => `stays    ${path}: there is something in it that is not cc-delegate's`),
    ...repositories
      .filter(({ path, hasStore }) => hasStore && !plan.stores.includes(path))
      .map(({ path }) => `stays    ${storeFolder(path)}: records and patches; remove it when you like`),
  ];
  const json = {
    dryRun: isDry,
    statusLine: plan.statusLine,
    rules: plan.rules,
    repositories: repositories.map(({ path, workspaces, refs, unapplied, active }) => ({
      path,
      workspaces,
      branches: refs.branches.map(({ branch }) => branch),
      unapplied,
      active: active.map(({ id }) => id),
    })),
    paths,
    shared,
    skipped,
    kept,
  };
  return { json, text: text.join('\n'), exit: EXIT.done };
}

function hasSomething({ workspaces, refs }: RepositoryState): boolean {
  return workspaces.length + refs.branches.length + refs.pinned.length > 0;
}

function repositoryLine({ path, workspaces, refs }: RepositoryState): string {
  const branches = `${refs.branches.length} ${refs.branches.length === 1 ? 'branch' : 'branches'}`;
  return `${path}: ${count(workspaces.length, 'workspace')}, ${branches}, refs of ${count(refs.pinned.length, 'job')}`;
}

function hindrances({ active, unapplied }: RepositoryState): string[] {
  return [
    ...active.map(
      ({ id, state }) => `but ${shortId(id)} is ${state}: first cc-delegate cancel ${shortId(id)}`,
    ),
    ...unapplied.map(({ id, what }) => `but ${shortId(id)} is not applied, so --force is needed: ${what}`),
  ];
}
