import { entryOf, isSessionId } from '../../notify/places.ts';

/**
 * How something must look before we take it for ours. The user may have pointed `CC_DELEGATE_HOME` at a folder with
 * files of their own, even of the same names.
 */
export type Form =
  | {
      readonly kind: 'file';
      readonly name: (name: string) => boolean;
      /** What is in it, as text; null: its name says enough. */
      readonly holds: ((text: string) => boolean) | null;
    }
  | { readonly kind: 'folder'; readonly name: (name: string) => boolean; readonly forms: readonly Form[] };

type Holds = ((text: string) => boolean) | null;

/** What we make in the user's folder, and take away without a question. */
export const USER_FORMS: readonly Form[] = [
  file('bounds.json', hasFields('digest', 'bounds')),
  file(/^plugin-key(-saved|-error)?$/),
  file('settings-seen.yaml'),
  folder(
    'bells',
    file(isSessionId, (text) => /^\.*$/.test(text)),
  ),
  folder('backoff', file(/^(\.)?[a-z0-9-]{1,40}-[0-9a-f]{16}\.json(\.\d+\.\d+\.tmp)?$/)),
  folder('bin', file(/^cc-delegate-statusline(-wrapped)?$/)),
  folder('catalogue', file(/^[a-z0-9-]{1,64}\.json$/, hasFields('baseUrl', 'models'))),
  folder(
    'deliveries',
    folder(
      isSessionId,
      file((name) => entryOf(name) !== null),
    ),
  ),
  folder('grants', folder(isSessionId, file(/^[a-z]+-[0-9a-f]{18}\.json$/))),
  folder(
    'logins',
    file(/^[0-9a-f]{16}\.json$/, hasFields('deviceCode', 'flow')),
    // What a killed process has left of its lock.
    folder(/^[A-Za-z0-9_.-]{1,80}\.lock$/),
  ),
  folder('sent', file(/^[0-9a-f]{16}\.json$/, hasFields('repo', 'providers'))),
  folder('slots', file(/^(\.)?([a-z0-9-]{1,64}\.\d+\.\d+|wait\.t_[0-9a-z_]+)\.json(\.\d+\.\d+\.tmp)?$/)),
  folder('repos', file(/^[0-9a-f]{16}\.json$/)),
  folder(
    'sessions',
    file(/^[A-Za-z0-9_-]{1,128}\.json$/, hasFields('sessionId', 'bootId')),
    file(/^[A-Za-z0-9_-]{1,128}\.to$/, (text) => isSessionId(text.trim())),
  ),
];

/** The same in the state directory, beside the workspaces, which are marked. */
export const STATE_FORMS: readonly Form[] = [
  folder('claims', folder(/^[0-9a-f]{16}$/, file(/^apply-[0-9a-f]{16}\.json$/))),
  folder(
    'runtime',
    folder(
      /^([0-9A-Za-z+-][0-9A-Za-z.+-]*-[0-9a-f]{12}|\.[0-9A-Za-z.+-]+-[0-9a-f]{12}\.\d+\.tmp)$/,
      file(/^(runner|files|inside)\.mjs$/),
      folder('chunks', file(/^[\w.-]+-[0-9A-Z]{8}\.mjs$/)),
    ),
  ),
];

type Name = string | RegExp | ((name: string) => boolean);

function file(name: Name, holds: Holds = null): Form {
  return { kind: 'file', name: matcher(name), holds };
}

function folder(name: Name, ...forms: Form[]): Form {
  return { kind: 'folder', name: matcher(name), forms };
}

function matcher(name: Name): (name: string) => boolean {
  if (typeof name === 'function') return name;
  return typeof name === 'string' ? (each) => each === name : (each) => name.test(each);
}

function hasFields(...fields: string[]): (text: string) => boolean {
  return (text) => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && fields.every((field) => field in value);
    } catch {
      // Not JSON: not of our form.
      return false;
    }
  };
}
