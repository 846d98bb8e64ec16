import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { trimLine } from '../job/format.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { readSmallFile } from '../store/small-file.ts';
import { explainIssue } from './explain-issue.ts';
import { parseYaml, valuesOf } from './yaml-text.ts';

const PROJECT_FILE = 'cc-delegate.yaml';
const MAX_BYTES = 65_536;

const list = z.union([
  z
    .string()
    .min(1)
    .transform((one) => [one]),
  z.array(z.string().min(1)),
]);

/** The only keys a project may set: none of them names a model, an endpoint, a key, money or a binary of ours. */
const shape = {
  test: z.string().min(1).optional(),
  setup: z.string().min(1).optional(),
  protect: list.optional(),
  include: list.optional(),
  scope: list.optional(),
};
const projectSchema = z.object(shape);
type ProjectConfig = z.infer<typeof projectSchema>;

export interface ProjectRead {
  readonly config: ProjectConfig;
  /** One line for all keys that were left out. */
  readonly warnings: readonly string[];
}

/**
 * Reads `cc-delegate.yaml` at the root of a repository; it comes with the repository, so it is not trusted. Any
 * key but `test setup protect include scope` is ignored with a warning. Throws UserError: exit 6 when it is not a
 * readable YAML file, exit 2 for a value that is not valid.
 */
export function readProjectFile(root: string): ProjectRead {
  const path = join(root, PROJECT_FILE);
  const read = readSmallFile(path, MAX_BYTES);
  if (read.kind === 'absent') return { config: {}, warnings: [] };
  if (read.kind === 'unreadable') {
    throw new UserError({
      code: 'unreadable_file',
      what: `the project's settings could not be read: ${read.why}`,
      value: path,
      remedy: 'make it a plain YAML file, or remove it',
      exit: EXIT.environment,
    });
  }
  const values = valuesOf(path, parseYaml(path, read.text));
  const foreign = Object.keys(values).filter((key) => !Object.hasOwn(shape, key));
  const parsed = projectSchema.safeParse(values);
  if (!parsed.success) {
    const { key, value, valid } = explainIssue(parsed.error, values);
    throw new UserError({
      code: 'invalid_project_config',
      what: `the setting ${key} of ${PROJECT_FILE} is not valid`,
      value,
      remedy: `valid is ${valid} (edit ${path})`,
      exit: EXIT.usage,
    });
  }
  const allowed = Object.keys(shape).join(', ');
  const are = foreign.length === 1 ? 'is' : 'are';
  const warnings =
    foreign.length === 0
      ? []
      : [
          `${PROJECT_FILE}: ${namesText(foreign)} ${are} ignored; a project may set ${allowed} only (your own: cc-delegate config set)`,
        ];
  return { config: parsed.data, warnings };
}

/** All that anybody would write in earnest. */
const NAMES_SHOWN = 20;

/** Keys of a file as they may be shown: `"a", "b" and 3 more`, each on one line and not long. Whoever wrote them is not trusted. */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `"${trimLine(name, 40)}"`);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** The working tree around a folder: the nearest one upward that holds `.git`; null outside of any. */
export function findProjectRoot(cwd: string): string | null {
  const isRoot = lstatSync(join(cwd, '.git'), { throwIfNoEntry: false }) !== undefined;
  if (isRoot) return cwd;
  const parent = dirname(cwd);
  return parent === cwd ? null : findProjectRoot(parent);
}
