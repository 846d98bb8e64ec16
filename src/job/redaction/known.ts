/** A value that must not be written anywhere. `kind` stands in its place: of `key` comes `[redacted:key]`. */
export interface KnownSecret {
  readonly value: string;
  readonly kind: string;
  /** Looked for as it stands and in a JSON string, not in parts and not in other encodings: text of a file, no key. */
  readonly whole?: true;
  /** Then only where it is a line of its own, indented or added by a diff. */
  readonly alone?: true;
}

/** Where the secrets of a job come from. What the runner is handed over has this form. */
export interface SecretSources {
  readonly models: readonly {
    readonly apiKey: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly baseUrl: string;
    readonly cloud?:
      | {
          readonly kind: string;
          readonly signing?: {
            readonly secretAccessKey: string;
            readonly sessionToken: string | null;
          } | null;
          readonly account?: { readonly privateKey: string } | null;
        }
      | undefined;
  }[];
  readonly passEnv: Readonly<Record<string, string>>;
}

/** The keys, cloud secrets, header values and URL credentials of the models: what the worker's model has no use for either. */
export function ownSecrets({ models }: Pick<SecretSources, 'models'>): KnownSecret[] {
  return models.flatMap(({ apiKey, headers, baseUrl, cloud }) => [
    ...[apiKey, cloud?.signing?.secretAccessKey, cloud?.signing?.sessionToken, cloud?.account?.privateKey]
      .filter((value) => value !== null && value !== undefined)
      .flatMap((value) => named('key', 'API_KEY', value)),
    ...Object.entries(headers).flatMap(([name, value]) => named('header', name, value)),
    ...urlSecrets(baseUrl),
  ]);
}

/** Every secret a runner knows: those of the models, and what the user passes to the worker. */
export function knownSecrets(sources: SecretSources): KnownSecret[] {
  return [...ownSecrets(sources), ...variableSecrets(sources.passEnv)];
}

/** The secrets among variables; each has its variable's name for a kind, which tells a reader where it is. */
export function variableSecrets(variables: Readonly<Record<string, string>>): KnownSecret[] {
  return Object.entries(variables).flatMap(([name, value]) => named(kindOf(name), name, value));
}

/** The secrets in a file of `NAME=value` lines, such as `.env`. */
export function envFileSecrets(text: string): KnownSecret[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, quoted] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || quoted === undefined) return [];
    const value = /^(["'])(.*)\1/.exec(quoted)?.[2] ?? quoted.replace(/\s+#.*$/, '');
    return named(kindOf(name), name, value);
  });
}

/** User name, password and long query values of a URL, as written and decoded; none of what is no URL. */
export function urlSecrets(text: string): KnownSecret[] {
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  const user = password === '' ? username : '';
  return [
    ...[password, user].flatMap((part) => [part, decoded(part)].map((value) => ({ kind: 'url', value }))),
    ...[...searchParams].map(([name, value]) => ({ kind: 'url', value: isSecret(name, value) ? value : '' })),
  ].filter(({ value }) => isSecret('password', value));
}

function named(kind: string, name: string, value: string): KnownSecret[] {
  const parts = [value, ...value.split(/\r?\n/), value.replace(/^(?:Bearer|Basic|Token)\s+/i, '')];
  const whole = [...new Set(parts.map((part) => part.trim()))].filter((part) => isSecret(name, part));
  return [...whole.map((part) => ({ kind, value: part })), ...urlSecrets(value)];
}

const SHORTEST = 6;
const SECRET_NAME =
  /key|secret|token|passw|pwd|pass$|(?:^|_)(?:pass|pat|auth|dsn|cred)(?:_|$)|credential|authorization|cookie|private/i;
/** What people write where a key is asked for and none is needed, such as `none`, `ollama`, `lm-studio`. */
const NO_SECRET =
  /^(?:[A-Za-z]{1,9}|[a-z]{1,7}[-_][a-z]{1,7}|[\d.]{1,8}|[~.]{0,2}\/[a-z._-]{1,20}\/[\w./-]*)$/;
const PEM_EDGE = /^-----(?:BEGIN|END) [^-]*-----$/;
/** What stands in a thousand harmless places: words, a number, a version, a place, an address without a user. */
const HARMLESS = [
  /^(?:[A-Za-z]{1,15}|[a-z]{1,12}(?:[-_ ][a-z]{1,12}){1,2})$/,
  /^(?:[\d.,:+-]{1,15}|v?\d+(?:\.\d+)+[\w.-]{0,12}|[a-z]{2}_[A-Z]{2}(?:\.[\w-]+)?)$/,
  /^[~.]{0,2}\/[a-z._-]{1,20}(?:[/:][\w./@:+-]*)?$/,
  /^(?:[a-z][a-z0-9+.-]*:\/\/[^@?\s]*|[\w-]+(?:\.[\w-]+){1,5}(?::\d+)?)$/i,
];

/** Redacting a word like `production` everywhere would hide more than it protects. */
function isSecret(name: string, value: string): boolean {
  if (value.length < SHORTEST || new Set(value).size < 4) return false;
  if (NO_SECRET.test(value) || PEM_EDGE.test(value)) return false;
  return SECRET_NAME.test(name) || (value.length >= 8 && !HARMLESS.some((form) => form.test(value)));
}

function kindOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded after all: it is what it is.
    return text;
  }
}
